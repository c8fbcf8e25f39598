// What RecordChecks says of each command.
#include <algorithm>
#include <string>

#include "record_checks.h"
#include "trace.h"

namespace einlass::simulation {
namespace {

// How long after a partition's deadline its last commit is waited for.
constexpr Duration kLastCommitPatience = Duration::seconds(3);

// Where costs differ permits are asked for with certain records in mind, so whoever comes then
// waits for those: the bound on what a flow is behind is so many times as wide. (Not where all
// cost 1.)
constexpr std::int64_t kAskedBefore = 4;

std::string text(core::RecordId id) {
  return "record " + std::to_string(id.slot) + " use " + std::to_string(id.use);
}

}  // namespace

void RecordChecks::check_lane(const Shadow& shadow) const {
  const auto& lanes = partitions_[shadow.partition.value].lanes;
  const auto lane = lanes.find(shadow.lane);
  if (lane == lanes.end() || !lane->second.contains(shadow.offset)) return;
  for (const Offset before : lane->second) {
    if (before == shadow.offset) return;
    const auto is_before = [&](const Shadow& other) {
      return other.state == State::sent && !other.orphan && other.partition == shadow.partition &&
             other.offset == before && other.request == shadow.request;
    };
    require(std::any_of(records_.begin(), records_.end(), is_before), "order_in_lane",
            "offset " + std::to_string(shadow.offset.value) + " leaves before " +
                std::to_string(before.value));
  }
}

void RecordChecks::send(const core::Send& command, const PermitChecks& permits, Instant now) {
  Shadow* shadow = find(command.record);
  require(shadow && !shadow->orphan, "send_unknown_record", text(command.record));
  require(shadow->state == State::waiting, "one_attempt_at_a_time", text(command.record));
  Owned& p = owned(shadow->partition, "send");
  require(!p.leaving, "send_after_revoke", text(command.record));
  require(!shadow->doomed, "send_dead_letter", text(command.record));
  require(command.attempt.value == shadow->attempt + 1, "attempt_number",
          std::to_string(command.attempt.value));
  const core::RouteOptions& options = settings_.gate.routes[shadow->route.value];
  require(!shadow->spent, "attempts_bound", std::to_string(command.attempt.value));
  require(!shadow->bad_key, "send_bad_key", text(command.record));
  require(now >= shadow->early_until, "send_early", text(command.record));
  require(now < shadow->expires, "send_expired", text(command.record));
  require(now >= shadow->not_before, "record_waits",
          std::to_string((shadow->not_before - now).us) + " us");
  require(!options.dead_letter || shadow->outcome != core::Outcome::refused || shadow->together > 1,
          "send_refused", text(command.record));
  require(command.target == options.target, "target", std::to_string(command.target.value));
  shadow->leads = batches_.send(command, {shadow->partition, shadow->offset, shadow->size,
                                          shadow->name_size, shadow->most_together});
  shadow->request = batches_.number();
  if (shadow->leads) check_first(command, *shadow, now);
  targets_.sent(command.target, shadow->size);
  transactions_[command.target.value].request = shadow->request;
  check_lane(*shadow);
  check_share(*shadow, permits, now);
  check_flows(*shadow, now);
  const core::Permit& permit = command.permit;
  const bool its = permit.flow == shadow->flow.in_fleet && permit.flow_level == shadow->flow.level;
  // A probe may be another's.
  require(!permit.flow || its || !targets_.lets_all_through(options.target, now), "permit_of_flow",
          text(command.record));
  if (!shadow->bad) targets_.good_went(command.target, now);
  shadow->state = State::sent;
  shadow->sent_at = now;
  shadow->attempt = command.attempt.value;
  ++books_[shadow->route.value].in_flight;
  --p.waiting, --line_waiting_[shadow->line.value];
}

// A request takes a place.
void RecordChecks::check_first(const core::Send& command, const Shadow& shadow, Instant now) {
  std::uint32_t& in_flight = in_flight_[command.target.value];
  require(in_flight < settings_.gate.targets[command.target.value].max_in_flight, "bound_in_flight",
          std::to_string(in_flight));
  check_places(shadow, now);
  targets_.send(command.target, command.record, now);
  ++in_flight;
}

// Nobody takes more than his part of a target's places where that leaves too few to those who come.
void RecordChecks::check_places(const Shadow& shadow, Instant now) const {
  const core::TargetId target = settings_.gate.routes[shadow.route.value].target;
  if (!targets_.lets_all_through(target, now)) return;
  const LinesAtTarget surely = lines_at(target, now, true);
  require(may_have_place(target, surely, shadow.line), "share_of_places",
          std::to_string(surely.at(shadow.line)) + " of its own, " +
              std::to_string(in_flight_[target.value]) + " in all");
}

// Whether a fresh record could have gone instead is seen when the event is over. The permit of a
// probe was asked for by the line whose turn it was then.
void RecordChecks::check_share(const Shadow& shadow, const PermitChecks& permits, Instant now) {
  const core::RouteOptions& options = settings_.gate.routes[shadow.route.value];
  const bool retry = shadow.attempt > 0;
  const std::int64_t saved = core::SharedCredit::kMostSaved + permits.reserved(options.target);
  // Under a limit that all gates share by flows a retry is its flow's like any other record.
  if (retry && options.fleet_limits != 0) return;
  // Where costs vary the permit in hand may fit nothing but a retry.
  const bool among = targets_.pays(options.target, retry, saved) || options.cost_varies;
  const bool within = targets_.pays_in_line(options.target, shadow.line, retry);
  if (among && within) return;
  const bool probes = options.limit_count > 0 && !targets_.lets_all_through(options.target, now);
  // Where events share an instant it does not say in which of them a record became ready.
  const Instant before = std::min(settled_, now - Duration{1});
  const Instant asked = permits.asked_at(shadow.line) - Duration{1};
  const Instant by = probes ? std::min(asked, before) : before;
  beyond_.push_back({shadow.line, options.target, !within, !among, before, by});
}

// Where records behind others go with these, and where a target is probed, it is not the share that
// chooses; nor among retries, where these have a part of their own.
void RecordChecks::check_flows(const Shadow& shadow, Instant now) {
  const core::RouteOptions& options = settings_.gate.routes[shadow.route.value];
  const core::TargetOptions& target = settings_.gate.targets[options.target.value];
  const bool together = target.batch.records > 1 && options.order != core::Order::none;
  if (!options.share.on() || together) return;
  if (options.fleet_limits != 0) return;  // Who is next the limiter says.
  if (!targets_.lets_all_through(options.target, now)) return flows_.begin_anew(shadow.line);
  if (shadow.attempt > 0 && target.retry_share < 100) return;
  std::vector<FlowChecks::Waiting> waiting;
  for (const Shadow& other : records_) {
    if (&other == &shadow || other.line != shadow.line || other.orphan) continue;
    if (other.state != State::waiting) continue;
    if (other.attempt > 0 && target.retry_share < 100) continue;
    waiting.push_back({other.flow, other.attempt == 0 && was_ready(other, settled_)});
  }
  const std::int64_t most = settings_.routes[shadow.route.value].most_cost;
  const std::int64_t most_cost = options.cost_varies && most > 1 ? kAskedBefore * most : 1;
  flows_.sent(shadow.line, options.share, shadow.flow, shadow.cost, most_cost, waiting);
}

void RecordChecks::dead_letter(const core::DeadLetter& command, Instant now) {
  Shadow* shadow = find(command.record);
  require(shadow && !shadow->orphan, "dead_letter_unknown_record", text(command.record));
  require(shadow->state == State::waiting, "dead_letter_once", text(command.record));
  const core::RouteOptions& options = settings_.gate.routes[shadow->route.value];
  require(options.dead_letter, "dead_letter_without_topic", text(command.record));
  // One that was refused in a request with others need not wait for those that failed.
  const bool together = settings_.gate.targets[options.target.value].batch.records > 1;
  if (!together || shadow->attempt == 0) check_lane(*shadow);
  if (shadow->doomed) {
    require(command.reason == shadow->reason, "dead_letter_reason", "changed");
  } else if (command.reason == core::DeadLetterReason::refused ||
             command.reason == core::DeadLetterReason::too_large) {
    require(shadow->outcome == core::Outcome::refused && shadow->together == 1,
            "dead_letter_reason", "refused");
    const bool too_large = command.reason == core::DeadLetterReason::too_large;
    require(too_large == shadow->too_large, "dead_letter_reason", "too_large");
  } else if (command.reason == core::DeadLetterReason::attempts) {
    require(shadow->spent, "dead_letter_reason", "attempts");
  } else if (command.reason == core::DeadLetterReason::expired) {
    require(now >= shadow->expires, "dead_letter_reason", "expired");
  } else if (command.reason == core::DeadLetterReason::bad_key) {
    require(shadow->bad_key && shadow->attempt == 0, "dead_letter_reason", "bad_key");
  } else {
    require(is_hopeless(*shadow), "dead_letter_reason", "never");
  }
  if (!shadow->doomed) --line_waiting_[shadow->line.value];
  shadow->doomed = true;
  shadow->reason = command.reason;
  shadow->state = State::dead_lettering;
  --partitions_[shadow->partition.value].waiting;
  ++books_[shadow->route.value].in_flight;
}

void RecordChecks::forget(core::RecordId record) {
  Shadow* shadow = find(record);
  require(shadow, "forget_once", text(record));
  require(shadow->state != State::sent && shadow->state != State::dead_lettering,
          "forget_in_flight", text(record));
  const Owned& p = partitions_[shadow->partition.value];
  if (shadow->known) {
    --finished_unforgotten_, --open_records_;
    shadow->state = State::absent;
    return;
  }
  const bool given_back = shadow->state != State::finished;
  if (given_back) {
    require(p.live && p.leaving, "forget_unfinished", text(record));
  } else {
    --finished_unforgotten_;
  }
  left(*shadow);
  --open_records_;
  shadow->state = State::absent;
  if (given_back) end_claims(*shadow);
}

// Of its level, if it was the last there that waited: what the level had a claim to is over.
void RecordChecks::end_claims(const Shadow& gone) {
  if (!settings_.gate.routes[gone.route.value].share.on()) return;
  const auto same = [&](const Shadow& other) {
    return other.state == State::waiting && !other.orphan && other.line == gone.line &&
           other.flow.level == gone.flow.level;
  };
  if (std::ranges::none_of(records_, same)) flows_.begin_anew(gone.line);
}

// Out of the partition's and the gate's bounds and of the line. Done once: by an orphan when it
// becomes one.
void RecordChecks::left(Shadow& shadow) {
  if (shadow.orphan) return;
  Owned& p = partitions_[shadow.partition.value];
  --p.records, --inside_records_;
  p.bytes -= shadow.size.value;
  --line_records_[shadow.line.value];
  --books_[shadow.route.value].inside;
  if (shadow.state != State::waiting) return;
  --p.waiting;
  if (!shadow.doomed) --line_waiting_[shadow.line.value];
}

void RecordChecks::hold(core::PartitionId partition) {
  Owned& p = owned(partition, "hold");
  require(!p.held, "hold_twice", std::to_string(partition.value));
  p.held = true;
}

void RecordChecks::read(core::PartitionId partition) {
  Owned& p = owned(partition, "read");
  require(p.held, "read_twice", std::to_string(partition.value));
  require(!p.leaving, "read_after_revoke", std::to_string(partition.value));
  p.held = false;
}

void RecordChecks::commit(const core::Commit& command) {
  require(!commit_.open, "one_commit", "a commit is open");
  require(!command.entries.empty(), "commit_empty", "");
  commit_ = {true, {}, command.entries};
  for (Owned& p : partitions_) p.before_commit = p.live;
  for (const core::CommitEntry& entry : command.entries) {
    const Owned& p = owned(entry.partition, "commit");
    require(!p.lost, "commit_lost", std::to_string(entry.partition.value));
    require(!p.fenced, "commit_fenced", std::to_string(entry.partition.value));
    const bool may_go = p.begun && !in_transaction(entry.partition, p);
    require(may_go || !transactions_[target_of(p.route).value].open, "commit_during_transaction",
            std::to_string(entry.partition.value));
    require(
        entry.next <= p.finished_to, "commit_unfinished",
        std::to_string(entry.next.value) + ", finished to " + std::to_string(p.finished_to.value));
    add_entry(commit_, entry, p.news);
    check_finished(p, entry);
  }
}

// Each partition once, with something new.
void RecordChecks::add_entry(Sent& to, const core::CommitEntry& entry, std::uint64_t news) const {
  const Owned& p = partitions_[entry.partition.value];
  require(entry.next >= p.next, "commit_backwards", std::to_string(entry.next.value));
  require(p.begun || entry.next > p.next || entry.finished != p.finished, "commit_nothing_new",
          std::to_string(entry.next.value) + " " + entry.finished);
  require(entry.finished.size() <= settings_.gate.most_finished_text, "commit_too_long",
          entry.finished);
  for (const InCommit& other : to.entries) {
    require(other.partition != entry.partition, "commit_partition_twice", "");
  }
  to.entries.push_back(
      {entry.partition, target_of(p.route), p.use, entry.next, entry.finished, news});
}

// Whatever is finished above the offset is named, and nothing else.
void RecordChecks::check_finished(const Owned& p, const core::CommitEntry& entry) {
  const auto ranges = core::read_finished(entry.next, entry.finished);
  require(ranges.has_value(), "finished_text", entry.finished);
  const auto named = [&](Offset offset) {
    const auto range = std::ranges::upper_bound(*ranges, offset, {}, &core::OffsetRange::end);
    return offset < entry.next || (range != ranges->end() && range->first <= offset);
  };
  for (const Arrival& arrival : p.arrivals) {
    if (arrival.unsure || named(arrival.offset) == arrival.finished) continue;
    throw Failure("finished_as_it_is",
                  std::to_string(arrival.offset.value) + " in " + entry.finished);
  }
  for (const core::OffsetRange& range : p.known) {
    if (range.end <= Offset{p.newest.value + 1}) continue;
    const Offset first{std::max(range.first.value, p.newest.value + 1)};
    require(named(first) && named(Offset{range.end.value - 1}), "finished_before_is_kept",
            std::to_string(first.value) + " in " + entry.finished);
  }
}

void RecordChecks::partition_done(core::PartitionId partition, Instant now) {
  Owned& p = owned(partition, "end");
  const std::string name = std::to_string(partition.value);
  require(p.leaving, "done_unasked", name);
  require(p.waiting == 0, "done_with_records", name);
  // A gate that stood still for longer may find that the group waits no more.
  if (!p.lost && now < p.deadline + kLastCommitPatience) {
    require(!has(commit_, partition, p), "done_before_commit_ended", name);
    require(p.fenced || !in_transaction(partition, p), "done_before_transaction_ended", name);
    if (now < p.deadline) {
      require(p.records == 0, "done_in_flight", name);
      require(p.fenced || (p.next >= p.finished_least && !p.begun), "done_uncommitted", name);
      require(p.fenced || p.news_committed == p.news, "done_uncommitted_ahead", name);
    }
  }
  for (Shadow& shadow : records_) {
    if (shadow.state == State::absent || shadow.orphan || shadow.partition != partition) continue;
    left(shadow);
    shadow.orphan = true;
    Books& books = books_[shadow.route.value];
    if (shadow.state != State::finished) --books.in_flight;
  }
  p.live = false;
}

void RecordChecks::stopped() {
  require(stopping_, "stopped_unasked", "");
  for (const Owned& p : partitions_) require(!p.live, "stopped_before_done", "");
  stopped_ = true;
}

}  // namespace einlass::simulation
