#include "adapters/kafka/reader/topic_lookup.h"

#include <chrono>
#include <stdexcept>

#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/questions/log_edges.h"

namespace einlass::kafka {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Between two tries of what a broker could not answer now.
constexpr int kTryAgainMs = 100;

struct LookUpError : std::runtime_error {
  explicit LookUpError(rd_kafka_resp_err_t what)
      : std::runtime_error(rd_kafka_err2str(what)), code(what) {}
  rd_kafka_resp_err_t code;
};

void require(rd_kafka_resp_err_t error) {
  if (error) throw LookUpError(error);
}

// A broker that has just become somebody's leader or coordinator, or no longer is: soon it is over.
bool passes(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
      return true;
    default:
      return false;
  }
}

// One patience for several questions.
class Deadline {
 public:
  explicit Deadline(Duration patience)
      : end_(SteadyClock::now() + std::chrono::microseconds(patience.us)) {}

  bool over() const { return SteadyClock::now() >= end_; }

  // In milliseconds, as librdkafka wants it; never 0, which would mean not to wait at all.
  int left() const {
    const auto rest = end_ - SteadyClock::now();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(rest).count();
    return ms > 0 ? static_cast<int>(ms) : 1;
  }

 private:
  SteadyClock::time_point end_;
};

template <class Question>
auto ask(rd_kafka_t* client, const Deadline& deadline, Question question) {
  const QueueHandle silent(rd_kafka_queue_new(client));
  while (true) {
    try {
      return question();
    } catch (const LookUpError& error) {
      if (!passes(error.code) || deadline.over()) throw;
    }
    EventHandle(rd_kafka_queue_poll(silent.get(), kTryAgainMs));
  }
}

int count_partitions(rd_kafka_t* client, const std::string& topic, int patience_ms) {
  const TopicHandle handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  if (handle == nullptr) require(rd_kafka_last_error());
  const struct rd_kafka_metadata* metadata = nullptr;
  require(rd_kafka_metadata(client, 0, handle.get(), &metadata, patience_ms));
  auto error = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  int partitions = 0;
  if (metadata->topic_cnt > 0) {
    error = metadata->topics[0].err;
    partitions = metadata->topics[0].partition_cnt;
  }
  rd_kafka_metadata_destroy(metadata);
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    throw std::runtime_error("there is no such topic");
  }
  require(error);
  return partitions;
}

ListHandle new_list(const std::string& topic, std::span<const PartitionNumber> partitions,
                    std::int64_t offset) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const PartitionNumber number : partitions) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), number.value)->offset = offset;
  }
  return list;
}

std::vector<Offset> edges_of(rd_kafka_t* client, const std::string& topic,
                             std::span<const PartitionNumber> partitions, std::int64_t which,
                             const Deadline& deadline) {
  const ListHandle list = new_list(topic, partitions, which);
  require(look_up_edge(client, which, list.get(), deadline.left()));
  std::vector<Offset> edges;
  for (const auto& entry : elements(list.get())) {
    require(entry.err);
    edges.push_back(Offset{entry.offset});
  }
  return edges;
}

void add_committed(rd_kafka_t* client, const std::string& topic,
                   std::span<const PartitionNumber> numbers, int patience_ms,
                   std::vector<PartitionState>& states) {
  const ListHandle list = new_list(topic, numbers, RD_KAFKA_OFFSET_INVALID);
  require(rd_kafka_committed(client, list.get(), patience_ms));
  for (const auto& entry : elements(list.get())) {
    require(entry.err);
    if (entry.offset < 0) continue;
    PartitionState& state = states[static_cast<std::size_t>(entry.partition)];
    state.committed = Offset{entry.offset};
    if (entry.metadata_size > 0) {
      state.metadata.assign(static_cast<const char*>(entry.metadata), entry.metadata_size);
    }
  }
}

}  // namespace

std::vector<PartitionState> look_up_topic(rd_kafka_t* client, const std::string& topic,
                                          Duration patience) {
  const Deadline deadline(patience);
  return ask(client, deadline, [&] {
    std::vector<PartitionNumber> numbers;
    const int count = count_partitions(client, topic, deadline.left());
    for (std::int32_t number = 0; number < count; ++number) {
      numbers.push_back(PartitionNumber{number});
    }
    const auto firsts = edges_of(client, topic, numbers, RD_KAFKA_OFFSET_BEGINNING, deadline);
    const auto ends = edges_of(client, topic, numbers, RD_KAFKA_OFFSET_END, deadline);
    std::vector<PartitionState> states;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      states.push_back({numbers[i], firsts[i], ends[i], Offset{-1}, {}});
    }
    add_committed(client, topic, numbers, deadline.left(), states);
    return states;
  });
}

std::vector<std::optional<Offset>> look_up_offsets(rd_kafka_t* client, const std::string& topic,
                                                   std::int64_t time_ms,
                                                   std::span<const PartitionNumber> partitions,
                                                   Duration patience) {
  const Deadline deadline(patience);
  return ask(client, deadline, [&] {
    const ListHandle list = new_list(topic, partitions, time_ms);
    require(rd_kafka_offsets_for_times(client, list.get(), deadline.left()));
    std::vector<std::optional<Offset>> found;
    for (const auto& entry : elements(list.get())) {
      require(entry.err);
      found.push_back(entry.offset < 0 ? std::nullopt : std::optional(Offset{entry.offset}));
    }
    return found;
  });
}

}  // namespace einlass::kafka
