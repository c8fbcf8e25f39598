#include "permit_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "limit_checks.h"
#include "trace.h"

namespace einlass::simulation {
namespace {

// At one instant a line may be denied once without and once with a horizon, and once more because
// a store came back; more is spinning.
constexpr int kDenialsAtOnce = 4;

// How much further than its route's horizon a permit for a costly record may lie ahead.
constexpr Duration kReach = Duration::seconds(30);

std::string text(const core::Permit& permit) {
  return "permit " + std::to_string(permit.index) + " of ask " + std::to_string(permit.ask.value);
}

std::vector<Permits> costs_of(const core::Ask& ask) {
  if (ask.costs.empty())
    return std::vector<Permits>(static_cast<std::size_t>(ask.max.value), ask.cost);
  return {ask.costs.begin(), ask.costs.end()};
}

std::optional<AskingFlows> flows_of(const core::Ask& ask) {
  return ask.flows == nullptr ? std::nullopt : std::optional(*ask.flows);
}

bool alike(const AskingFlow& a, const AskingFlow& b) {
  return a.id == b.id && a.level == b.level && a.weight == b.weight && a.records == b.records &&
         a.served == b.served;
}

bool alike(const std::optional<AskingFlows>& a, const std::optional<AskingFlows>& b) {
  if (!a || !b) return !a && !b;
  return a->levels == b->levels && a->keep == b->keep && a->epoch == b->epoch &&
         a->time == b->time && a->rest == b->rest && a->wish == b->wish &&
         std::ranges::equal(a->flows, b->flows,
                            [](const auto& one, const auto& other) { return alike(one, other); });
}

}  // namespace

PermitChecks::PermitChecks(const Settings& settings)
    : settings_(settings), store_up_(settings.gate.stores, true), counts_(settings.routes.size()) {}

PermitChecks::Line& PermitChecks::known(core::LineId line, const char* who) {
  require(line.value < lines_.size() && lines_[line.value].known, "line_unknown",
          std::string(who) + " of line " + std::to_string(line.value));
  return lines_[line.value];
}

void PermitChecks::line_added(core::LineId line, core::RouteId route, bool keep) {
  if (lines_.size() <= line.value) lines_.resize(line.value + 1);
  require(!lines_[line.value].known, "world", "a line's id is given out twice");
  lines_[line.value] = Line{};
  lines_[line.value].known = true;
  lines_[line.value].keep = keep;
  lines_[line.value].route = route;
}

void PermitChecks::store(core::StoreId store, bool up) {
  store_up_[store.value] = up;
  // A store that comes back may have been emptied: asking anew is no waste.
  for (Line& line : lines_) {
    if (options(line).store == store) line.not_before = Instant{};
  }
}

// What waits looks again at once.
void PermitChecks::reloaded() {
  for (Line& line : lines_) {
    line.not_before = Instant{};
    line.changed = line.asking;
  }
}

// It asks at once, and so it does after an answer that was under way.
void PermitChecks::limits_changed(core::LineId id) {
  if (!knows(id)) return;
  Line& line = lines_[id.value];
  line.not_before = Instant{};
  line.denials = 0;
  line.changed = line.asking;
}

void PermitChecks::record_gone(core::LineId line) {
  if (knows(line)) lines_[line.value].left = true;
}

void PermitChecks::ask(const core::Ask& command, std::int64_t wanting, Instant now) {
  Line& line = known(command.line, "ask");
  require(!line.asking, "one_ask_of_a_line", std::to_string(command.line.value));
  require(options(line).limit_count > 0, "ask_without_limits", std::to_string(command.line.value));
  require(store_up_[options(line).store.value], "ask_while_down",
          std::to_string(command.line.value));
  if (command.again) {
    check_again(command, line);
  } else {
    check_new(command, line, wanting);
  }
  // Where costs differ it was denied for one record, and the next may cost less. What is asked
  // again was judged the first time.
  const bool for_another = command.again || (options(line).cost_varies && line.left);
  require(now >= line.not_before || command.horizon != line.denied_horizon || for_another,
          "ask_before_retry", std::to_string((line.not_before - now).us) + " us");
  line.asking = true;
  line.left &= command.again;  // It is for the same records.
  ++asks_;
  line.asked = command.max.value;
  line.asked_at = now;
  open_[command.ask] = Question{command, costs_of(command), flows_of(command), {}};
}

void PermitChecks::check_new(const core::Ask& command, const Line& line, std::int64_t wanting) {
  require(!line.failed, "failed_ask_again", std::to_string(command.ask.value));
  require(asked_.insert(command.ask).second, "ask_id_once", std::to_string(command.ask.value));
  require(command.min.value >= 1 && command.min <= command.max, "ask_amount",
          std::to_string(command.min.value));
  const core::RouteOptions& route = options(line);
  // One permit for a costly record may be booked further ahead.
  const bool alone = route.cost_varies && route.limit_count == 1 && command.max.value == 1;
  const Duration most = alone && route.horizon > Duration{} ? route.horizon + kReach : route.horizon;
  require(command.horizon.us >= 0 && command.horizon <= most, "ask_horizon",
          std::to_string(command.horizon.us));
  require(command.costs.empty() || (std::ssize(command.costs) == command.max.value &&
                                    command.costs.front() == command.cost),
          "ask_costs", std::to_string(command.ask.value));
  require(command.max.value + line.held <= wanting, "ask_more_than_wanted",
          std::to_string(command.max.value) + " and " + std::to_string(line.held) + " held, for " +
              std::to_string(wanting) + " records");
}

// The same in every number, so that the limiter can give the same answer.
void PermitChecks::check_again(const core::Ask& command, Line& line) {
  require(line.failed.has_value(), "asked_again", std::to_string(command.ask.value));
  require(line.failed->costs == costs_of(command), "asked_again_costs",
          std::to_string(command.ask.value));
  require(alike(line.failed->flows, flows_of(command)), "asked_again_flows",
          std::to_string(command.ask.value));
  const core::Ask& before = line.failed->ask;
  require(before.ask == command.ask && before.min == command.min && before.max == command.max &&
              before.horizon == command.horizon && before.cost == command.cost,
          "asked_again_alike", std::to_string(command.ask.value));
  line.failed.reset();
}

bool PermitChecks::answered(const core::PermitsAnswered& event, Instant now) {
  const auto at = open_.find(event.ask);
  if (at == open_.end()) return false;  // The same answer once more.
  Question question = std::move(at->second);
  open_.erase(at);
  Line& line = known(question.ask.line, "answer");
  line.asking = false;
  if (line.denied_at != now) line.denials = 0;
  line.denied_at = now;
  line.denials += event.due.empty();
  if (event.due.empty()) ++counts_[line.route.value].rejections[event.reason.value];
  // Each attempt that ends is a reason to ask at once, and each record that nothing could pay for.
  const core::RouteOptions& route = options(line);
  const bool one_less = !event.retry && (route.dead_letter || route.cost_varies);
  require(line.denials <= kDenialsAtOnce || route.held_limits != 0 || one_less, "spins_on_denials",
          std::to_string(event.line.value));
  // Of a limit without key another line may have been told something else since: see LimitChecks.
  const bool foretold = event.due.empty() && event.retry &&
                        ((route.held_limits | route.keyless_limits) >> event.reason.value & 1) == 0;
  const bool old = std::exchange(line.changed, false);
  line.not_before = foretold && !old ? now + std::min(*event.retry, kMayAsk) : Instant{};
  line.denied_horizon = question.ask.horizon;
  if (event.due.empty()) return true;
  // A line's permits come due in their order: one whose answer came faster than the one before it
  // may wait for that one. It is still used within the other's delay and use_within.
  Instant last = line.held > 0 ? line.last_due : Instant{};
  for (const Duration due : event.due) {
    last = std::max(last, now + due);
    question.permits.push_back({event.limiter_now + due, now + due, last, event.stand_in});
  }
  line.last_due = last;
  line.held += static_cast<std::int64_t>(event.due.size());
  answered_[event.ask] = std::move(question);
  return true;
}

void PermitChecks::failed(const core::PermitsFailed& event) {
  const auto at = open_.find(event.ask);
  require(at != open_.end(), "world", "an ask ends twice");
  Line& line = known(at->second.ask.line, "failure");
  line.asking = false;
  line.failed = std::move(at->second);
  open_.erase(at);
}

PermitChecks::Granted& PermitChecks::held(const core::Permit& permit, core::LineId line,
                                          const char* who) {
  const auto at = answered_.find(permit.ask);
  require(at != answered_.end(), "permit_held", std::string(who) + " of " + text(permit));
  require(at->second.ask.line == line, "permit_of_line", text(permit));
  require(permit.index < at->second.permits.size(), "permit_index", text(permit));
  Granted& granted = at->second.permits[permit.index];
  require(granted.state == State::held, "permit_once", text(permit));
  require(permit.stamp == granted.stamp, "permit_stamp", text(permit));
  require(permit.stand_in == granted.stand_in, "permit_stand_in", text(permit));
  require(permit.cost == at->second.costs[permit.index], "permit_cost", text(permit));
  return granted;
}

void PermitChecks::use(const core::Permit& permit, core::LineId id, Instant now) {
  Line& line = known(id, "use");
  if (options(line).limit_count == 0) {
    require(permit.stamp == Instant{}, "permit_without_limits", text(permit));
    return;
  }
  Granted& granted = held(permit, id, "use");
  require(now >= granted.due, "permit_early", std::to_string((granted.due - now).us) + " us");
  const Instant last = granted.in_turn + options(line).use_within;
  require(now <= last, "permit_late", std::to_string((now - last).us) + " us");
  granted.state = State::used;
  if (options(line).held_limits != 0) under_way_.insert({permit.ask, permit.index});
  ++used_;
  --line.held;
  ++counts_[line.route.value].used;
  counts_[line.route.value].stood_in += granted.stand_in;
  settle(permit.ask);
}

void PermitChecks::release(const core::Release& command) {
  Line& line = known(command.line, "release");
  held(command.permit, command.line, "release").state = State::released;
  --line.held;
  ++counts_[line.route.value].released;
  line.not_before = Instant{};  // What it gave back it may have again.
  settle(command.permit.ask);
}

void PermitChecks::ended(const core::Ended& command, core::LineId line) {
  require(command.line == line, "ended_line", text(command.permit));
  require(options(known(line, "end of an attempt")).held_limits != 0, "ended_for_nobody",
          text(command.permit));
  require(under_way_.erase({command.permit.ask, command.permit.index}) == 1, "ended_once",
          text(command.permit));
}

void PermitChecks::settle(core::AskId ask) {
  const auto at = answered_.find(ask);
  const std::vector<Granted>& permits = at->second.permits;
  const bool held = std::any_of(permits.begin(), permits.end(),
                                [](const Granted& p) { return p.state == State::held; });
  if (!held) answered_.erase(at);
}

void PermitChecks::forget_line(core::LineId id, bool in_use) {
  Line& line = known(id, "end");
  const std::string name = std::to_string(id.value);
  require(!line.keep, "forget_kept_line", name);
  require(!in_use, "forget_line_with_records", name);
  require(!line.asking, "forget_line_asking", name);
  require(line.held == 0, "forget_line_with_permits", name);
  line.known = false;
}

void PermitChecks::check(const core::Gate& gate) const {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const core::RouteStats& stats = gate.stats(core::RouteId{static_cast<std::uint16_t>(i)});
    require(stats.stood_in == counts_[i].stood_in, "books_stood_in",
            std::to_string(stats.stood_in));
    for (std::size_t j = 0; j < stats.limits.size(); ++j) {
      const core::LimitStats& limit = stats.limits[j];
      require(limit.rejections == counts_[i].rejections[j], "books_rejections",
              std::to_string(limit.rejections) + " of limit " + std::to_string(j));
      require(limit.admissions == counts_[i].used, "books_admissions",
              std::to_string(limit.admissions) + ", used " + std::to_string(counts_[i].used));
      require(limit.released == counts_[i].released, "books_released",
              std::to_string(limit.released) + ", released " + std::to_string(counts_[i].released));
    }
  }
}

