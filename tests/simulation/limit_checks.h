// One gate's promises about when it asks: as soon as a limit has something for a line that could
// use it, and one that is short not before it said so, whichever line it was that was told.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/command.h"
#include "core/contract/event.h"
#include "draw.h"

namespace einlass::simulation {

// A gate may ask that long after a denial, whatever it said.
inline constexpr Duration kMayAsk = Duration::seconds(15);

class LimitChecks {
 public:
  explicit LimitChecks(const Settings& settings) : settings_(settings) {}

  // What the gate is told and does.
  void ask(const core::Ask& command, core::RouteId route, Instant now);
  void record_gone(core::LineId line, core::RouteId route);  // That waited.
  void answered(const core::PermitsAnswered& event, Instant now);
  void failed(const core::PermitsFailed& event, Instant now);
  // The line asks at once, but where it has just asked in vain. It may be gone by now.
  void limits_changed(const core::LimitsChanged& event, core::RouteId route, Instant now);
  void line_forgotten(core::LineId line) { lines_.erase(line); }
  // What limits said before says nothing any more.
  void begin_anew();
  void reloaded(Instant now);

  // Whether somebody's question to a limit without key of the route is open.
  bool others_ask(core::RouteId route) const;

  // After each turn: whether the line has something that could go, and no permit, and its limits
  // would grant one now.
  void check_used(core::LineId line, core::RouteId route, bool idle, Instant now,
                  const std::function<std::string()>& explain);

 private:
  using SharedKey = std::pair<std::size_t, std::size_t>;  // Store and limit.
  struct Shared {
    Instant earliest{};  // When the next permit is due, as the last answer that was short told.
    Duration ahead;      // How far ahead the limiter looked then.
    Permits cost{1};     // Of the record that it was short for: who needs less may ask before.
    Instant told{};      // From then on it is looked for something.
    std::int64_t open = 0;
  };
  struct Line {
    Instant told{};
    std::optional<Instant> idle_since{};
    bool failed = false;   // Its last ask.
    bool changed = false;  // Its limits, since its open ask was sent,
    bool all_changed = false;  // and those without a key too.
    Instant all_changed_at{};  // The last time.
    bool asking = false;
    bool at_a_change = false;  // The open ask was sent in the turn of one of all.
    bool left = false;         // A record of it, since it asked last.
    std::map<std::size_t, Instant> leaves_since{};  // Places of a limit.
    bool short_of_all = false;  // What is told comes of a limit without key.
  };
  struct Open {
    core::RouteId route;
    core::Ask ask;
  };

  std::vector<SharedKey> shared_of(core::RouteId route) const;
  bool learns(core::RouteId route, const core::Ask& ask) const;
  bool others_look_further(const SharedKey& key, Duration horizon) const;
  bool leaves_places(Line& line, core::RouteId route, Instant now) const;
  std::optional<Open> close(core::AskId ask);
  void forget_what_was_said(core::RouteId route, Instant now);

  const Settings& settings_;
  std::map<SharedKey, Shared> shared_;
  std::map<core::LineId, Line> lines_;
  std::map<core::AskId, Open> open_;
};

}  // namespace einlass::simulation
