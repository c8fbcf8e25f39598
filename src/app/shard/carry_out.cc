// What each of the gate's commands comes to.
#include <cstdint>
#include <utility>
#include <variant>

#include "app/record/dead_record.h"
#include "app/record/record_notices.h"
#include "app/shard/shard.h"

namespace einlass::app {
namespace {

// That one flow fills a partition is said so seldom: it may be so for as long as the flow lasts.
constexpr Duration kBetweenHints = Duration::seconds(600);

// Calls `visit` with the flow and the level of each record inside.
template <class Visit>
void for_each_flow(const core::Gate& gate, core::PartitionId id, Visit visit) {
  gate.partition(id)->ledger.for_each_unfinished([&](core::Slot slot) {
    const core::Record* const record = gate.record(slot);
    if (record == nullptr || record->partition != id) return;
    visit(std::pair(record->flow.key, record->flow.level));
  });
}

// Whether more than nine tenths of the records inside are of one flow and level. A vote finds the
// only one that may have so many (Boyer and Moore). REQUIRES: the partition is there.
bool is_of_one_flow(const core::Gate& gate, core::PartitionId id) {
  std::pair<core::FlowKey, std::uint8_t> most;
  std::int64_t votes = 0, of_most = 0, all = 0;
  for_each_flow(gate, id, [&](const auto& flow) {
    if (votes == 0) most = flow;
    votes += flow == most ? 1 : -1;
  });
  for_each_flow(gate, id, [&](const auto& flow) {
    of_most += flow == most;
    ++all;
  });
  return of_most * 10 > all * 9;
}

}  // namespace

void Shard::carry_out(const core::Command& command) {
  if (wants_debug()) debug_notices_.note(command, *config_, *source_);
  std::visit([this](const auto& it) { carry_out(it); }, command);
}

void Shard::carry_out(const core::Send& command) {
  records_.bring_up_to_date(command.record);
  StoredRecord& record = records_[command.record];
  ++record.attempts;
  record.began = now_;
  const bool limited = !config_->routes[record.route.value].limits.empty();
  // Those that went before in this turn have taken their time.
  if (limited) gate_.note_lateness(record.route, now() - command.due);
  targets_[command.target].send(record, command, limited);
  shadows_.sent(command, record);
}

void Shard::carry_out(const core::Forget& command) {
  if (tracing_) tracing_->forgotten(command.record, records_[command.record], now_);
  if (dead_letters_) dead_letters_->forget(command.record);
  uncounted_.forget(command.record);
  records_.forget(command.record);
}

void Shard::carry_out(const core::Ask& command) { limiters_.ask(command, now_); }
void Shard::carry_out(const core::Release& command) { limiters_.release(command, now_); }
void Shard::carry_out(const core::Ended& command) { limiters_.ended(command, now_); }
void Shard::carry_out(const core::ForgetLine& command) { limiters_.forget(command.line); }

void Shard::carry_out(const core::DeadLetter& command) {
  const StoredRecord& record = records_[command.record];
  const config::Route& route = config_->routes[record.route.value];
  if (tracing_) tracing_->dead_letter(command.record, name_of(command.reason));
  notify_(dead_lettered(record, route.name, name_of(command.reason), route.dead_letter));
  dead_letters_->put(DeadRecordBuilder(record, command, route).record());
}

void Shard::carry_out(const core::PartitionHold& command) {
  source_->hold(command.partition);
  if (command.reason == core::PartitionHoldReason::ledger_full) tell_ledger_full(command.partition);
  if (command.reason != core::PartitionHoldReason::partition_full) return;
  tell_if_early(command.partition);
  tell_if_of_one_flow(command.partition);
}

// Said, for there may be records behind these that could go at once, and are not read.
void Shard::tell_if_early(core::PartitionId id) {
  const auto waits = [](const config::Route& route) { return route.not_before.has_value(); };
  if (std::ranges::none_of(config_->routes, waits)) return;
  // It may be gone by now, by an event of the same turn.
  const core::Partition* const partition = gate_.partition(id);
  if (partition == nullptr) return;
  if (gate_.early(id) * 2 < static_cast<std::uint64_t>(partition->records)) return;
  notify_({Severity::warning, "partition_held_by_not_before",
           source_->name_of(id) +
               " is read no further: it has as many records inside as its route allows, and most "
               "of them wait for their not_before, or behind one that does; a larger "
               "inside.records, or a topic of their own, lets others pass"});
}

// Said, for a share divides among the records inside: whose records are behind these has no part.
void Shard::tell_if_of_one_flow(core::PartitionId id) {
  const core::Partition* const partition = gate_.partition(id);
  if (partition == nullptr || now_ < next_flow_hint_) return;
  if (!config_->routes[partition->route.value].share || !is_of_one_flow(gate_, id)) return;
  next_flow_hint_ = now_ + kBetweenHints;
  ++counts_.filled_by_flow;
  notify_({Severity::info, "partition_held_by_flow",
           source_->name_of(id) +
               " is read no further: it has as many records inside as its route allows, and nearly "
               "all are of one flow of its share, so flows behind them have no part; partition by "
               "flow, give a class of records its own topic, or raise inside.records"});
}

// Said, for it looks as if the gate had stopped: the target must take what stands before.
void Shard::tell_ledger_full(core::PartitionId partition) {
  notify_(
      {Severity::warning, "partition_held_by_ledger",
       source_->name_of(partition) +
           " is read no further: " + std::to_string(core::Intake::kMostLedgerSpan) +
           " records were read after its oldest unfinished one, or so many are unfinished that a "
           "commit could not name all that finish before these; it goes on when older records "
           "finish"});
}

void Shard::carry_out(const core::Read& command) { source_->read(command.partition); }
void Shard::carry_out(const core::Commit& command) { source_->commit(command.entries); }

void Shard::carry_out(const core::Transact& command) {
  auto offsets = source_->offsets_for(command.entries);
  const bool joins = offsets.has_value();
  // The entries live until the gate hears of the first attempt's end, and that comes after this.
  auto ended = [this, joins, entries = command.entries](kafka::TransactionEnd end) {
    if (!joins) return;
    counts_.note(end);
    source_->transaction_ended(entries, end);
  };
  targets_.transact(command.target, std::move(offsets), std::move(ended));
}

void Shard::carry_out(const core::PartitionDone& command) {
  source_->partition_done(command.partition);
}

void Shard::carry_out(const core::Stopped&) { stopped_ = true; }

}  // namespace einlass::app
