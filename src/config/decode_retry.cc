// When failed attempts are made again: of a target, and what its routes say otherwise.
#include "config/decode.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kInitial{Duration::millis(1), Duration::seconds(3600)};
constexpr Bounds<Duration> kMax{Duration::millis(1), Duration::seconds(86'400)};
constexpr Bounds<std::int64_t> kFailures{0, 1'000'000};

// Says that the first is longer than the second, where the file can be changed: not where neither
// is written, for then it was said already where they come from.
void check_order(Section& section, std::pair<std::string_view, Duration> shorter,
                 std::pair<std::string_view, Duration> longer) {
  if (shorter.second <= longer.second) return;
  const std::string_view name = section.has(shorter.first) ? shorter.first : longer.first;
  if (!section.has(name)) return;
  section.reading().wrong(section.place_of(name), section.path_of(name),
                          std::string(shorter.first) + " (" + to_text(shorter.second) +
                              ") is longer than " + std::string(longer.first) + " (" +
                              to_text(longer.second) + ")");
}

}  // namespace

void decode_retry_waits(Section& section, RetryWaits& waits) {
  section.read_duration("initial", waits.initial, kInitial);
  section.read_duration("max", waits.max, kMax);
  check_order(section, {"initial", waits.initial}, {"max", waits.max});
}

void decode_target_retry(Section& parent, Target& target) {
  Section section(parent.reading(), parent.find("retry"), parent.path_of("retry"),
                  "targets.NAME.retry");
  section.refuse_unknown_keys();
  decode_retry_waits(section, target.retry);
  // A share of 0 would starve retries for as long as new records come.
  section.read("budget", target.retry_share, [](const Scalar& scalar) {
    return parse_percent(scalar.text, {1, 100});
  });
}

void decode_breaker(Section& parent, Breaker& breaker) {
  Section section(parent.reading(), parent.find("breaker"), parent.path_of("breaker"),
                  "targets.NAME.breaker");
  section.refuse_unknown_keys();
  section.read_whole("failures", breaker.failures, kFailures);
  section.read_duration("wait", breaker.wait, kInitial);
  section.read_duration("max_wait", breaker.max_wait, kMax);
  check_order(section, {"wait", breaker.wait}, {"max_wait", breaker.max_wait});
}

}  // namespace einlass::config
