#include <deque>
#include <utility>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/replay/replay_calls.h"
#include "adapters/redis/replay/replay_connection.h"
#include "adapters/redis/wire/resp.h"
#include "app/replay/replay_stores.h"

namespace einlass::app {
namespace {

using redis::ReplayCalls;

constexpr std::size_t kKeysPerUnlink = 500;
constexpr std::size_t kMemosPerUnlink = 100;

class RedisReplay final : public ReplayStore {
 public:
  RedisReplay(redis::StoreOptions options, const ReplayLimits& limits, ReplayOfKey of_key,
              Take take)
      : name_space_(options.name_space),
        options_(std::move(options)),
        calls_(name_space_, limits, std::move(of_key)),
        connection_(options_, calls_.memo_key(0)),
        limits_(limits.size()),
        take_(std::move(take)) {}

  bool open() {
    if (connection_.open()) return true;
    trouble_ = connection_.trouble();
    return false;
  }

  void acquire(const ReplayAsk& ask) override;
  void give_back(const ReplayReturn& permits) override;
  void peek(Instant at, std::span<const std::string> keys) override {
    opened(Kind::peek, calls_.append_peek(connection_.out(), {keys, {}}, at));
  }
  void limits_changed() override { calls_.limits_changed(); }
  bool settle() override;
  std::string trouble() const override { return trouble_; }
  std::string close() override;

 private:
  enum class Kind : std::uint8_t { acquire, give_back, peek, unlink };

  struct Memo {
    Instant at;
    std::uint64_t ask;
  };

  void opened(Kind kind, bool appended);
  void forget_memos(Instant now);
  void unlink(std::span<const std::string> keys);
  bool delete_keys();

  void read(const redis::Reply& reply);
  bool read_answer(Kind kind, const std::vector<std::int64_t>& numbers);
  bool read_acquired(const std::vector<std::int64_t>& numbers);

  // What the answer to an acquire has besides: none of it where no flows share a limit.
  struct Shape {
    std::size_t levels = 0, flows = 0;
  };
  bool read_shared(std::span<const std::int64_t> numbers, const Shape& shape);

