#include "adapters/kafka/producing/transactions.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "adapters/kafka/client/handles.h"
#include "units/check.h"

namespace einlass::kafka {
namespace {

using Answer = Transactions::Answer;

// Of one call; it is made again until librdkafka says that this is of no use.
constexpr int kPatienceMs = 500;

// Of the one that does not go on where it was when it is made again: an answer that comes later
// than this is lost, and another request begins.
constexpr int kOffsetsPatienceMs = 30'000;

// Before a call is made again that failed at once.
constexpr std::chrono::milliseconds kPause{50};

// Whether the owner has left.
struct Leaving {
  std::mutex mutex;
  std::condition_variable changed;
  bool left = false;

  bool now() {
    const std::lock_guard lock(mutex);
    return left;
  }
  bool within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, time, [this] { return left; });
  }
};

using Job = std::function<Answer(Leaving& leaving)>;

template <class Call>
ErrorHandle insist(Leaving& leaving, Call call) {
  for (;;) {
    ErrorHandle error(call());
    if (error == nullptr || rd_kafka_error_is_retriable(error.get()) == 0) return error;
    const bool waited = rd_kafka_error_code(error.get()) == RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (waited ? leaving.now() : leaving.within(kPause)) return error;
  }
}

Answer answer_of(TransactionEnd end, const ErrorHandle& error, bool stuck = false) {
  Answer answer{.end = end, .stuck = stuck};
  if (error == nullptr) return answer;
  answer.error = rd_kafka_error_code(error.get());
  answer.reason = rd_kafka_error_string(error.get());
  return answer;
}

Answer open_now(rd_kafka_t* client, Leaving& leaving) {
  const auto error =
      insist(leaving, [&] { return rd_kafka_init_transactions(client, kPatienceMs); });
  return answer_of(error == nullptr ? TransactionEnd::committed : TransactionEnd::aborted, error);
}

ErrorHandle abort_now(rd_kafka_t* client, Leaving& leaving) {
  return insist(leaving, [&] { return rd_kafka_abort_transaction(client, kPatienceMs); });
}

Answer commit_now(rd_kafka_t* client, const GroupOffsets& group, Leaving& leaving) {
  auto error = insist(leaving, [&] {
    return rd_kafka_send_offsets_to_transaction(client, group.offsets.get(), group.member.get(),
                                                kOffsetsPatienceMs);
  });
  if (error != nullptr) {
    // Also if that fails: nobody has asked to commit it.
    const bool stuck = abort_now(client, leaving) != nullptr;
    const bool too_large =
        rd_kafka_error_code(error.get()) == RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE;
    return answer_of(too_large ? TransactionEnd::metadata_refused : TransactionEnd::aborted, error,
                     stuck);
  }
  error = insist(leaving, [&] { return rd_kafka_commit_transaction(client, kPatienceMs); });
  if (error == nullptr) return {};
  const bool aborted =
      rd_kafka_error_txn_requires_abort(error.get()) != 0 && abort_now(client, leaving) == nullptr;
  return answer_of(aborted ? TransactionEnd::aborted : TransactionEnd::unknown, error, !aborted);
}

}  // namespace

struct Transactions::Shared : Leaving {
  boost::asio::io_context& io;
  const std::function<void(const Answer&)> answered;
  bool busy = false;  // Of the loop's thread alone.
  std::optional<Job> job;
  std::thread thread;

  Shared(boost::asio::io_context& on, std::function<void(const Answer&)> on_answer)
      : io(on), answered(std::move(on_answer)) {}

  void begin(Job next);
  static void work(const std::shared_ptr<Shared>& self);
};

void Transactions::Shared::begin(Job next) {
  CHECK(!busy);
  busy = true;
  const std::lock_guard lock(mutex);
  job = std::move(next);
  changed.notify_one();
}

void Transactions::Shared::work(const std::shared_ptr<Shared>& self) {
  for (;;) {
    std::unique_lock lock(self->mutex);
    self->changed.wait(lock, [&] { return self->left || self->job; });
    if (self->left) return;
    const Job job = *std::exchange(self->job, std::nullopt);
    lock.unlock();
    Answer answer = job(*self);
    lock.lock();
    if (self->left) return;  // The io_context may be gone.
    boost::asio::post(self->io, [self, answer = std::move(answer)] {
      if (self->left) return;
      self->busy = false;
      self->answered(answer);
    });
  }
}

Transactions::Transactions(boost::asio::io_context& io, std::function<void(const Answer&)> answered)
    : shared_(std::make_shared<Shared>(io, std::move(answered))) {
  shared_->thread = std::thread([shared = shared_] { Shared::work(shared); });
}

Transactions::~Transactions() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->left = true;
    shared_->changed.notify_one();
  }
  shared_->thread.join();
}

void Transactions::open(rd_kafka_t* client) {
  shared_->begin([client](Leaving& leaving) { return open_now(client, leaving); });
}

void Transactions::commit(rd_kafka_t* client, GroupOffsets offsets) {
  shared_->begin([client, offsets = std::move(offsets)](Leaving& leaving) {
    return commit_now(client, offsets, leaving);
  });
}

void Transactions::abort(rd_kafka_t* client) {
  shared_->begin([client](Leaving& leaving) {
    const ErrorHandle error = abort_now(client, leaving);
    return answer_of(TransactionEnd::aborted, error, error != nullptr);
  });
}

}  // namespace einlass::kafka
