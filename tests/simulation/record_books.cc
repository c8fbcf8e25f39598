// What RecordChecks finds true after each event.
#include <algorithm>
#include <string>

#include "record_checks.h"
#include "trace.h"

namespace einlass::simulation {
namespace {

// The last commit of a revoked partition may be under way when
// the deadline comes, and it and one more may be slow.
constexpr Duration kGraceAfterDeadline = Duration::seconds(4);

// Probes may meet bad records, by lot.
constexpr Duration kLongestShut = Duration::seconds(3);

}  // namespace

// Partitions beyond their deadline do not count: the gate may have given them up.
void RecordChecks::check_bounds(const Owned& to, Instant now) const {
  const core::RouteOptions& options = settings_.gate.routes[to.route.value];
  require(to.records < options.inside_records, "bound_partition_records",
          std::to_string(to.records));
  require(to.bytes < options.inside_bytes.value, "bound_partition_bytes", std::to_string(to.bytes));
  std::int64_t records = 0, bytes = 0;
  for (const Owned& p : partitions_) {
    if (!p.live || (p.leaving && now >= p.deadline)) continue;
    records += p.records;
    bytes += p.bytes;
  }
  require(records < settings_.gate.inside_records, "bound_records", std::to_string(records));
  require(bytes < settings_.gate.inside_bytes.value, "bound_bytes", std::to_string(bytes));
}

void RecordChecks::check_leaving(core::PartitionId id, const Owned& p, Instant now) const {
  const std::string name = std::to_string(id.value);
  require(!p.lost, "lost_not_done", name);
  require(p.waiting == 0, "returned_at_once", name);
  require(p.deadline == kNever || now <= p.deadline + kGraceAfterDeadline, "done_late", name);
  const bool nothing_left = p.records == 0 && p.news == p.news_committed &&
                            p.next >= p.finished_to && !p.begun && !has(commit_, id, p) &&
                            !in_transaction(id, p);
  require(now >= p.deadline || !nothing_left, "done_at_once", name);
}

// In flight beyond the deadline: the gate may have given them up already, or be about to.
std::uint64_t RecordChecks::may_be_orphans(core::RouteId route, Instant now) const {
  const auto over = [now](const Owned& p) { return p.live && p.leaving && now >= p.deadline; };
  if (std::ranges::none_of(partitions_, over)) return 0;
  return static_cast<std::uint64_t>(std::ranges::count_if(records_, [&](const Shadow& shadow) {
    return shadow.state != State::absent && !shadow.known && !shadow.orphan &&
           shadow.route == route && over(partitions_[shadow.partition.value]);
  }));
}

void RecordChecks::check_books(const core::Gate& gate, core::RouteId route, Instant now) const {
  const core::RouteStats& stats = gate.stats(route);
  const Books& books = books_[route.value];
  const std::uint64_t unsure = may_be_orphans(route, now);
  const auto within = [](std::uint64_t value, std::uint64_t least, std::uint64_t more,
                         const char* name) {
    require(value >= least && value <= least + more, name,
            std::to_string(value) + ", expected " + std::to_string(least) + " to " +
                std::to_string(least + more));
  };
  within(stats.received, books.received, 0, "books_received");
  within(stats.filtered, books.filtered, 0, "books_filtered");
  within(stats.delivered, books.delivered, books.unsure, "books_delivered");
  within(stats.attempts_accepted, books.attempts[0], books.unsure_attempts, "books_attempts");
  within(stats.attempts_retry, books.attempts[1], books.unsure_attempts, "books_attempts");
  within(stats.attempts_refused, books.attempts[2], books.unsure_attempts, "books_attempts");
  std::uint64_t dead = 0;
  for (std::size_t i = 0; i < books.dead.size(); ++i) {
    within(stats.dead_lettered[i], books.dead[i], books.unsure, "books_dead_lettered");
    dead += stats.dead_lettered[i];
  }
  within(stats.inside + unsure, books.inside, unsure, "books_inside");
  const std::uint64_t gone = stats.delivered + dead + stats.returned + stats.filtered;
  require(stats.received == gone + stats.inside, "books_closed", "");
  const core::Waiting w = gate.waiting(now)[route.value];
  within(w.records[core::Cause::in_flight] + unsure, books.in_flight, unsure, "waiting_in_flight");
  std::uint64_t sum = 0;
  for (const std::uint64_t count : w.records.counts) sum += count;
  require(sum == stats.inside, "waiting_sum",
          std::to_string(sum) + " of " + std::to_string(stats.inside));
}

// Whose records stand still may not keep the others out: as long as a quarter of the gate's bounds
// is free, a partition with nothing inside is read.
void RecordChecks::check_held(std::size_t id) const {
  const Owned& p = partitions_[id];
  const bool paused = p.paused || paused_routes_.contains(p.route);
  if (p.leaving || !p.live) return;
  require(p.held || !paused, "read_while_paused", std::to_string(id));
  if (!p.held || paused) return;
  require(inside_records_ > 0, "held_for_nothing", std::to_string(id));
  std::int64_t bytes = 0;
  for (const Owned& each : partitions_) bytes += each.bytes;
  const bool free = inside_records_ * 4 < settings_.gate.inside_records * 3 &&
                    bytes * 4 < settings_.gate.inside_bytes.value * 3;
  require(p.records > 0 || !free, "held_while_empty", std::to_string(id));
}

void RecordChecks::check(const core::Gate& gate, Instant now) const {
  require(finished_unforgotten_ == 0, "forget_in_turn", std::to_string(finished_unforgotten_));
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const Owned& p = partitions_[i];
    if (!p.live) continue;
    if (p.leaving) check_leaving(core::PartitionId{static_cast<std::uint32_t>(i)}, p, now);
    check_held(i);
  }
  targets_.check(gate, now);
  batches_.check();
  check_transacted();
  for (std::size_t i = 0; i < books_.size(); ++i) {
    check_books(gate, core::RouteId{static_cast<std::uint16_t>(i)}, now);
  }
}