  std::string name_space_;
  redis::StoreOptions options_;
  ReplayCalls calls_;
  redis::ReplayConnection connection_;
  std::size_t limits_;
  Take take_;
  std::vector<ReplayCalls::Permit> permits_;  // Of the call being made.
  std::deque<Memo> memos_;                    // That may be in Redis, the oldest first.
  std::deque<Kind> open_;                     // The calls not yet answered.
  std::deque<Shape> shapes_;                  // Of those that are acquires.
  ReplayAnswer answer_;
  std::string trouble_;
  std::string left_;  // Why keys could not be deleted.
};

void RedisReplay::acquire(const ReplayAsk& ask) {
  forget_memos(ask.at);
  using Memory = ReplayCalls::Memo;
  const Memory memo = !ask.named             ? Memory::none
                      : ask.again == nullptr ? Memory::remember
                                             : Memory::again;
  if (memo == Memory::remember) memos_.push_back({ask.at, ask.number});
  ReplayCalls::Acquire call{ask.number, ask.at, ask.min, ask.max, ask.horizon, memo, ask.each};
  limits::ShareDemand of_flows;
  if (ask.share != nullptr) {
    of_flows = ask.share->demand();
    call.shared = ask.share->limit;
    call.of_flows = &of_flows;
    shapes_.push_back({of_flows.of->levels, of_flows.of->flows.size()});
  } else {
    shapes_.push_back({});
  }
  opened(Kind::acquire, calls_.append_acquire(connection_.out(), {ask.keys, ask.costs}, call));
}

void RedisReplay::give_back(const ReplayReturn& permits) {
  const Asked& asked = *permits.asked;
  permits_.clear();
  for (std::size_t i = permits.first; i < permits.first + permits.count; ++i) {
    permits_.push_back({asked.number, static_cast<std::uint16_t>(i), asked.at + asked.due[i]});
    if (asked.shared) permits_.back().flow = &asked.flows[asked.flow_of[i]];
  }
  opened(Kind::give_back,
         calls_.append_release(connection_.out(), {asked.keys, permits.costs}, permits.at,
                               permits.ended ? redis::Return::ended : redis::Return::unused,
                               permits_, asked.shared));
}

void RedisReplay::opened(Kind kind, bool appended) {
  if (appended) return open_.push_back(kind);
  trouble_ = "the trace has more than ";
  trouble_ += std::to_string(ReplayCalls::kMostBuckets);
  trouble_ += " buckets, which is too much for a Redis; replay it with --store memory";
}

bool RedisReplay::settle() {
  if (!trouble_.empty()) return false;
  const bool answered =
      connection_.exchange(open_.size(), [this](const redis::Reply& reply) { read(reply); });
  if (!answered && trouble_.empty()) trouble_ = connection_.trouble();
  return trouble_.empty();
}

void RedisReplay::read(const redis::Reply& reply) {
  const Kind kind = open_.front();
  open_.pop_front();
  if (reply.kind == redis::Reply::Kind::error) {
    std::string& trouble = kind == Kind::unlink ? left_ : trouble_;
    if (trouble.empty()) trouble = redis::explain(reply.text, connection_.where(), options_).detail;
    return;
  }
  if (kind == Kind::unlink || !trouble_.empty()) return;
  if (read_answer(kind, reply.integers)) return take_(answer_);
  trouble_ = "an answer from Redis at " + connection_.where() + " that is no limiter's";
}

bool RedisReplay::read_answer(Kind kind, const std::vector<std::int64_t>& numbers) {
  if (kind == Kind::acquire) return read_acquired(numbers);
  if (kind == Kind::give_back) {
    if (numbers.size() == 1) answer_.returned = numbers[0];
    return numbers.size() == 1;
  }
  if (numbers.size() != 1 + limits_) return false;
  answer_.remaining.clear();
  for (std::size_t i = 1; i < numbers.size(); ++i) answer_.remaining.push_back({numbers[i]});
  return true;
}

bool RedisReplay::read_acquired(const std::vector<std::int64_t>& numbers) {
  const Shape shape = shapes_.front();
  shapes_.pop_front();
  if (shape.flows > 0) return read_shared(numbers, shape);
  answer_.share.reset();
  const std::size_t head = 4 + limits_;
  if (numbers.size() < head || numbers.size() != head + static_cast<std::size_t>(numbers[0])) {
    return false;
  }
  const bool denied = numbers[0] == 0;
  if (denied && (numbers[3] < 0 || static_cast<std::size_t>(numbers[3]) >= limits_)) return false;
  answer_.retry = numbers[2] < 0 ? ReplayAnswer::kNever : numbers[2];
  answer_.reason = denied ? static_cast<std::size_t>(numbers[3]) : 0;
  answer_.remaining.clear();
  for (std::size_t i = 4; i < head; ++i) answer_.remaining.push_back({numbers[i]});
  answer_.due.clear();
  for (std::size_t i = head; i < numbers.size(); ++i) answer_.due.push_back({numbers[i]});
  return true;
}

bool RedisReplay::read_shared(std::span<const std::int64_t> numbers, const Shape& shape) {
  const std::size_t head = 6 + shape.levels + limits_ + shape.flows;
  if (numbers.size() < head || numbers[0] < 0) return false;
  const auto granted = static_cast<std::size_t>(numbers[0]);
  if (numbers.size() != head + 2 * granted) return false;
  ToldFlows& share = answer_.share.emplace();
  answer_.retry = numbers[2] < 0 ? ReplayAnswer::kNever : numbers[2];
  answer_.reason = numbers[3] < 0 ? 0 : static_cast<std::size_t>(numbers[3]);
  share.held_up = static_cast<HeldUp>(numbers[4]);
  share.epoch = numbers[5];
  std::size_t at = 6;
  const auto take = [&](std::size_t count) {
    at += count;
    return numbers.subspan(at - count, count);
  };
  const auto time = take(shape.levels);
  share.time.assign(time.begin(), time.end());
  answer_.remaining.clear();
  for (const std::int64_t number : take(limits_)) answer_.remaining.push_back({number});
  const auto served = take(shape.flows);
  share.served.assign(served.begin(), served.end());
  answer_.due.clear();
  for (const std::int64_t number : take(granted)) answer_.due.push_back({number});
  for (const std::int64_t index : take(granted)) {
    share.flow.push_back(static_cast<std::uint16_t>(index));
  }
  return answer_.reason < limits_;
}

// Deletes what was remembered of asks that are too old to be asked again.
void RedisReplay::forget_memos(Instant now) {
  if (memos_.size() < kMemosPerUnlink ||
      now - memos_[kMemosPerUnlink - 1].at <= kAskedAgainWithin) {
    return;
  }
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kMemosPerUnlink; ++i) {
    keys.push_back(calls_.memo_key(memos_.front().ask));
    memos_.pop_front();
  }
  unlink(keys);
}

void RedisReplay::unlink(std::span<const std::string> keys) {
  redis::append_array(connection_.out(), 1 + keys.size());
  redis::append_bulk(connection_.out(), "UNLINK");
  for (const std::string& key : keys) redis::append_bulk(connection_.out(), key);
  open_.push_back(Kind::unlink);
}

bool RedisReplay::delete_keys() {
  std::vector<std::string> keys;
  bool sent = true;
  const auto flush = [&] {
    unlink(keys);
    keys.clear();
    sent = sent && connection_.exchange(1, [this](const redis::Reply& reply) { read(reply); });
  };
  const auto take = [&](const std::string& key) {
    keys.push_back(key);
    if (keys.size() == kKeysPerUnlink) flush();
  };
  calls_.each_key(take);
  for (const Memo& memo : memos_) take(calls_.memo_key(memo.ask));
  if (!keys.empty()) flush();
  return sent;
}

std::string RedisReplay::close() {
  connection_.out().clear();
  open_.clear();
  shapes_.clear();
  if (calls_.buckets() == 0) return "";
  const bool reached = connection_.is_open() || connection_.open();
  if (!reached || !delete_keys()) left_ = connection_.trouble();
  if (left_.empty()) return "";
  return "keys that begin with " + name_space_ + " are left in Redis for an hour (" + left_ + ")";
}

}  // namespace

std::unique_ptr<ReplayStore> redis_replay(redis::StoreOptions options, const ReplayLimits& limits,
                                          ReplayOfKey of_key, ReplayStore::Take take,
                                          std::string& trouble) {
  auto store =
      std::make_unique<RedisReplay>(std::move(options), limits, std::move(of_key), std::move(take));
  if (store->open()) return store;
  trouble = store->trouble();
  return nullptr;
}

}  // namespace einlass::app