void PermitChecks::check_none_kept(Instant now) const {
  for (const auto& [ask, question] : answered_) {
    const Duration use_within = options(lines_[question.ask.line.value]).use_within;
    for (const Granted& permit : question.permits) {
      require(permit.state != State::held || now <= permit.in_turn + use_within, "permit_kept_back",
              "ask " + std::to_string(ask.value) + ", due " +
                  std::to_string((now - permit.in_turn).us) + " us ago");
    }
  }
}

void PermitChecks::check_idle() const {
  require(open_.empty(), "idle_asks", std::to_string(open_.size()));
  require(answered_.empty(), "idle_permits", std::to_string(answered_.size()));
  require(under_way_.empty(), "idle_attempts", std::to_string(under_way_.size()));
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    require(!lines_[i].known || lines_[i].keep, "idle_line",
            "line " + std::to_string(i) + " is not forgotten");
  }
}

bool PermitChecks::holds_due(core::LineId line, Instant by) const {
  // Those of one slot leave at its end.
  const std::int64_t slot = std::max<std::int64_t>(1, options(lines_[line.value]).slot.us);
  const Instant ended{by.us / slot * slot};
  for (const auto& [id, question] : answered_) {
    if (question.ask.line != line) continue;
    for (const Granted& granted : question.permits) {
      if (granted.state == State::held && granted.in_turn <= ended) return true;
    }
  }
  return false;
}

std::int64_t PermitChecks::reserved(core::TargetId target) const {
  std::int64_t sum = 0;
  for (const Line& line : lines_) {
    if (line.known && options(line).target == target) sum += line.held + line.asking * line.asked;
  }
  return sum;
}

}  // namespace einlass::simulation