void RecordChecks::check_waiting(const core::Gate& gate, Instant now) const {
  std::vector<std::uint64_t> backing_off(books_.size()), early(books_.size());
  for (const Shadow& shadow : records_) {
    if (settings_.well_targets) check_not_shut(shadow, now);
    early[shadow.route.value] += shadow.state == State::waiting && shadow.early_until > now;
    check_own_time(shadow, now);
    if (shadow.state == State::waiting && !shadow.orphan && shadow.back_by > now) {
      ++backing_off[shadow.route.value];
    }
  }
  const std::vector<core::Waiting> all = gate.waiting(now);
  for (std::size_t i = 0; i < books_.size(); ++i) {
    const core::Waiting& waiting = all[i];
    // Of those that are the first of their lanes.
    const auto first = [&](core::Cause cause) {
      return waiting.records[cause] - waiting.behind[cause];
    };
    const std::uint64_t retry = first(core::Cause::retry);
    const core::TargetId target = settings_.gate.routes[i].target;
    // Where records are gathered they may wait for others.
    const bool gathers = settings_.gate.targets[target.value].batch.linger > Duration{};
    const bool room = !gathers && targets_.lets_all_through(target, now) &&
                      targets_.is_ready(target) && !commits_of(target) &&
                      in_flight_[target.value] < settings_.gate.targets[target.value].max_in_flight;
    const std::uint64_t at_target = first(core::Cause::target);
    const bool unused = at_target > 0 && room && !somebody_has_enough(target, now);
    require(!unused, "room_unused", std::to_string(at_target) + " wait for the target");
    if (room) check_places_used(target, now);
    require(first(core::Cause::not_before) <= early[i], "early_too_long",
            std::to_string(early[i]) + " may be early");
    require(
        retry <= backing_off[i], "backoff_too_long",
        std::to_string(retry) + " wait to try again, " + std::to_string(backing_off[i]) + " may");
  }
}

