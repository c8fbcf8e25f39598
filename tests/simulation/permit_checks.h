// One gate's promises about permits, lines and asks: none without need, none used early, late,
// twice or by another line, none kept back.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/gate/gate.h"
#include "draw.h"

namespace einlass::simulation {

class PermitChecks {
 public:
  explicit PermitChecks(const Settings& settings);

  // What the gate is told. Called before it is.
  void line_added(core::LineId line, core::RouteId route, bool keep);
  // Whether it is the ask's end, and not the same answer once more.
  bool answered(const core::PermitsAnswered& event, Instant now);
  void failed(const core::PermitsFailed& event);
  void store(core::StoreId store, bool up);
  void reloaded();  // The settings are others already.
  // The line may be gone by now.
  void limits_changed(core::LineId line);

  // What it does. `wanting`: records of the line that wait.
  void ask(const core::Ask& command, std::int64_t wanting, Instant now);
  void use(const core::Permit& permit, core::LineId line, Instant now);
  void record_gone(core::LineId line);  // That waited; the line may be gone by now.
  void release(const core::Release& command);
  void ended(const core::Ended& command, core::LineId line);
  void forget_line(core::LineId line, bool in_use);

  // Whether the line holds a permit that was due by then.
  bool holds_due(core::LineId line, Instant by) const;
  bool knows(core::LineId line) const {
    return line.value < lines_.size() && lines_[line.value].known;
  }
  // It holds none and has asked for none. REQUIRES: it is known.
  bool has_none(core::LineId line) const {
    return lines_[line.value].held == 0 && !lines_[line.value].asking;
  }
  // When it asked last. REQUIRES: it is known.
  Instant asked_at(core::LineId line) const { return lines_[line.value].asked_at; }
  // How many permits the lines of a target hold or have asked for.
  std::int64_t reserved(core::TargetId target) const;

  // After each event.
  void check(const core::Gate& gate) const;
  // No permit is kept beyond its time. REQUIRES: the gate has handled every wake-up up to `now`.
  void check_none_kept(Instant now) const;
  // Nothing is held, no question is open, and only kept lines are known.
  void check_idle() const;

  std::uint64_t asks() const { return asks_; }
  std::uint64_t used() const { return used_; }

 private:
  enum class State : std::uint8_t { held, used, released };
  struct Granted {
    Instant stamp;
    Instant due;      // On the gate's own clock.
    Instant in_turn;  // The latest of its own and its line's earlier permits.
    bool stand_in = false;
    State state = State::held;
  };
  // The gate's own lists live no longer than its ask.
  struct Question {
    core::Ask ask;
    std::vector<Permits> costs;  // Of each permit.
    std::optional<AskingFlows> flows;
    std::vector<Granted> permits;
  };
  struct Line {
    bool known = false;
    bool keep = false;
    core::RouteId route;
    bool asking = false;
    std::int64_t asked = 0;          // The last ask's max.
    Instant asked_at{};
    std::optional<Question> failed;  // Asked again before anything else.
    std::int64_t held = 0;
    Instant last_due{};
    Instant denied_at{};  // The last instant at which an ask was denied, and how often then.
    int denials = 0;
    Instant not_before{};  // Denied until then, for asks with this horizon.
    Duration denied_horizon;
    bool changed = false;  // Its limits, since its open ask was sent.
    bool left = false;     // A record of it, since it asked last.
  };
  struct Counts {
    std::uint64_t used = 0, released = 0, stood_in = 0;
    std::array<std::uint64_t, 8> rejections{};  // By limit.
  };

  const core::RouteOptions& options(const Line& line) const {
    return settings_.gate.routes[line.route.value];
  }
  void check_new(const core::Ask& command, const Line& line, std::int64_t wanting);
  static void check_again(const core::Ask& command, Line& line);
  Line& known(core::LineId line, const char* who);
  Granted& held(const core::Permit& permit, core::LineId line, const char* who);
  void settle(core::AskId ask);

  const Settings& settings_;
  std::vector<Line> lines_;
  std::map<core::AskId, Question> open_;      // Asked and not answered.
  std::map<core::AskId, Question> answered_;  // With permits that are still held.
  std::set<core::AskId> asked_;
  std::set<std::pair<core::AskId, std::uint16_t>> under_way_;  // Permits whose end limits wait for.
  std::vector<bool> store_up_;
  std::vector<Counts> counts_;  // By route.
  std::uint64_t asks_ = 0, used_ = 0;
};

}  // namespace einlass::simulation
