// One gate's promises about shares: by level, and within a level by weight, against what a fluid
// would give over every stretch. Written from docs/shares.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/contract/flow.h"
#include "core/contract/ids.h"

namespace einlass::simulation {

class FlowChecks {
 public:
  // A record of those that compete. `surely`: it could have gone at once, and nothing is known that
  // forbids it; else it may be that the gate had to leave it out.
  struct Waiting {
    core::FlowMark flow;
    bool surely = false;
  };

  // A record of that flow goes at that cost, of `most_cost` at most, before the others that wait.
  void sent(core::LineId line, const core::ShareOptions& share, const core::FlowMark& flow,
            std::int64_t cost, std::int64_t most_cost, std::span<const Waiting> waiting);

  // What goes from the line is another's choice for now.
  void begin_anew(core::LineId line) { lines_.erase(line); }

 private:
  // A value that goes up and down, and the most that it has risen over any stretch.
  class Course {
   public:
    double add(double step) {
      now_ += step;
      least_ = std::min(least_, now_);
      return now_ - least_;
    }

   private:
    double now_ = 0, least_ = 0;
  };
  using Flow = std::pair<std::uint8_t, core::FlowKey>;  // With its level.
  struct Line {
    std::map<Flow, Course> behind;                // Less than its weight's part.
    std::map<std::uint8_t, Course> kept_too_few;  // By level.
    std::map<std::uint8_t, Course> overtaken;     // By lower levels, beyond what these keep.
  };
  struct Level {
    std::map<core::FlowKey, std::uint16_t> surely;
    std::set<core::FlowKey> all;
    std::uint64_t possibly = 0;  // The weights of all.
  };
  using Levels = std::map<std::uint8_t, Level>;

  static Levels levels_of(std::span<const Waiting> waiting);
  static void end_courses(Line& line, const Levels& levels);
  static void check_weights(Line& line, const Levels& levels, const core::FlowMark& flow,
                            double cost, double bound);
  static void check_levels(Line& line, const core::ShareOptions& share, const Levels& levels,
                           std::uint8_t taken, double cost, double most_cost);

  std::map<core::LineId, Line> lines_;
};

}  // namespace einlass::simulation
