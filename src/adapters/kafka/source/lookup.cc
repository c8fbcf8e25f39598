#include "adapters/kafka/source/lookup.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "adapters/kafka/client/handles.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

constexpr int kPatienceMs = 2000;  // For one call.

// One whose leader does not answer costs its whole patience. After so many of them the rest is left
// for the next question.
constexpr int kMostFailures = 3;

using LogId = std::pair<std::string, std::int32_t>;

LogId log_of(const Position& position) { return {position.topic, position.number.value}; }

// Which brought nothing when they were last asked about, and in which question.
struct Failures {
  std::uint64_t questions = 0;
  std::map<LogId, std::uint64_t> last;
};

ListHandle list_of(std::span<const Position* const> positions) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const Position* position : positions) {
    rd_kafka_topic_partition_list_add(list.get(), position->topic.c_str(), position->number.value);
  }
  return list;
}

rd_kafka_resp_err_t look_up_committed(rd_kafka_t* client, std::span<Position* const> positions) {
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
  return error;
}

// One without a leader costs nothing: librdkafka knows that it has none, and asks for the others.
rd_kafka_resp_err_t look_up_logs(rd_kafka_t* client, std::span<Position* const> positions) {
  const ListHandle starts = list_of(positions), ends = list_of(positions);
  auto error = look_up_edge(client, RD_KAFKA_OFFSET_BEGINNING, starts.get(), kPatienceMs);
  if (!error) error = look_up_edge(client, RD_KAFKA_OFFSET_END, ends.get(), kPatienceMs);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const rd_kafka_topic_partition_t& start = starts->elems[i];
    const rd_kafka_topic_partition_t& end = ends->elems[i];
    positions[i]->error = error ? error : start.err ? start.err : end.err;
    if (positions[i]->error) continue;
    positions[i]->log = LogBounds{Offset{start.offset}, Offset{end.offset}};
  }
  return error;
}

// Whether a call for several failed though some of them may have an answer: not where librdkafka
// says that none has a leader, for of each by itself it would say the same.
bool is_spoiled(rd_kafka_resp_err_t error) {
  return error && error != RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

using LookUp = rd_kafka_resp_err_t (*)(rd_kafka_t*, std::span<Position* const>);

// One spoils the call for all of them: a log whose leader does not answer; an offset that a
// transaction has not ended with yet, as of a gate that was killed. Then each by itself. Those that
// brought nothing when they were last asked have a call of their own, and come last, the one that
// has not been tried for longest first: else the same few would take the time there is every time.
void look_up_all(rd_kafka_t* client, std::vector<Position*> positions, LookUp look_up,
                 Failures& failures) {
  if (positions.empty()) return;
  const auto failed = [&failures](const Position* position) {
    const auto found = failures.last.find(log_of(*position));
    return found == failures.last.end() ? 0 : found->second;
  };
  std::ranges::stable_sort(positions, {}, failed);
  const auto sound = static_cast<std::size_t>(std::ranges::count(positions, 0u, failed));
  Failures now{failures.questions + 1, {}};
  std::span<Position* const> alone = positions;
  for (const std::size_t size : {sound, positions.size() - sound}) {
    const auto together = alone.first(size);
    if (size == 1 || (size > 1 && is_spoiled(look_up(client, together)))) break;
    for (const Position* position : together) {
      if (position->error) now.last[log_of(*position)] = now.questions;
    }
    alone = alone.subspan(size);
  }
  int tried = 0;
  for (Position* position : alone) {
    const auto before = failed(position);
    if (tried == kMostFailures) {
      position->error = RD_KAFKA_RESP_ERR__TIMED_OUT;
      position->left = true;
      if (before != 0) now.last[log_of(*position)] = before;
    } else if (look_up(client, {&position, 1})) {
      ++tried;
      now.last[log_of(*position)] = now.questions;
    }
  }
  failures = std::move(now);
}

// Takes those out that the group's answer does not say enough of.
std::vector<Position> look_up_group(rd_kafka_t* client, std::vector<Position>& positions,
                                    Failures& failures) {
  std::vector<Position*> of_group;
  for (Position& position : positions) {
    if (position.ask_group) of_group.push_back(&position);
  }
  look_up_all(client, std::move(of_group), look_up_committed, failures);
  const auto rest = std::stable_partition(
      positions.begin(), positions.end(),
      [](const Position& one) { return one.error || one.committed; });
  std::vector<Position> of_logs(std::make_move_iterator(rest),
                                std::make_move_iterator(positions.end()));
  positions.erase(rest, positions.end());
  return of_logs;
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
  static void post(const std::shared_ptr<Shared>& self, std::vector<Position> positions, bool last);
};

void Lookup::Shared::work(const std::shared_ptr<Shared>& self) {
  Failures in_group, in_logs;
  for (;;) {
    std::unique_lock lock(self->mutex);
    self->changed.wait(lock, [&] { return self->left || self->question; });
    if (self->left) return;
    std::vector<Position> positions = *std::exchange(self->question, std::nullopt);
    lock.unlock();
    std::vector<Position> of_logs = look_up_group(self->client, positions, in_group);
    if (!positions.empty()) post(self, std::move(positions), of_logs.empty());
    if (of_logs.empty()) continue;
    std::vector<Position*> logs;
    for (Position& position : of_logs) logs.push_back(&position);
    look_up_all(self->client, std::move(logs), look_up_logs, in_logs);
    post(self, std::move(of_logs), true);
  }
}

void Lookup::Shared::post(const std::shared_ptr<Shared>& self, std::vector<Position> positions,
                          bool last) {
  const std::lock_guard lock(self->mutex);
  if (self->left) return;  // The io_context may be gone.
  boost::asio::post(self->io, [self, last, positions = std::move(positions)]() mutable {
    if (self->left) return;
    if (last) self->open = false;
    self->answered(std::move(positions));
  });
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