// A target that only fails bad records lets good ones through that could go at any time, however
// often its breaker opens and closes meanwhile.
void RecordChecks::check_not_shut(const Shadow& shadow, Instant now) const {
  const core::RouteOptions& route = settings_.gate.routes[shadow.route.value];
  const bool waits = shadow.state == State::waiting && !shadow.orphan && shadow.attempt == 0;
  if (!waits || shadow.bad || shadow.bad_key || route.limit_count > 0 ||
      route.order != core::Order::none || is_paused(shadow))
    return;
  if (partitions_[shadow.partition.value].leaving) return;
  const Instant since =
      std::max({shadow.arrived_at, shadow.early_until, targets_.good_went(route.target)});
  require(now <= since + kLongestShut, "shut_for_others", std::to_string((now - since).us) + " us");
}

// The lines that have records at a route to the target, and how many of them are under way. Without
// what is paused, which has no part of the places; and where `surely`, without those that the gate
// may have given up, for their deadline is over.
RecordChecks::LinesAtTarget RecordChecks::lines_at(core::TargetId target, Instant now,
                                                   bool surely) const {
  LinesAtTarget lines;
  for (const Shadow& shadow : records_) {
    if (shadow.state == State::absent || shadow.known) continue;
    const core::RouteOptions& route = settings_.gate.routes[shadow.route.value];
    if (route.target != target || is_paused(shadow)) continue;
    if (shadow.orphan) {
      // Its attempt's end is still to be told to its limits, and its line stays for that.
      const bool stays = !surely && shadow.state == State::sent && route.held_limits != 0;
      if (stays) lines[shadow.line] += 0;
      continue;
    }
    const Owned& p = partitions_[shadow.partition.value];
    if (surely && (shadow.state == State::finished || (p.leaving && now >= p.deadline))) continue;
    lines[shadow.line] += shadow.state == State::sent && shadow.leads ? 1 : 0;
  }
  return lines;
}

// All places divided among the lines are a line's part, and of what that leaves over it takes one
// where nobody has it yet; what it takes beyond that leaves an eighth free. Where keys or other
// routes may bring lines at any time there are two at least.
bool RecordChecks::may_have_place(core::TargetId target, const LinesAtTarget& lines,
                                  core::LineId line) const {
  const std::uint32_t most = settings_.gate.targets[target.value].max_in_flight;
  if (in_flight_[target.value] >= most) return false;  // There were more before a reload.
  const std::uint32_t room = most - in_flight_[target.value];
  std::size_t routes = 0, keyed = 0;
  for (const core::RouteOptions& route : settings_.gate.routes) {
    if (route.target != target) continue;
    ++routes;
    for (std::uint8_t i = 0; i < route.limit_count; ++i)
      keyed += (route.keyless_limits >> i & 1) == 0;
  }
  const std::size_t parts = std::max<std::size_t>(lines.size(), routes > 1 || keyed > 0 ? 2 : 1);
  const std::size_t part = most < 8 ? (most + parts - 1) / parts  // None stays free.
                                    : std::max<std::size_t>(most / parts, 1);
  std::size_t beyond = 0;
  for (const auto& [one, held] : lines) beyond += std::max<std::size_t>(held, part) - part;
  const bool left_over = lines.at(line) <= part && parts * part + beyond < most;
  return parts == 1 || lines.at(line) < part || left_over || room > most / 8;
}

// A line stands back for it has its part of the places.
bool RecordChecks::somebody_has_enough(core::TargetId target, Instant now) const {
  const LinesAtTarget lines = lines_at(target, now, false);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const auto& line) { return !may_have_place(target, lines, line.first); });
}

// Whoever has neither a limit nor a delay to wait for goes as soon as his line may have a place, be
// it for a first attempt or for another.
void RecordChecks::check_places_used(core::TargetId target, Instant now) const {
  const core::TargetOptions& options = settings_.gate.targets[target.value];
  std::optional<LinesAtTarget> lines;  // Found out once somebody asks: mostly nobody does.
  for (const Shadow& shadow : records_) {
    const core::RouteOptions& route = settings_.gate.routes[shadow.route.value];
    if (route.target != target || route.limit_count > 0 || options.batch.records > 1) continue;
    if (shadow.attempt > 0 && shadow.back_by >= now) continue;
    if (!was_ready(shadow, now)) continue;
    if (!lines) lines = lines_at(target, now, false);
    require(!may_have_place(target, *lines, shadow.line), "place_unused",
            std::to_string(shadow.line.value));
  }
}

