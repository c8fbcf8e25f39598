#include "adapters/kafka/partitions/lookup.h"

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

// A call that brings nothing costs its whole patience. After so many of them what is left is for
// the next question.
constexpr int kMostFailures = 4;

using LogId = std::pair<std::string, std::int32_t>;

LogId log_of(const Position& position) { return {position.topic, position.number.value}; }

// Which brought nothing when they were last asked about, and in which question.
struct Failures {
  std::uint64_t questions = 0;
  std::map<LogId, std::uint64_t> last;
};

ListHandle list_of(std::span<const Position> positions) {
  ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const Position& position : positions) {
    rd_kafka_topic_partition_list_add(list.get(), position.topic.c_str(), position.number.value);
  }
  return list;
}

rd_kafka_resp_err_t look_up_committed(rd_kafka_t* client, std::span<Position> positions) {
  const ListHandle list = list_of(positions);
  const auto error = rd_kafka_committed(client, list.get(), kPatienceMs);
  for (Position& position : positions) {
    const rd_kafka_topic_partition_t* found = rd_kafka_topic_partition_list_find(
        list.get(), position.topic.c_str(), position.number.value);
    position.error = error ? error : found->err;
    if (position.error || found->offset < 0) continue;
    position.committed = Offset{found->offset};
    if (found->metadata_size == 0) continue;
    position.metadata.assign(static_cast<const char*>(found->metadata), found->metadata_size);
  }
  return error;
}

// One without a leader costs nothing: librdkafka knows that it has none, and asks for the others.
rd_kafka_resp_err_t look_up_logs(rd_kafka_t* client, std::span<Position> positions) {
  const ListHandle starts = list_of(positions), ends = list_of(positions);
  auto error = look_up_edge(client, RD_KAFKA_OFFSET_BEGINNING, starts.get(), kPatienceMs);
  if (!error) error = look_up_edge(client, RD_KAFKA_OFFSET_END, ends.get(), kPatienceMs);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const rd_kafka_topic_partition_t& start = starts->elems[i];
    const rd_kafka_topic_partition_t& end = ends->elems[i];
    positions[i].error = error ? error : start.err ? start.err : end.err;
    if (positions[i].error) continue;
    positions[i].log = LogBounds{Offset{start.offset}, Offset{end.offset}};
  }
  return error;
}

