#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "adapters/redis/digest.h"
#include "adapters/redis/error_reply.h"
#include "adapters/redis/line.h"
#include "adapters/redis/resp.h"
#include "app/replay_connection.h"
#include "app/replay_stores.h"
#include "limits/permit_id.h"
#include "lua/scripts.h"

namespace einlass::app {
namespace {

// The trace's clock is invented and Redis expires keys by its own, so they live for this much
// longer; and they are gone after that if nobody could delete them.
constexpr std::int64_t kTtlSlackMs = 3'600'000;

// Kept in mind, to be deleted at the end.
constexpr std::size_t kMostBuckets = 1'000'000;

constexpr std::size_t kKeysPerUnlink = 500;
constexpr std::size_t kMemosPerUnlink = 100;

constexpr std::size_t kPrefixBytes = 14;

// A bucket in the protocol's bytes: its key, and what describes its limit before and behind the
// cost.
struct Words {
  std::string key;
  std::string before_cost, behind_cost;
  std::size_t count = 0;      // Of arguments, with the cost.
  std::uint64_t changes = 0;  // How often limits had changed when this was encoded.
};

struct Script {
  std::string text, sha1;
  bool brought = false;  // Sent once, so the server knows it by its digest.
};

class RedisReplay final : public ReplayStore {
 public:
  RedisReplay(const config::Redis& config, std::string name_space, const ReplayLimits& limits,
              Take take)
      : connection_(config),
        name_space_(std::move(name_space)),
        limits_(limits),
        take_(std::move(take)),
        words_(limits.size()) {
    limits_changed();
    const redis::LinePtr first = line(0, "");
    memo_start_ = first->first_key + ":asked:";
    std::vector<std::string_view> algorithms;
    for (std::size_t i = 0; i < limits.size(); ++i)
      algorithms.push_back(line(i, "")->algorithms[0]);
    const auto script = [&](lua::Entry entry) {
      std::string text = lua::script(entry, algorithms);
      std::string sha1 = redis::sha1_hex(text);
      return Script{std::move(text), std::move(sha1)};
    };
    acquire_ = script(lua::Entry::acquire);
    release_ = script(lua::Entry::release);
    peek_ = script(lua::Entry::peek);
  }

  bool open() {
    if (connection_.open()) return true;
    trouble_ = connection_.trouble();
    return false;
  }

  void acquire(const ReplayAsk& ask) override {
    forget_memos(ask.at);
    if (!find(ask.keys)) return;
    call(acquire_, ask.named ? 1 : 0, 7);
    std::string& out = connection_.out();
    if (ask.named) {
      redis::append_bulk(out, memo_start_ + std::to_string(ask.number));
      if (ask.again == nullptr) memos_.push_back({ask.at, ask.number});
    }
    describe(ask.costs);
    redis::append_number(out, ask.min);
    redis::append_number(out, ask.max);
    redis::append_number(out, ask.horizon.us);
    redis::append_bulk(out, std::string_view(id(ask.number, 0)).substr(0, kPrefixBytes));
    redis::append_bulk(out, !ask.named ? "" : ask.again == nullptr ? "0" : "1");
    redis::append_number(out, ask.at.us);
    redis::append_number(out, kTtlSlackMs);
    open_.push_back(Kind::acquire);
  }

  void give_back(const ReplayReturn& permits) override {
    const Asked& asked = *permits.asked;
    if (!find(asked.keys)) return;
    call(release_, 0, 3 + 2 * permits.count);
    describe(asked.costs);
    std::string& out = connection_.out();
    redis::append_bulk(out, permits.ended ? "ended" : "unused");
    redis::append_number(out, permits.at.us);
    redis::append_number(out, kTtlSlackMs);
    for (std::size_t i = permits.first; i < permits.first + permits.count; ++i) {
      redis::append_bulk(out, id(asked.number, i));
      redis::append_number(out, (asked.at + asked.due[i]).us);
    }
    open_.push_back(Kind::give_back);
  }

  void peek(Instant at, std::span<const std::string> keys) override {
    if (!find(keys)) return;
    call(peek_, 0, 2);
    describe({});
    redis::append_number(connection_.out(), at.us);
    redis::append_number(connection_.out(), kTtlSlackMs);
    open_.push_back(Kind::peek);
  }

