#include "flow_checks.h"

#include <string>

#include "trace.h"

namespace einlass::simulation {
namespace {

// In permits of the highest cost: two where nobody comes and goes, three where somebody does; and
// two for a level, whoever does (docs/shares.md).
constexpr double kMostBehind = 3, kMostKept = 2;

}  // namespace

FlowChecks::Levels FlowChecks::levels_of(std::span<const Waiting> waiting) {
  Levels levels;
  for (const Waiting& one : waiting) {
    Level& level = levels[one.flow.level];
    if (level.all.insert(one.flow.key).second) level.possibly += one.flow.weight;
    if (one.surely) level.surely[one.flow.key] = one.flow.weight;
  }
  return levels;
}

// Of those that have nothing ready any more: what they may have missed is nobody's debt.
void FlowChecks::end_courses(Line& line, const Levels& levels) {
  std::erase_if(line.behind, [&](const auto& entry) {
    const auto& [its_level, key] = entry.first;
    const auto level = levels.find(its_level);
    return level == levels.end() || !level->second.surely.contains(key);
  });
  for (auto* courses : {&line.kept_too_few, &line.overtaken}) {
    std::erase_if(*courses, [&](const auto& entry) {
      const auto level = levels.find(entry.first);
      return level == levels.end() || level->second.surely.empty();
    });
  }
}

void FlowChecks::check_weights(Line& line, const Levels& levels, const core::FlowMark& flow,
                               double cost, double bound) {
  const auto level = levels.find(flow.level);
  if (level == levels.end()) return;
  const bool waits_too = level->second.all.contains(flow.key);
  const double weights =
      static_cast<double>(level->second.possibly + (waits_too ? 0 : flow.weight));
  for (const auto& [key, weight] : level->second.surely) {
    const double part = cost * weight / weights;
    const double behind = line.behind[{flow.level, key}].add(part - (key == flow.key ? cost : 0));
    require(behind < bound, "share_of_flow",
            "level " + std::to_string(flow.level) + " flow " + std::to_string(key.value) + " is " +
                std::to_string(behind) + " behind");
  }
}

void FlowChecks::check_levels(Line& line, const core::ShareOptions& share, const Levels& levels,
                              std::uint8_t taken, double cost, double most_cost) {
  const double keep = cost * share.keep / 100;
  std::uint8_t first = 0;  // That surely has something.
  while (first < share.levels && !(levels.contains(first) && !levels.at(first).surely.empty())) {
    ++first;
  }
  double kept = 0;
  for (std::uint8_t i = first + 1; i < share.levels; ++i) kept += levels.contains(i) ? keep : 0;
  for (std::uint8_t i = 0; i < share.levels; ++i) {
    if (i > first) line.overtaken.erase(i);
    if (!levels.contains(i) || levels.at(i).surely.empty()) continue;
    const double too_few = line.kept_too_few[i].add(i == 0 ? 0 : keep - (taken == i ? cost : 0));
    require(too_few < kMostKept * most_cost, "level_keeps", "level " + std::to_string(i));
    if (i > first) continue;
    const double overtaken = line.overtaken[i].add((taken > i ? cost : 0) - kept);
    require(overtaken < kMostBehind * most_cost * share.levels, "level_first",
            "level " + std::to_string(i));
  }
}

void FlowChecks::sent(core::LineId id, const core::ShareOptions& share, const core::FlowMark& flow,
                      std::int64_t cost, std::int64_t most_cost, std::span<const Waiting> waiting) {
  Line& line = lines_[id];
  const Levels levels = levels_of(waiting);
  const auto most = static_cast<double>(most_cost);
  end_courses(line, levels);
  check_weights(line, levels, flow, static_cast<double>(cost), kMostBehind * most);
  check_levels(line, share, levels, flow.level, static_cast<double>(cost), most);
}

}  // namespace einlass::simulation