// Whether a call took its whole patience, and failed though some of those that it was for may have
// an answer: not where librdkafka says that none has a leader, for that it knows at once.
bool is_spoiled(rd_kafka_resp_err_t error) {
  return error && error != RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

using LookUp = rd_kafka_resp_err_t (*)(rd_kafka_t*, std::span<Position>);
using Answered = std::function<void(std::vector<Position>)>;

// One question, on its way to Kafka.
//
// One partition can spoil a call for all of them: a log whose leader does not answer; an offset
// that a transaction has not ended with yet, as of a gate that was killed. Then each has a call of
// its own. Those that brought nothing when they were last asked about are not in a call with the
// others, and come last, the one that has not been tried for longest first: else the same few would
// take the time there is every time.
class Round {
 public:
  Round(rd_kafka_t* client, Failures& failures, const Answered& answered)
      : client_(client), before_(failures), answered_(answered), now_{failures.questions + 1, {}} {}

  // Once. `failures` were those of the round before, and are those of this one then.
  void run(std::vector<Position> positions);

 private:
  void look_up(std::span<Position> positions);
  std::vector<Position> ask(std::vector<Position> positions, LookUp call);
  std::vector<Position> answer(std::vector<Position> positions);

  std::uint64_t failed_in(const Position& position) const;

  rd_kafka_t* const client_;
  Failures& before_;
  const Answered& answered_;
  Failures now_;
  int failed_calls_ = 0;
};

void Round::run(std::vector<Position> positions) {
  const auto failed = [this](const Position& position) { return failed_in(position); };
  std::ranges::stable_sort(positions, {}, failed);
  const auto sound = static_cast<std::size_t>(std::ranges::count(positions, 0u, failed));
  look_up(std::span(positions).first(sound));
  look_up(std::span(positions).subspan(sound));
  before_ = std::move(now_);
}

// What the group does not say enough of is asked of the logs.
void Round::look_up(std::span<Position> positions) {
  std::vector<Position> of_group, of_logs;
  for (Position& position : positions) {
    (position.ask_group ? of_group : of_logs).push_back(std::move(position));
  }
  std::ranges::move(ask(std::move(of_group), look_up_committed), std::back_inserter(of_logs));
  ask(std::move(of_logs), look_up_logs);
}

// Returns those of which not enough is known.
std::vector<Position> Round::ask(std::vector<Position> positions, LookUp call) {
  if (positions.size() > 1 && failed_calls_ < kMostFailures) {
    if (!is_spoiled(call(client_, positions))) return answer(std::move(positions));
    ++failed_calls_;
  }
  std::vector<Position> rest;
  for (Position& position : positions) {
    if (failed_calls_ == kMostFailures) {
      position.error = RD_KAFKA_RESP_ERR__TIMED_OUT;
      position.left = true;
    } else if (is_spoiled(call(client_, {&position, 1}))) {
      ++failed_calls_;
    }
    std::ranges::move(answer({std::move(position)}), std::back_inserter(rest));
  }
  return rest;
}

// Those of which enough is known, or nothing will be in this round; returns the others.
std::vector<Position> Round::answer(std::vector<Position> positions) {
  const auto rest =
      std::stable_partition(positions.begin(), positions.end(), [](const Position& position) {
        return position.error || position.committed || position.log;
      });
  std::vector<Position> open(std::make_move_iterator(rest),
                             std::make_move_iterator(positions.end()));
  positions.erase(rest, positions.end());
  for (const Position& position : positions) {
    if (!position.error) continue;
    const std::uint64_t last = position.left ? failed_in(position) : now_.questions;
    if (last != 0) now_.last[log_of(position)] = last;
  }
  if (!positions.empty()) answered_(std::move(positions));
  return open;
}

std::uint64_t Round::failed_in(const Position& position) const {
  const auto found = before_.last.find(log_of(position));
  return found == before_.last.end() ? 0 : found->second;
}

}  // namespace

struct Lookup::Shared {
  boost::asio::io_context& io;
  rd_kafka_t* const client;
  const Answered answered;
  std::size_t unanswered = 0;  // Of the question; of the loop's thread alone.

  std::mutex mutex;
  std::condition_variable changed;
  std::optional<std::vector<Position>> question;
  bool left = false;

  Shared(boost::asio::io_context& on, rd_kafka_t* of, Answered on_answer)
      : io(on), client(of), answered(std::move(on_answer)) {}

  static void work(const std::shared_ptr<Shared>& self);
  static void post(const std::shared_ptr<Shared>& self, std::vector<Position> positions);
};

void Lookup::Shared::work(const std::shared_ptr<Shared>& self) {
  const Answered answered = [&self](std::vector<Position> positions) {
    post(self, std::move(positions));
  };
  Failures failures;
  for (;;) {
    std::unique_lock lock(self->mutex);
    self->changed.wait(lock, [&] { return self->left || self->question; });
    if (self->left) return;
    std::vector<Position> question = *std::exchange(self->question, std::nullopt);
    lock.unlock();
    Round(self->client, failures, answered).run(std::move(question));
  }
}

void Lookup::Shared::post(const std::shared_ptr<Shared>& self, std::vector<Position> positions) {
  const std::lock_guard lock(self->mutex);
  if (self->left) return;  // The io_context may be gone.
  boost::asio::post(self->io, [self, positions = std::move(positions)]() mutable {
    if (self->left) return;
    self->unanswered -= positions.size();
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
  CHECK(!open());
  shared_->unanswered = question.size();
  const std::lock_guard lock(shared_->mutex);
  shared_->question = std::move(question);
  shared_->changed.notify_one();
}

bool Lookup::open() const { return shared_->unanswered > 0; }

}  // namespace einlass::kafka