  void limits_changed() override {
    costed_ = limits_;
    for (limits::Limit& limit : costed_) limit.cost_from_record = true;
    ++changes_;
  }

  bool settle() override {
    if (!trouble_.empty()) return false;
    const bool answered =
        connection_.exchange(open_.size(), [this](const redis::Reply& reply) { read(reply); });
    if (!answered && trouble_.empty()) trouble_ = connection_.trouble();
    return trouble_.empty();
  }
  std::string trouble() const override { return trouble_; }

  std::string close() override;

 private:
  enum class Kind : std::uint8_t { acquire, give_back, peek, unlink };

  struct Memo {
    Instant at;
    std::uint64_t number;
  };

  redis::LinePtr line(std::size_t limit, const std::string& key) const {
    const redis::Bucket bucket{&costed_[limit], key};
    return redis::make_line({}, name_space_, {&bucket, 1});
  }

  Words encode(std::size_t limit, const std::string& key) const {
    const redis::LinePtr one = line(limit, key);
    const std::size_t cost = one->costs.at(0);
    return {one->first_key, one->arguments.substr(0, cost), one->arguments.substr(cost),
            one->argument_count, changes_};
  }

  // The words of a call's buckets; false, with trouble, if there are too many buckets by now.
  bool find(std::span<const std::string> keys) {
    found_.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto known = words_[i].find(keys[i]);
      if (known != words_[i].end()) {
        if (known->second.changes != changes_) known->second = encode(i, keys[i]);
        found_.push_back(&known->second);
        continue;
      }
      if (++buckets_ > kMostBuckets) {
        trouble_ = "the trace has more than " + std::to_string(kMostBuckets) +
                   " buckets, which is too much for a Redis; replay it with --store memory";
        return false;
      }
      found_.push_back(&words_[i].emplace(keys[i], encode(i, keys[i])).first->second);
    }
    return true;
  }

  // Begins a call, up to the keys of its buckets.
  void call(Script& script, std::size_t more_keys, std::size_t more_arguments) {
    std::string& out = connection_.out();
    std::size_t arguments = 0;
    for (const Words* words : found_) arguments += words->count;
    redis::append_array(out, 3 + found_.size() + more_keys + arguments + more_arguments);
    redis::append_bulk(out, script.brought ? "EVALSHA" : "EVAL");
    redis::append_bulk(out, script.brought ? script.sha1 : script.text);
    script.brought = true;
    redis::append_number(out, static_cast<std::int64_t>(found_.size() + more_keys));
    for (const Words* words : found_) redis::append_bulk(out, words->key);
  }

  // The buckets' arguments; without costs they are 1.
  void describe(std::span<const std::int64_t> costs) {
    std::string& out = connection_.out();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      out.append(found_[i]->before_cost);
      redis::append_number(out, costs.empty() ? 1 : costs[i]);
      out.append(found_[i]->behind_cost);
    }
  }

  static std::string id(std::uint64_t number, std::size_t index) {
    std::string bytes(kPrefixBytes + 2, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
      bytes[kPrefixBytes - 1 - i] = static_cast<char>(number >> (8 * i));
    }
    bytes[kPrefixBytes] = static_cast<char>(index >> 8);
    bytes[kPrefixBytes + 1] = static_cast<char>(index & 0xff);
    return bytes;
  }

  // Deletes what was remembered of asks that are too old to be asked again.
  void forget_memos(Instant now) {
    if (memos_.size() < kMemosPerUnlink ||
        now - memos_[kMemosPerUnlink - 1].at <= kAskedAgainWithin) {
      return;
    }
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < kMemosPerUnlink; ++i) {
      keys.push_back(memo_start_ + std::to_string(memos_.front().number));
      memos_.pop_front();
    }
    unlink(keys);
  }

  void unlink(std::span<const std::string> keys) {
    redis::append_array(connection_.out(), 1 + keys.size());
    redis::append_bulk(connection_.out(), "UNLINK");
    for (const std::string& key : keys) redis::append_bulk(connection_.out(), key);
    open_.push_back(Kind::unlink);
  }

  void read(const redis::Reply& reply);
  bool read_acquire(const std::vector<std::int64_t>& numbers);

  ReplayConnection connection_;
  std::string name_space_;
  const ReplayLimits& limits_;
  ReplayLimits costed_;  // The same, with costs that come with each ask.
  Take take_;
  std::string memo_start_;
  Script acquire_, release_, peek_;
  std::vector<std::unordered_map<std::string, Words>>
      words_;  // By the place of the limit, and key.
  std::size_t buckets_ = 0;
  std::uint64_t changes_ = 0;        // Of limits.
  std::vector<const Words*> found_;  // Of the call being made.
  std::deque<Memo> memos_;           // That may be in Redis, the oldest first.
  std::deque<Kind> open_;            // The calls not yet answered.
  ReplayAnswer answer_;
  std::string trouble_;
  std::string left_;  // Why keys could not be deleted.
};

