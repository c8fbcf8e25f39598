// Reads records from Kafka and says what happens to their partitions.
//
// One consumer of one group. Each assigned partition has a queue of its own that is simply not
// read while the gate holds it: `pause` would throw the prefetch away and cost half a second to
// undo. Rebalances arrive as events, so nothing blocks while the gate drains. Messages are taken
// one at a time, because the batch call of librdkafka below 2.13.2 loses them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/client/group_offsets.h"
#include "adapters/kafka/client/message.h"
#include "adapters/kafka/client/options.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::kafka {

// Offsets of a topic that were never read, by the reason.
struct SkippedOffsets {
  std::uint64_t retention = 0;  // Kafka had deleted them, by age or size, before it was their turn.
  std::uint64_t recreated = 0;  // The same in a log that replaced the one we read.
  std::uint64_t reset = 0;      // Kafka had them still, but OffsetReset::latest passed them over.
};

// How many topics have numbers of their own; those of later ones add up under this name, which no
// topic can have.
inline constexpr std::size_t kMostTopicsCounted = 10'000;
inline constexpr std::string_view kOtherTopics = "(others)";

// What /v1/status, /readyz and the metrics show of the source.
struct SourceStatus {
  struct Partition {
    core::PartitionId partition;
    std::string topic;
    PartitionNumber number;
    bool held = false;
    bool revoking = false;
    bool waiting = false;  // Where to begin is not known yet, so it is not the gate's.
    std::string stuck;     // Why it is not read before somebody decides; empty if it is.
    Offset committed{-1};  // What the group has, as far as we know; -1 if nothing.
    // Offsets from there to the log's end, as Kafka said in the last seconds; none before that.
    std::optional<std::uint64_t> lag{};
    // When Kafka was asked, which is long ago while it is away; none where that is not known yet.
    std::optional<Instant> lag_asked{};
    std::optional<Offset> log_start{};  // The first offset that Kafka still has; as above.
  };
  bool joined = false;  // Has (or had) an assignment since the last trouble, even an empty one.
  bool brokers_down = false;  // Every broker is out of reach.
  std::string trouble;        // The last error that still stands; empty if none.
  // Partitions that the group has taken away without asking, since the start.
  std::uint64_t lost = 0;
  std::vector<Partition> partitions;
  // By topic: those that were read since the start.
  std::map<std::string, SkippedOffsets> offsets_skipped;
  // By topic: for how long Kafka keeps records, where it does not keep them for ever and this login
  // may know.
  std::map<std::string, Duration> retention{};
  std::set<std::string> missing_topics{};  // Of those that routes read or give dead letters to.
};

// Where a shard's records come from, and who is told what became of them.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  // Called once, before poll(), but not where it is to leave before it has begun: becomes a member
  // of the group, and begins to read. Before that nobody's partitions move for this source. Throws
  // std::runtime_error if librdkafka refuses the topics. A source without a group has nothing to
  // do.
  virtual void join() {}

  // Takes what is ready, at most `budget` messages (fewer where some have more than 4 KiB or 64
  // headers), without waiting: messages to the sink, assignments, revocations and commit results to
  // the events. Partitions take turns.
  virtual void poll(Instant now, int budget) = 0;

  // True if poll() would find something at once. When false, the io_context wakes up when that
  // changes.
  virtual bool has_more() const = 0;

  // Reads a partition no further, at once, or reads on.
  virtual void hold(core::PartitionId partition) = 0;
  virtual void read(core::PartitionId partition) = 0;

  // Commits asynchronously; ends as core::CommitEnded. REQUIRES: none is open.
  virtual void commit(std::span<const core::CommitEntry> entries) = 0;

  // The same for a transaction of somebody else's producer, who says how it has ended. None where
  // it would be refused. REQUIRES: no commit with one of these partitions is open.
  virtual std::optional<GroupOffsets> offsets_for(std::span<const core::CommitEntry>) {
    return std::nullopt;
  }

  // Said once of each that got its offsets. Where nobody knows what became of them, the partitions
  // are lost to the gate, and given to it anew from what the group has.
  virtual void transaction_ended(std::span<const core::CommitEntry>, TransactionEnd) {}

  // The gate is through with a revoked or lost partition. When it is through with all of them,
  // they are unassigned. One that the group has not taken away, as where its log was replaced,
  // comes back as another assignment.
  virtual void partition_done(core::PartitionId partition) = 0;

  // Another policy from now on, also for the partitions that are stuck. A source that is told where
  // to begin has no use for it.
  virtual void set_offset_reset(OffsetReset) {}

  // Of revocations from here on. REQUIRES: check_configuration() takes it.
  virtual void set_revoke_timeout(Duration) {}

  // The dead letter topics that are looked for from here on, instead of those before. A source
  // that looks for none has no use for them.
  virtual void set_dead_letters(std::vector<std::string>) {}

  // Commits what is left to commit and leaves. Waits at most `patience`.
  // REQUIRES: every partition is done. Nothing but status() may be called afterwards.
  virtual void close(Duration patience) = 0;

  // For people: `results partition 3`. REQUIRES: the partition is not yet unassigned.
  virtual std::string name_of(core::PartitionId partition) const = 0;
  // REQUIRES: as above.
  virtual const std::string& topic_of(core::PartitionId partition) const = 0;

  virtual SourceStatus status() const = 0;
};

// The topics of the routes, as one member of the consumer group; a static member that leaves keeps
// its place. REQUIRES: used on the thread that runs `io`; outlived by `io`, `events` and `sink`.
class Source final : public RecordSource {
 public:
  // Starts to connect. Throws std::runtime_error, with the property at fault, if librdkafka
  // refuses the configuration. Trouble with brokers, topics or logins is never an exception: it
  // goes to `notify` and status(), and is tried again for ever.
  Source(boost::asio::io_context& io, SourceOptions options, core::Events& events,
         MessageSink& sink, Notify notify);
  ~Source() override;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void join() override;
  void poll(Instant now, int budget) override;
  bool has_more() const override;
  void hold(core::PartitionId partition) override;
  void read(core::PartitionId partition) override;
  void commit(std::span<const core::CommitEntry> entries) override;
  std::optional<GroupOffsets> offsets_for(std::span<const core::CommitEntry> entries) override;
  void transaction_ended(std::span<const core::CommitEntry> entries, TransactionEnd end) override;
  void partition_done(core::PartitionId partition) override;
  void set_offset_reset(OffsetReset policy) override;
  void set_revoke_timeout(Duration timeout) override;
  void set_dead_letters(std::vector<std::string> topics) override;
  void close(Duration patience) override;
  std::string name_of(core::PartitionId partition) const override;
  const std::string& topic_of(core::PartitionId partition) const override;
  SourceStatus status() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
