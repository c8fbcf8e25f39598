#include <algorithm>

#include "adapters/kafka/client/login.h"
#include "adapters/kafka/client/message_view.h"
#include "adapters/kafka/reader/topic_reader_state.h"

namespace einlass::kafka {

int TopicReader::State::take(Partition& partition, int budget, MessageSink& sink) {
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
    if (partition.next >= ends[partition.id.value]) end(partition);
  }
  return count;
}

// Whether the message is one of those to be read. Offsets that are missing before it were compacted
// away, or were no records; of what is deleted librdkafka tells.
bool TopicReader::State::admit(Partition& partition, const rd_kafka_message_t& message) {
  const std::int64_t stop_at = ends[partition.id.value];
  const bool passed = message.offset >= 0 && message.offset < partition.next;
  const bool out_of_range = message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET;
  if (out_of_range || message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    // One that is passed is of the time before the partition was told to read on elsewhere.
    const Doubt why = out_of_range ? Doubt::out_of_range : Doubt::ended_early;
    if (!passed) doubt(partition, why, message.offset);
    return false;
  }
  if (message.err) {
    tell(explain(message.err, false, rd_kafka_message_errstr(&message),
                 {options.brokers, options.group, {}, partition.topic}));
    return false;
  }
  if (passed) return false;
  if (message.offset >= stop_at) {
    end(partition);
    return false;
  }
  partition.next = message.offset + 1;
  doubts[partition.id.value] = Doubt::none;
  return true;
}

// Everything up to the end of its range was read.
void TopicReader::State::end(Partition& partition) {
  if (partition.phase != Phase::reading) return;
  partition.next = std::max(partition.next, ends[partition.id.value]);
  read_no_further(partition);
}

void TopicReader::State::read_no_further(Partition& partition) {
  if (partition.phase != Phase::reading) return;
  partition.phase = Phase::done;
  --open;
}

// ---- what librdkafka says ----

void TopicReader::State::serve_main_queue() {
  while (const EventHandle event{rd_kafka_queue_poll(queue.get(), 0)}) serve(event.get());
  main_ready = false;
}

void TopicReader::State::serve(rd_kafka_event_t* event) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_OFFSET_COMMIT:
      serve_commit(error_of(event));
      break;
    case RD_KAFKA_EVENT_ERROR:
      serve_error(event);
      break;
    case RD_KAFKA_EVENT_LOG:
      if (const auto trouble = explain_log(event)) tell(*trouble);
      break;
    default:
      break;
  }
}

void TopicReader::State::serve_commit(rd_kafka_resp_err_t error) {
  commit_open = false;
  commit_result = !error;
  metadata_refused |= error == RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE;
  if (!error) return troubles.connection_works();
  Trouble trouble =
      explain(error, false, rd_kafka_err2str(error), {options.brokers, options.group, {}, {}});
  trouble.detail = "the progress was not committed: " + trouble.detail;
  tell(trouble);
}

void TopicReader::State::serve_error(rd_kafka_event_t* event) {
  const char* reason = rd_kafka_event_error_string(event);
  if (options.login && is_refused_login(rd_kafka_event_error(event))) {
    options.login->was_refused();
  }
  tell(explain(rd_kafka_event_error(event), rd_kafka_event_error_is_fatal(event) != 0,
               reason == nullptr ? "" : reason,
               {options.brokers, options.group, {}, options.topic}));
}

void TopicReader::State::tell(const Trouble& trouble) {
  if (troubles.add(trouble, now)) notify({trouble.severity, trouble.what, trouble.detail});
}

}  // namespace einlass::kafka
