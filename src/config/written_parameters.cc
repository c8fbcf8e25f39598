#include <variant>

#include "config/parameters.h"
#include "config/values.h"

namespace einlass::config {
namespace {

std::string text_of(Permits permits) { return std::to_string(permits.value); }

std::vector<Written> list(const limits::SlidingLogParameters& p) {
  std::vector<Written> written = {{"limit", text_of(p.limit)},
                                  {"window", to_text(p.window)},
                                  {"even", std::to_string(p.even) + "%"}};
  if (p.burst.value > 0) written.push_back({"burst", text_of(p.burst)});
  return written;
}
std::vector<Written> list(const limits::FixedWindowParameters& p) {
  return {{"limit", text_of(p.limit)},
          {"window", to_text(p.window)},
          {"align", p.by_key ? "key" : "epoch"}};
}
std::vector<Written> list(const limits::CounterParameters& p) {
  return {{"limit", text_of(p.limit)}, {"window", to_text(p.window)}};
}
std::vector<Written> list(const limits::SlidingWindowParameters& p) {
  return {{"limit", text_of(p.limit)},
          {"window", to_text(p.window)},
          {"slices", std::to_string(p.slices)},
          {"log", p.log_newest ? "newest" : "none"}};
}
std::vector<Written> list(const limits::LeakyBucketParameters& p) {
  return {{"rate", to_text(p.rate)},
          {"capacity", text_of(p.capacity)},
          {"mode", p.queue ? "queue" : "meter"}};
}
std::vector<Written> list(const limits::TokenBucketParameters& p) {
  return {{"rate", to_text(p.rate)},
          {"burst", text_of(p.burst)},
          {"start", p.starts_empty ? "empty" : "full"}};
}
std::vector<Written> list(const limits::SmoothParameters& p) {
  return {{"rate", to_text(p.rate)},
          {"burst", text_of(p.burst)},
          {"timeout", to_text(p.timeout)},
          {"pay", p.pay_next ? "next" : "now"}};
}
std::vector<Written> list(const limits::WarmUpParameters& p) {
  return {{"rate", to_text(p.rate)},
          {"timeout", to_text(p.timeout)},
          {"pay", "next"},
          {"warm_up", to_text(p.warm_up)}};
}
std::vector<Written> list(const limits::ConcurrencyParameters& p) {
  return {{"limit", text_of(p.limit)}, {"lease", to_text(p.lease)}};
}

// What algorithm_name() and the two questions below it answer, by the type of the parameters.
struct Traits {
  std::string_view name;
  bool ahead = false;
  bool entries = false;
};

Traits traits(const limits::SlidingLogParameters&) { return {"sliding_log", true, true}; }
Traits traits(const limits::FixedWindowParameters&) { return {"fixed_window"}; }
Traits traits(const limits::CounterParameters&) { return {"counter"}; }
Traits traits(const limits::SlidingWindowParameters& p) {
  return {"sliding_window", false, p.log_newest};
}
Traits traits(const limits::LeakyBucketParameters& p) { return {"leaky_bucket", p.queue}; }
Traits traits(const limits::TokenBucketParameters&) { return {"token_bucket", true}; }
Traits traits(const limits::SmoothParameters&) { return {"smooth", true}; }
Traits traits(const limits::WarmUpParameters&) { return {"smooth", true}; }
Traits traits(const limits::ConcurrencyParameters&) { return {"concurrency", false, true}; }

Traits traits_of(const limits::Parameters& parameters) {
  return std::visit([](const auto& p) { return traits(p); }, parameters);
}

}  // namespace

std::vector<Written> written(const limits::Parameters& parameters) {
  auto result = std::visit([](const auto& p) { return list(p); }, parameters);
  result.insert(result.begin(), {"algorithm", std::string(algorithm_name(parameters))});
  return result;
}

std::vector<std::string_view> not_written(const limits::Parameters& parameters) {
  const auto* log = std::get_if<limits::SlidingLogParameters>(&parameters);
  if (log == nullptr || log->burst.value > 0) return {};
  return {"burst"};
}

void lengthen_window(limits::Parameters& parameters, Duration by) {
  if (auto* log = std::get_if<limits::SlidingLogParameters>(&parameters)) {
    log->window = log->window + by;
  } else if (auto* slices = std::get_if<limits::SlidingWindowParameters>(&parameters)) {
    slices->window = slices->window + by;
  }
}

std::string_view algorithm_name(const limits::Parameters& parameters) {
  return traits_of(parameters).name;
}
bool grants_ahead(const limits::Parameters& parameters) { return traits_of(parameters).ahead; }
bool keeps_entries(const limits::Parameters& parameters) { return traits_of(parameters).entries; }

}  // namespace einlass::config
