#include "adapters/kafka/lookup.h"

#include <boost/asio/post.hpp>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "adapters/kafka/handles.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

constexpr int kPatienceMs = 2000;  // For one call.

// One whose leader is away costs its whole patience. After so many of them the rest is left for
// the next question.
constexpr int kMostFailures = 3;

ListHandle list_of(std::span<const Position* const> positions) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const Position* position : positions) {
    rd_kafka_topic_partition_list_add(list.get(), position->topic.c_str(), position->number.value);
  }
  return list;
}

void look_up_committed(rd_kafka_t* client, std::span<Position* const> positions) {
  if (positions.empty()) return;
  const ListHandle list = list_of(positions);
  const auto error = rd_kafka_committed(client, list.get(), kPatienceMs);
  for (Position* position : positions) {
    const rd_kafka_topic_partition_t* found = rd_kafka_topic_partition_list_find(
        list.get(), position->topic.c_str(), position->number.value);
    position->error = error ? error : found->err;
    if (position->error || found->offset < 0) continue;
    position->committed = Offset{found->offset};
    if (found->metadata_size == 0) continue;
    position->metadata.assign(static_cast<const char*>(found->metadata), found->metadata_size);
  }
}

// The logs' beginnings or ends, in one call for all of them. False if some could not be had.
bool look_up_edge(rd_kafka_t* client, std::int64_t which, std::span<Position* const> positions,
                  std::vector<Offset>& edges) {
  const ListHandle list = list_of(positions);
  for (int i = 0; i < list->cnt; ++i) list->elems[i].offset = which;
  if (rd_kafka_offsets_for_times(client, list.get(), kPatienceMs)) return false;
  edges.clear();
  for (const Position* position : positions) {
    const rd_kafka_topic_partition_t* found = rd_kafka_topic_partition_list_find(
        list.get(), position->topic.c_str(), position->number.value);
    if (found->err || found->offset < 0) return false;
    edges.push_back(Offset{found->offset});
  }
  return true;
}

bool look_up_all_logs(rd_kafka_t* client, std::span<Position* const> positions) {
  std::vector<Offset> starts, ends;
  if (!look_up_edge(client, RD_KAFKA_OFFSET_BEGINNING, positions, starts) ||
      !look_up_edge(client, RD_KAFKA_OFFSET_END, positions, ends)) {
    return false;
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i]->log = LogBounds{starts[i], ends[i]};
  }
  return true;
}

// One without a leader spoils the call for all of them: then each by itself.
void look_up_logs(rd_kafka_t* client, std::span<Position* const> positions) {
  if (positions.empty()) return;
  if (positions.size() > 1 && look_up_all_logs(client, positions)) return;
  int failures = 0;
  for (Position* position : positions) {
    position->error = RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (failures == kMostFailures) continue;
    std::int64_t start = 0, end = 0;
    position->error = rd_kafka_query_watermark_offsets(
        client, position->topic.c_str(), position->number.value, &start, &end, kPatienceMs);
    if (position->error) {
      ++failures;
    } else {
      position->log = LogBounds{Offset{start}, Offset{end}};
    }
  }
}

void answer(rd_kafka_t* client, std::vector<Position>& positions) {
  std::vector<Position*> of_group, of_logs;
  for (Position& position : positions) {
    if (position.ask_group) of_group.push_back(&position);
  }
  look_up_committed(client, of_group);
  for (Position& position : positions) {
    if (!position.error && !position.committed) of_logs.push_back(&position);
  }
  look_up_logs(client, of_logs);
}

}  // namespace

struct Lookup::Shared {
  boost::asio::io_context& io;
  rd_kafka_t* const client;
  const std::function<void(std::vector<Position>)> answered;
  bool open = false;  // Of the loop's thread alone.

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::vector<Position>> question;
  bool left = false;

  Shared(boost::asio::io_context& on, rd_kafka_t* of,
         std::function<void(std::vector<Position>)> on_answer)
      : io(on), client(of), answered(std::move(on_answer)) {}

  static void work(const std::shared_ptr<Shared>& self);
};

void Lookup::Shared::work(const std::shared_ptr<Shared>& self) {
  for (;;) {
    std::unique_lock lock(self->mutex);
    self->changed.wait(lock, [&] { return self->left || self->question; });
    if (self->left) return;
    std::vector<Position> positions = *std::exchange(self->question, std::nullopt);
    lock.unlock();
    answer(self->client, positions);
    lock.lock();
    if (self->left) return;  // The io_context may be gone.
    boost::asio::post(self->io, [self, positions = std::move(positions)]() mutable {
      if (self->left) return;
      self->open = false;
      self->answered(std::move(positions));
    });
  }
}

Lookup::Lookup(boost::asio::io_context& io, rd_kafka_t* client,
               std::function<void(std::vector<Position>)> answered)
    : shared_(std::make_shared<Shared>(io, client, std::move(answered))) {
  std::thread([shared = shared_] { Shared::work(shared); }).detach();
}

Lookup::~Lookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->left = true;
  shared_->changed.notify_one();
}

void Lookup::ask(std::vector<Position> question) {
  CHECK(!shared_->open);
  shared_->open = true;
  const std::lock_guard lock(shared_->mutex);
  shared_->question = std::move(question);
  shared_->changed.notify_one();
}

bool Lookup::open() const { return shared_->open; }

}  // namespace einlass::kafka
