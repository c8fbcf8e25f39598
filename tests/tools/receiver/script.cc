#include "tools/receiver/script.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace einlass::tools {

Script::Mode Script::mode_named(std::string_view name) {
  constexpr std::pair<std::string_view, Mode> kModes[] = {
      {"ok", Mode::ok},     {"status", Mode::status}, {"delay", Mode::delay},
      {"hang", Mode::hang}, {"reset", Mode::reset},   {"refuse", Mode::refuse},
      {"mix", Mode::mix},
  };
  for (const auto& [known, mode] : kModes) {
    if (known == name) return mode;
  }
  throw std::runtime_error("no such mode: " + std::string(name));
}

void Script::tell(const std::string& json, std::int64_t now_us) {
  const auto told = nlohmann::json::parse(json);
  Script next;
  next.mode_ = mode_named(told.at("mode").get<std::string>());
  next.status_ = told.value("status", 503);
  next.retry_after_ = told.value("retry_after", std::string());
  next.keys_ = told.value("keys", std::string());
  next.bodies_ = told.value("bodies", std::string());
  next.delay_us_ = told.value("delay_ms", std::int64_t{0}) * 1000;
  next.times_left_ = told.value("times", std::int64_t{-1});
  next.percent_ = told.value("percent", 20u);
  next.statuses_ = told.value("statuses", std::vector<int>{500, 503, 429});
  next.random_.seed(told.value("seed", std::uint64_t{1}));
  if (next.statuses_.empty()) throw std::runtime_error("statuses: none");
  if (told.contains("for_ms")) next.until_us_ = now_us + told["for_ms"].get<std::int64_t>() * 1000;
  *this = std::move(next);
}

bool Script::expire(std::int64_t now_us) {
  if (until_us_ == 0 || now_us < until_us_) return false;
  *this = Script();
  return true;
}

Answer Script::answer(std::string_view key, std::string_view body) {
  const bool meant = key.starts_with(keys_) && body.starts_with(bodies_);
  if (!meant || times_left_ == 0) return {};
  if (times_left_ > 0) --times_left_;
  switch (mode_) {
    case Mode::ok:
    case Mode::refuse:
      return {};
    case Mode::status:
      return {Answer::Kind::now, status_, 0};
    case Mode::delay:
      return {Answer::Kind::later, 200, delay_us_};
    case Mode::hang:
      return {Answer::Kind::hold, 200, 0};
    case Mode::reset:
      return {Answer::Kind::reset, 0, 0};
    case Mode::mix:
      if (random_() % 100 >= percent_) return {};
      return {Answer::Kind::now, statuses_[random_() % statuses_.size()], 0};
  }
  return {};
}

}  // namespace einlass::tools
