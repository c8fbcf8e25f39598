#include <algorithm>
#include <string>
#include <utility>

#include "adapters/kafka/client/message_view.h"
#include "adapters/kafka/source/source_state.h"

namespace einlass::kafka {

int Source::State::read(Partition& partition, int budget) {
  int count = 0;
  while (count < budget && partition.readable()) {
    const MessageHandle message(rd_kafka_consume_queue(partition.queue.get(), 0));
    if (message == nullptr) {
      assignment.empty(partition);
      break;
    }
    count += budget_of(*message);
    if (!admit(partition, *message)) continue;
    const Message read =
        message_of(*message, partition.id, partition.topic, partition.number, headers);
    count += budget_of(read.headers);
    sink.take(read);
  }
  if (sleeps_when_full && count > 0) keep_fetching(partition);
  return count;
}

// Below 2.2 a broker's thread whose partitions' queues are all full sleeps for up to a second,
// however soon they are empty again (later versions have fetch.queue.backoff.ms). Anything that it
// is asked to send wakes it: when a queue is half empty and Kafka has more, it is asked for
// metadata, and nobody waits for the answer.
void Source::State::keep_fetching(Partition& partition) {
  constexpr Duration kLeastGap = Duration::millis(5);
  if (now - woken < kLeastGap) return;
  const std::size_t queued = rd_kafka_queue_length(partition.queue.get());
  partition.most_queued = std::max(partition.most_queued, queued);
  std::int64_t low = 0, high = 0;
  if (2 * queued >= partition.most_queued ||
      rd_kafka_get_watermark_offsets(client, partition.topic.c_str(), partition.number.value, &low,
                                     &high) != RD_KAFKA_RESP_ERR_NO_ERROR ||
      high - partition.next <= static_cast<std::int64_t>(queued)) {
    return;
  }
  woken = now;
  // Larger messages may never fill it so far again.
  partition.most_queued -= partition.most_queued / 8;
  const struct rd_kafka_metadata* unused = nullptr;
  if (!rd_kafka_metadata(client, 0, nullptr, &unused, 0)) rd_kafka_metadata_destroy(unused);
}

// Whether the message is the gate's to have. Almost always it is the next one; offsets may be
// missing, after compaction or a transaction. One that was here already comes once more where its
// partition was told anew where to begin just when it was read.
bool Source::State::admit(Partition& partition, const rd_kafka_message_t& message) {
  const bool passed = message.offset >= 0 && message.offset < partition.next;
  if (message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
    // One that is passed is of the time before the partition was told where to begin.
    if (!passed && partition.finding == Finding::read) positions.out_of_range(partition, now);
    main_ready = true;
    return false;
  }
  if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    assignment.set_forbidden(partition, false);
    if (!passed) reached_end(partition, Offset{message.offset});
    return false;
  }
  if (message.err) {
    assignment.set_forbidden(partition,
                             message.err == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    Trouble trouble = explain(message.err, false, rd_kafka_message_errstr(&message),
                              error_context(partition.topic));
    if (partition.forbidden) {
      trouble.lasts = Lasts::passing;  // It stands at the partition.
    } else {
      trouble.detail =
          partition.name() + " cannot be read on now, and is tried again: " + trouble.detail;
    }
    tell(trouble);
    return false;
  }
  assignment.set_forbidden(partition, false);
  if (passed) return false;
  partition.next = message.offset + 1;
  return true;
}

// What a transaction leaves at the end of a log is no record: without this, nobody would ever
// commit beyond it, and it would count as lag, or as lost once Kafka deletes it.
void Source::State::reached_end(Partition& partition, Offset end) {
  if (partition.finding != Finding::read || end.value == partition.next) return;
  partition.next = end.value;
  events.push_back(core::PartitionMoved{partition.id, end});
}

}  // namespace einlass::kafka