void RedisReplay::read(const redis::Reply& reply) {
  const Kind kind = open_.front();
  open_.pop_front();
  if (reply.kind == redis::Reply::Kind::error) {
    std::string& trouble = kind == Kind::unlink ? left_ : trouble_;
    if (trouble.empty()) trouble = redis::explain(reply.text, connection_.where()).detail;
    return;
  }
  if (kind == Kind::unlink || !trouble_.empty()) return;
  const std::vector<std::int64_t>& numbers = reply.integers;
  const std::size_t limits = limits_.size();
  bool right = false;
  if (kind == Kind::give_back) {
    right = numbers.size() == 1;
    if (right) answer_.returned = numbers[0];
  } else if (kind == Kind::acquire) {
    right = read_acquire(numbers);
  } else {
    right = numbers.size() == 1 + limits;
    answer_.remaining.clear();
    for (std::size_t i = 1; right && i <= limits; ++i) answer_.remaining.push_back({numbers[i]});
  }
  if (right) return take_(answer_);
  trouble_ = "an answer from Redis at " + connection_.where() + " that is no limiter's";
}

bool RedisReplay::read_acquire(const std::vector<std::int64_t>& numbers) {
  const std::size_t head = 4 + limits_.size();
  if (numbers.size() < head || numbers.size() != head + static_cast<std::size_t>(numbers[0])) {
    return false;
  }
  const bool denied = numbers[0] == 0;
  if (denied && (numbers[3] < 0 || static_cast<std::size_t>(numbers[3]) >= limits_.size())) {
    return false;
  }
  answer_.retry = numbers[2] < 0 ? ReplayAnswer::kNever : numbers[2];
  answer_.reason = denied ? static_cast<std::size_t>(numbers[3]) : 0;
  answer_.remaining.clear();
  for (std::size_t i = 4; i < head; ++i) answer_.remaining.push_back({numbers[i]});
  answer_.due.clear();
  for (std::size_t i = head; i < numbers.size(); ++i) answer_.due.push_back({numbers[i]});
  return true;
}

std::string RedisReplay::close() {
  connection_.out().clear();
  open_.clear();
  const auto result = [this] {
    return "keys that begin with " + name_space_ + " are left in Redis for an hour (" + left_ + ")";
  };
  if (!connection_.is_open() && !connection_.open()) {
    left_ = connection_.trouble();
    return buckets_ == 0 ? "" : result();
  }
  std::vector<std::string> keys;
  const auto flush = [&](std::size_t least) {
    if (keys.size() < least || keys.empty()) return true;
    unlink(keys);
    keys.clear();
    return connection_.exchange(1, [this](const redis::Reply& reply) { read(reply); });
  };
  bool sent = true;
  for (const auto& limit : words_) {
    for (const auto& [key, words] : limit) {
      keys.push_back(words.key);
      sent = sent && flush(kKeysPerUnlink);
    }
  }
  for (const Memo& memo : memos_) {
    keys.push_back(memo_start_ + std::to_string(memo.number));
    sent = sent && flush(kKeysPerUnlink);
  }
  sent = sent && flush(1);
  if (!sent) left_ = connection_.trouble();
  return left_.empty() ? "" : result();
}

}  // namespace

std::unique_ptr<ReplayStore> redis_replay(const config::Redis& config, std::string name_space,
                                          const ReplayLimits& limits, ReplayStore::Take take,
                                          std::string& trouble) {
  auto store =
      std::make_unique<RedisReplay>(config, std::move(name_space), limits, std::move(take));
  if (store->open()) return store;
  trouble = store->trouble();
  return nullptr;
}

}  // namespace einlass::app
