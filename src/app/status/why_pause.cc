#include "app/status/why_pause.h"

#include <utility>
#include <vector>

#include "app/steering/entry_json.h"
#include "text/utc_text.h"

namespace einlass::app {
namespace {

using Kind = Subject::Kind;

std::optional<HoldingPause> first_of(const std::vector<Subject>& subjects, const FindPause& find) {
  for (const Subject& one : subjects) {
    if (auto steer = find ? find(one) : std::nullopt) return HoldingPause{one, std::move(*steer)};
  }
  return std::nullopt;
}

std::vector<Subject> of_route(core::RouteId id, const config::Config& config) {
  const config::Route& route = config.routes[id.value];
  return {{Kind::route, route.name, {}}, {Kind::target, config.targets[route.target].name, {}}};
}

}  // namespace

std::optional<HoldingPause> pause_of(const WaitingRecord& record, const config::Config& config,
                                     const FindPause& find) {
  if (record.standing.waits != core::WaitsFor::pause) return std::nullopt;
  std::vector<Subject> subjects = of_route(record.standing.route, config);
  const auto& limits = config.routes[record.standing.route.value].limits;
  for (std::size_t i = 0; i < limits.size() && i < record.keys.size(); ++i) {
    subjects.push_back({Kind::tenant, config.limits[limits[i]].limit.name, record.keys[i]});
  }
  return first_of(subjects, find);
}

std::optional<HoldingPause> pause_of_partition(const std::string& topic, core::RouteId route,
                                               const config::Config& config,
                                               const FindPause& find) {
  std::vector<Subject> subjects = of_route(route, config);
  subjects.push_back({Kind::topic, topic, {}});
  return first_of(subjects, find);
}

std::string pause_in_words(const HoldingPause& pause) {
  const Steer& steer = pause.steer;
  std::string text = to_text(pause.subject) + " is paused";
  if (!steer.by.empty()) text += " by " + steer.by;
  if (steer.since_ms > 0) text += " since " + utc_text(steer.since_ms);
  if (steer.until_ms) text += " until " + utc_text(*steer.until_ms);
  return steer.note.empty() ? text : text + ": " + steer.note;
}

nlohmann::ordered_json pause_json(const std::optional<HoldingPause>& pause) {
  return pause ? entry_json(pause->subject, pause->steer) : nlohmann::ordered_json(nullptr);
}

}  // namespace einlass::app
