#include "config/parameters.h"

#include <algorithm>
#include <variant>

#include "config/values.h"
#include "limits/refusal.h"

namespace einlass::config {
namespace {

using Names = std::vector<std::string_view>;

constexpr Bounds<std::int64_t> kPermits{1, 1'000'000'000};
constexpr Bounds<std::int64_t> kLogPermits{1, limits::kMostLogEntries};
constexpr Bounds<std::int64_t> kSlices{1, 1'000};
constexpr Bounds<Duration> kWindow{{1}, Duration::seconds(366 * 86'400)};
constexpr Bounds<Duration> kTimeout{{0}, Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kEven{0, limits::kMostEven};
constexpr int kDefaultSlices = 10;
constexpr Duration kDefaultTimeout = Duration::seconds(1);

const Names kAligns = {"epoch", "key"};
const Names kLogs = {"none", "newest"};
const Names kStarts = {"full", "empty"};
const Names kModes = {"meter", "queue"};
const Names kPays = {"now", "next"};

bool is_in(std::string_view text, const Names& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::string advice_for(std::string_view name) {
  const std::string_view value = name == "window"  ? "1s"
                                 : name == "rate"  ? "100/s"
                                 : name == "lease" ? "30s"
                                                   : "100";
  return "write " + std::string(name) + ": " + std::string(value);
}

// The section's parameters one by one, and whether all of them were right.
class Fields {
 public:
  explicit Fields(Section& section) : section_(section) {}

  bool sound() const { return sound_; }
  bool has(std::string_view name) const { return section_.has(name); }

  Permits permits(std::string_view name, Bounds<std::int64_t> bounds = kPermits) {
    std::int64_t value = bounds.least;
    sound_ &= required(name) && section_.read_whole(name, value, bounds);
    return Permits{value};
  }
  Duration duration(std::string_view name) {
    Duration value{1};
    sound_ &= required(name) && section_.read_duration(name, value, kWindow);
    return value;
  }
  limits::Rate rate() {
    limits::Rate value;
    const auto parse = [](const Scalar& s) { return parse_rate(s.text); };
    sound_ &= required("rate") && section_.read("rate", value, parse);
    return value;
  }

  // Those below have a default.
  Duration timeout() {
    Duration value = kDefaultTimeout;
    sound_ &= section_.read_duration("timeout", value, kTimeout) || !has("timeout");
    return value;
  }
  int slices() {
    std::int64_t value = kDefaultSlices;
    sound_ &= section_.read_whole("slices", value, kSlices) || !has("slices");
    return static_cast<int>(value);
  }
  int even() {
    std::int64_t value = kDefaultEven;
    const auto parse = [](const Scalar& s) { return parse_percent(s.text, kEven); };
    sound_ &= section_.read("even", value, parse) || !has("even");
    return static_cast<int>(value);
  }
  Permits burst_of_window() { return has("burst") ? permits("burst") : Permits{}; }
  // Whether the second of two choices is taken.
  bool second(std::string_view name, const Names& choices, bool otherwise = false) {
    std::size_t place = otherwise ? 1 : 0;
    const auto parse = [&](const Scalar& s) { return parse_choice(s.text, choices); };
    sound_ &= section_.read(name, place, parse) || !has(name);
    return place == 1;
  }

  void refuse(std::string_view name, std::string text) {
    section_.reading().wrong(section_.place_of(name), section_.path_of(name), std::move(text));
    sound_ = false;
  }

 private:
  bool required(std::string_view name) { return section_.require(name, advice_for(name)); }

  Section& section_;
  bool sound_ = true;
};

limits::Parameters read_sliding_log(Fields& f) {
  return limits::SlidingLogParameters{f.permits("limit", kLogPermits), f.duration("window"),
                                      f.even(), f.burst_of_window()};
}

limits::Parameters read_fixed_window(Fields& f) {
  return limits::FixedWindowParameters{f.permits("limit"), f.duration("window"),
                                       f.second("align", kAligns)};
}

limits::Parameters read_counter(Fields& f) {
  return limits::CounterParameters{f.permits("limit"), f.duration("window")};
}

limits::Parameters read_sliding_window(Fields& f) {
  return limits::SlidingWindowParameters{f.permits("limit"), f.duration("window"), f.slices(),
                                         f.second("log", kLogs)};
}

limits::Parameters read_leaky_bucket(Fields& f) {
  return limits::LeakyBucketParameters{f.rate(), f.permits("capacity"), f.second("mode", kModes)};
}

limits::Parameters read_token_bucket(Fields& f) {
  return limits::TokenBucketParameters{f.rate(), f.permits("burst"), f.second("start", kStarts)};
}

limits::Parameters read_smooth(Fields& f) {
  const bool warming = f.has("warm_up");
  const limits::Rate rate = f.rate();
  const Duration timeout = f.timeout();
  const bool pay_next = f.second("pay", kPays, warming);
  if (!warming) return limits::SmoothParameters{rate, f.permits("burst"), timeout, pay_next};
  if (f.has("burst")) {
    f.refuse("burst",
             "means nothing with warm_up, which says how many permits a quiet time is worth; leave "
             "it out");
  }
  if (f.has("pay") && !pay_next) {
    f.refuse("pay", "a limit that warms up is paid by who comes next; write next, or leave it out");
  }
  return limits::WarmUpParameters{rate, timeout, f.duration("warm_up")};
}

limits::Parameters read_concurrency(Fields& f) {
  return limits::ConcurrencyParameters{f.permits("limit", kLogPermits), f.duration("lease")};
}

struct Algorithm {
  std::string_view name;
  Names takes;
  limits::Parameters (*read)(Fields& fields);
};

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> kAlgorithms = {
      {"sliding_log", {"limit", "window", "even", "burst"}, read_sliding_log},
      {"fixed_window", {"limit", "window", "align", "burst"}, read_fixed_window},
      {"counter", {"limit", "window", "burst"}, read_counter},
      {"sliding_window", {"limit", "window", "slices", "log", "burst"}, read_sliding_window},
      {"leaky_bucket", {"rate", "capacity", "mode"}, read_leaky_bucket},
      {"token_bucket", {"rate", "burst", "start"}, read_token_bucket},
      {"smooth", {"rate", "burst", "timeout", "pay", "warm_up"}, read_smooth},
      {"concurrency", {"limit", "lease"}, read_concurrency},
  };
  return kAlgorithms;
}

Names algorithm_names() {
  Names names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  return names;
}

// Says that parameters of other algorithms mean nothing here.
bool refuse_others(Section& section, const Algorithm& algorithm) {
  bool sound = true;
  std::vector<std::string_view> told;
  for (const Algorithm& other : algorithms()) {
    for (const std::string_view name : other.takes) {
      if (!section.has(name) || is_in(name, algorithm.takes) || is_in(name, told)) continue;
      section.reading().wrong(section.place_of(name), section.path_of(name),
                              "means nothing to " + std::string(algorithm.name) + ", which takes " +
                                  all_of(algorithm.takes));
      told.push_back(name);
      sound = false;
    }
  }
  return sound;
}

}  // namespace

std::optional<limits::Parameters> read_parameters(Section& section) {
  const Names names = algorithm_names();
  std::size_t place = 0;
  const auto parse = [&](const Scalar& s) { return parse_choice(s.text, names); };
  if (!section.require("algorithm", "write " + either(names)) ||
      !section.read("algorithm", place, parse)) {
    return std::nullopt;
  }
  const Algorithm& algorithm = algorithms()[place];
  const bool sound = refuse_others(section, algorithm);
  Fields fields(section);
  const limits::Parameters parameters = algorithm.read(fields);
  if (!sound || !fields.sound()) return std::nullopt;
  return parameters;
}

}  // namespace einlass::config
