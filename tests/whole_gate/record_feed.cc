#include "whole_gate/record_feed.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "whole_gate/plan.h"

namespace einlass::whole {
namespace {

// Behind the deadline of a handover: the last commit, which is tried again for 3 s where it fails
// (src/core/gate/handover.cc).
constexpr Micros kLastCommit = 500'000;
constexpr Micros kLastCommitThatFails = 3'100'000;

}  // namespace

RecordFeed::RecordFeed(Kernel& kernel, Judge& judge, Group& group,
                       const std::vector<Origin>& origins, boost::asio::io_context& io,
                       core::Events& events, kafka::MessageSink& sink)
    : kernel_(kernel),
      judge_(judge),
      group_(group),
      io_(io),
      events_(events),
      sink_(sink),
      origins_(origins),
      readings_(group.partitions.size()) {}

RecordFeed::~RecordFeed() { *alive_ = false; }

void RecordFeed::wake() {
  boost::asio::post(io_, [] {});
}

void RecordFeed::later(Micros delay, std::function<void()> what) {
  kernel_.after(delay, [this, alive = alive_, what = std::move(what)] {
    if (*alive) what();
  });
}

void RecordFeed::join() {
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    later(kernel_.between(0, 50'000), [this, i] { assign(i); });
  }
}

void RecordFeed::assign(std::size_t partition) {
  const Group::Partition& group = group_.partitions[partition];
  Reading& reading = readings_[partition];
  const int assignments = reading.assignments + 1;
  reading = {};
  reading.assignments = assignments;
  reading.assigned = true;
  reading.next = group.next;
  reading.finished = core::read_finished(Offset{group.next}, group.finished)
                         .value_or(decltype(reading.finished){});
  events_.push_back(
      core::PartitionAssigned{.partition = core::PartitionId{static_cast<std::uint32_t>(partition)},
                              .route = core::RouteId{origins_[partition].route},
                              .next = Offset{group.next},
                              .finished = reading.finished});
  kernel_.trace("assigned " + std::to_string(partition) + "@" + std::to_string(group.next));
  wake();
}

void RecordFeed::take_away(std::size_t partition) {
  Reading& reading = readings_[partition];
  if (!reading.known || reading.revoked) return;
  reading.revoked = true;
  kernel_.trace("revoked " + std::to_string(partition));
  const Instant deadline{kernel_.now() + kernel_.between(0, 3'000'000)};
  events_.push_back(
      core::PartitionRevoked{core::PartitionId{static_cast<std::uint32_t>(partition)}, deadline});
  const Micros patience = group_.commits_fail ? kLastCommitThatFails : kLastCommit;
  later(deadline.us - kernel_.now() + patience, [&reading, number = reading.assignments] {
    if (reading.assigned && reading.assignments == number) {
      throw Broken("a partition is kept beyond the deadline of its handover");
    }
  });
  wake();
}

void RecordFeed::partition_done(core::PartitionId partition) {
  Reading& reading = at(partition);
  if (!reading.revoked) {  // The gate is stopping.
    reading.assigned = false;
    return;
  }
  reading.assigned = false;
  judge_.forgets_uncommitted(static_cast<int>(partition.value));
  later(kernel_.between(0, 500'000), [this, partition] { assign(partition.value); });
}

bool RecordFeed::can_read(std::size_t partition) const {
  const Reading& reading = readings_[partition];
  return reading.assigned && !reading.revoked && !reading.held &&
         reading.next < group_.partitions[partition].written;
}

bool RecordFeed::has_more() const {
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    if (can_read(i)) return true;
  }
  return false;
}

// The gate hears of an assignment before it gets a record of it.
void RecordFeed::poll(Instant, int budget) {
  for (int idle = 0; budget > 0 && idle < static_cast<int>(readings_.size()); ++idle) {
    turn_ = (turn_ + 1) % readings_.size();
    if (!readings_[turn_].known) {
      readings_[turn_].known = readings_[turn_].assigned;
      continue;
    }
    if (!can_read(turn_)) continue;
    hand_on(turn_);
    --budget;
    idle = -1;
  }
}

void RecordFeed::hand_on(std::size_t partition) {
  const std::int64_t offset = readings_[partition].next++;
  const auto number = static_cast<int>(partition);
  const Record& record = judge_.read({number, offset});
  const Origin& origin = origins_[partition];
  kafka::Message message;
  message.topic = origin.topic;
  message.partition = core::PartitionId{static_cast<std::uint32_t>(partition)};
  message.number = PartitionNumber{origin.number};
  message.read_at = message.offset = Offset{offset};
  message.timestamp_ms = kernel_.now() / 1'000;
  if (record.key) message.key = *record.key;
  if (record.value) message.value = *record.value;
  const kafka::Header units{kUnits, record.units};
  if (record.units) message.headers = {&units, 1};
  sink_.take(message);
}

void RecordFeed::commit(std::span<const core::CommitEntry> entries) {
  const Micros there = kernel_.between(100, 30'000);
  const bool fails = group_.commits_fail && kernel_.one_in(6);
  const bool is_heard = !fails || kernel_.one_in(2);
  later(there, [this, fails, is_heard, entries] {
    if (is_heard) {
      for (const core::CommitEntry& entry : entries) {
        Group::Partition& partition = group_.partitions[entry.partition.value];
        partition.next = entry.next.value;
        partition.finished = entry.finished;
        std::vector<std::pair<std::int64_t, std::int64_t>> finished;
        const auto ranges = core::read_finished(entry.next, entry.finished);
        if (!ranges) throw Broken("no ranges: " + entry.finished);
        for (const core::OffsetRange& one : *ranges) {
          finished.emplace_back(one.first.value, one.end.value);
        }
        judge_.committed(static_cast<int>(entry.partition.value), entry.next.value, finished);
      }
    }
    events_.push_back(
        core::CommitEnded{fails ? core::CommitResult::failed : core::CommitResult::committed});
    wake();
  });
}

}  // namespace einlass::whole
