// Any lines as a trace: each is understood as a JSON library understands it, or refused with a
// column and a sentence; and what a trace changes in a limit is a limit or a list of mistakes.
#include "app/replay/replay_trace.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/source.h"
#include "limits/permits/refusal.h"
#include "units/check.h"

namespace {

using namespace einlass;
using app::TraceLine;
using nlohmann::json;

constexpr std::size_t kLongestMistake = 1'000;

const std::vector<std::string_view> kNames = {"log", "bucket", "window", "queue"};

limits::Limit some_limit(std::size_t index) {
  limits::Limit limit;
  limit.name = kNames[index];
  switch (index) {
    case 0:
      limit.parameters = limits::SlidingLogParameters{{100}, Duration::seconds(1)};
      break;
    case 1:
      limit.parameters = limits::TokenBucketParameters{{20, 1'000'000}, {40}};
      break;
    case 2:
      limit.parameters = limits::SlidingWindowParameters{{100}, Duration::seconds(1), 10, false};
      break;
    default:
      limit.parameters = limits::LeakyBucketParameters{{5, 1'000'000}, {10}, true};
  }
  return limit;
}

config::Config some_limits() {
  config::Config config;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    config.limits.emplace_back().limit = some_limit(i);
  }
  return config;
}

void check_changes(const TraceLine& line) {
  static const config::Config kConfig = some_limits();
  for (const TraceLine::LimitChange& change : line.limits) {
    const limits::Limit& limit = kConfig.limits[change.limit].limit;
    const auto result = config::read_value(kConfig, change.limit, change.changes, {"trace", 1, 1});
    if (const auto* mistakes = std::get_if<config::Mistakes>(&result)) {
      CHECK(!mistakes->empty());
      for (const auto& mistake : *mistakes) {
        CHECK(mistake.to_string().find('\n') == std::string::npos);
        CHECK(mistake.text.size() <= kLongestMistake);
      }
    } else {
      const auto& parameters = std::get<config::LimitValue>(result).parameters;
      CHECK(!limits::refusal(parameters, limit.cost));
      CHECK(parameters.index() == limit.parameters.index());
    }
  }
}

void check_keys(const TraceLine& line, const json& verb) {
  const json keys = verb.value("keys", json::object());
  CHECK(line.keys.size() == kNames.size());
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    CHECK(line.keys[i] == keys.value(std::string(kNames[i]), ""));
  }
}

void check_understood(const TraceLine& line, std::string_view text) {
  const json all = json::parse(text, nullptr, false);
  CHECK(all.is_object() && all.size() == 2);
  CHECK(all.at("at") == line.at.us && line.at <= app::kLatestInTrace);
  static const char* const kVerbs[] = {"acquire", "release", "ended", "peek", "limit"};
  const json& verb = all.at(kVerbs[static_cast<std::size_t>(line.verb)]);
  CHECK(verb.value("id", "") == line.id);
  switch (line.verb) {
    case TraceLine::Verb::acquire:
      CHECK(verb.value("costs", json::array()).size() == line.each.size());
      CHECK(verb.value("min", 1) == line.min);
      CHECK(line.max == (line.each.empty() ? verb.value("max", line.min) : std::ssize(line.each)));
      CHECK(line.min >= 1 && line.max >= line.min);
      CHECK(line.horizon.has_value() == verb.contains("horizon"));
      CHECK(!line.horizon || verb.at("horizon") == line.horizon->us);
      CHECK(line.costs.size() == kNames.size());
      return check_keys(line, verb);
    case TraceLine::Verb::release:
      CHECK(line.count.has_value() == verb.contains("count"));
      return CHECK(!line.count || verb.at("count") == *line.count);
    case TraceLine::Verb::peek:
      return check_keys(line, verb);
    case TraceLine::Verb::limit:
      CHECK(line.limits.size() == verb.size());
      return check_changes(line);
    case TraceLine::Verb::ended:
      return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  app::TraceReader reader(kNames);
  TraceLine out;  // Used again, so that what one line leaves behind shows in the next.
  while (!text.empty()) {
    const std::string_view line = fuzz::take_line(text);
    const auto mistake = reader.read(line, out);
    if (!mistake) {
      check_understood(out, line);
      continue;
    }
    CHECK(mistake->column >= 1 && mistake->column <= line.size() + 1);
    CHECK(!mistake->text.empty() && mistake->text.size() <= kLongestMistake);
    CHECK(mistake->text.find_first_of("\n\r") == std::string::npos);
  }
  return 0;
}