bool RecordChecks::has_room_beyond(core::TargetId target, std::int64_t attempts,
                                   Instant now) const {
  if (!targets_.lets_all_through(target, now) || !targets_.is_ready(target)) return false;
  if (commits_of(target)) return false;
  return in_flight_[target.value] + attempts < settings_.gate.targets[target.value].max_in_flight;
}

bool RecordChecks::fresh_could_go(core::LineId line, Instant now) const {
  for (const Shadow& shadow : records_) {
    if (shadow.line != line || shadow.attempt > 0 || !was_ready(shadow, now)) continue;
    const core::TargetId target = settings_.gate.routes[shadow.route.value].target;
    return may_have_place(target, lines_at(target, now, false), line);
  }
  return false;
}

// Since before `before`: what became ready in the same event came too late.
bool RecordChecks::was_ready(const Shadow& shadow, Instant before) const {
  if (shadow.state != State::waiting || shadow.orphan || shadow.doomed || shadow.bad_key) {
    return false;
  }
  if (shadow.arrived_at > before || shadow.early_until >= before) return false;
  // Whoever stands in for its limits could never pay for it. Until it is asked for again, 30 s
  // later (docs/outages.md), it misses no turn: others go, and its flow has no claim to what they
  // take.
  if (shadow.perhaps_aside_until >= before) return false;
  if (resumed_at_ > before) return false;
  if (is_paused(shadow)) return false;
  const Owned& p = partitions_[shadow.partition.value];
  if (!p.live || p.leaving || is_hopeless(shadow)) return false;
  if (!is_first(shadow)) return false;
  const auto moved = p.lane_moved.find(shadow.lane);
  return moved == p.lane_moved.end() || moved->second <= before;
}

bool RecordChecks::is_paused(const Shadow& shadow) const {
  return paused_routes_.contains(shadow.route) || paused_lines_.contains(shadow.line);
}

// A record of its line that cost no more was denied for good.
bool RecordChecks::is_hopeless(const Shadow& shadow) const {
  return shadow.cost >= hopeless_from_[shadow.line.value];
}

// Of its lane, or without one.
bool RecordChecks::is_first(const Shadow& shadow) const {
  const auto& lanes = partitions_[shadow.partition.value].lanes;
  const auto lane = lanes.find(shadow.lane);
  if (lane == lanes.end() || !lane->second.contains(shadow.offset)) return true;
  return *lane->second.begin() == shadow.offset;
}

// Whose time is over leaves at once, if nobody stands before it.
void RecordChecks::check_own_time(const Shadow& shadow, Instant now) const {
  if (now < shadow.expires) return;
  if (shadow.state != State::waiting || shadow.orphan || shadow.doomed) return;
  const Owned& p = partitions_[shadow.partition.value];
  if (!p.live || p.leaving || !is_first(shadow)) return;
  throw Failure("expired_waits", std::to_string((now - shadow.expires).us));
}

void RecordChecks::check_shares(const PermitChecks& permits, Instant now) {
  for (const Beyond& retry : beyond_) {
    // The fresh records may be those of a line that has as many places as it may; or of one that
    // has its part, and comes after those that have none, and by then the target was not ready.
    const bool stood_back =
        somebody_has_enough(retry.target, now) || !targets_.is_ready(retry.target);
    for (const Shadow& shadow : records_) {
      if (shadow.attempt > 0 || !was_ready(shadow, retry.before)) continue;
      const core::RouteOptions& options = settings_.gate.routes[shadow.route.value];
      if (options.target != retry.target || options.cost_varies) continue;
      const bool same = shadow.line == retry.line;
      require(!same || !retry.in_line, "retry_share_in_line", std::to_string(retry.line.value));
      const bool due = options.limit_count == 0 || permits.holds_due(shadow.line, retry.by);
      if (same || !was_ready(shadow, retry.by)) continue;
      require(!retry.among_lines || !due || stood_back, "retry_share_among_lines",
              std::to_string(retry.line.value) + " before " + std::to_string(shadow.line.value));
    }
  }
  beyond_.clear();
}

}  // namespace einlass::simulation
