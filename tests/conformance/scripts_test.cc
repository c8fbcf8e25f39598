// What the scripts do to Redis besides answering: keys, members, expiry, and how much work a call
// is.
#include "lua/scripts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/eventually.h"
#include "conformance/both_stores.h"
#include "conformance/redis_server.h"

namespace einlass::conformance::scripts_test {
namespace {

constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

Rule log(std::int64_t limit, std::int64_t window, std::int64_t cost = 1) {
  return {limits::SlidingLogParameters{{limit}, {window}}, {cost}};
}
Rule bucket(std::int64_t permits, std::int64_t micros, std::int64_t burst, std::int64_t cost = 1) {
  return {limits::TokenBucketParameters{limits::reduced({permits, micros}), {burst}}, {cost}};
}

// One bucket of each algorithm: at most 3 permits at once, and those back within 9 s.
std::vector<Rule> one_of_each() {
  const Permits three{3};
  const Duration second{kSecond};
  const limits::Rate rate{1, kSecond / 3 * 3};
  return {
      {limits::SlidingLogParameters{three, second}},
      {limits::ConcurrencyParameters{three, second}},
      {limits::TokenBucketParameters{rate, three}},
      {limits::GcraParameters{rate, three}},
      {limits::GcraParameters{limits::reduced({7, 7'000'003}), three}},
      {limits::LeakyBucketParameters{rate, three, false}},
      {limits::LeakyBucketParameters{rate, three, true}},
      {limits::SmoothParameters{rate, three, second * 3, false}},
      {limits::SmoothParameters{rate, three, second * 3, true}},
      {limits::WarmUpParameters{rate, second * 6, second * 2}},
      {limits::CounterParameters{three, second}},
      {limits::FixedWindowParameters{three, second}},
      {limits::SlidingWindowParameters{three, second, 5, false}},
      {limits::SlidingWindowParameters{three, second, 5, true}},
  };
}

class Scripts : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() { delete server_; }
  void SetUp() override { server_->call({"FLUSHALL"}); }

  std::int64_t integer(std::initializer_list<std::string> command) {
    const Reply reply = server_->call(command);
    EXPECT_EQ(reply->type, REDIS_REPLY_INTEGER) << (reply->str ? reply->str : "");
    return reply->integer;
  }
  // How many keys its other thread has freed, since it started.
  std::int64_t freed_aside() {
    const std::string info = server_->call({"INFO", "memory"})->str;
    const std::string name = "\nlazyfreed_objects:";
    const std::size_t at = info.find(name);
    EXPECT_NE(at, info.npos);
    return at == info.npos ? -1 : std::stoll(info.substr(at + name.size()));
  }
  std::string dump(const std::string& key) {
    const Reply reply = server_->call({"DUMP", key});
    return reply->type == REDIS_REPLY_STRING ? std::string(reply->str, reply->len) : "";
  }

  static RedisServer* server_;
};

RedisServer* Scripts::server_ = nullptr;

TEST_F(Scripts, UseTheServersClock) {
  RedisSide limit(*server_, "clock", {log(2, kSecond), bucket(1, kSecond, 2)});
  const auto since_1970 = [] {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const std::int64_t before = since_1970();
  EXPECT_EQ(limit.acquire({1, 3, 0}, 1, std::nullopt).granted, 2);
  EXPECT_GE(limit.last_now(), before);
  EXPECT_LE(limit.last_now(), since_1970());
  EXPECT_EQ(limit.peek(std::nullopt), (std::vector<std::int64_t>{0, 0}));
}

TEST_F(Scripts, ADenialWritesNothing) {
  RedisSide limit(*server_, "denial", {log(3, kSecond), bucket(1, kSecond, 1)});
  EXPECT_EQ(limit.acquire({2, 2, 0}, 1, kStart).granted, 0);
  EXPECT_EQ(integer({"DBSIZE"}), 0);  // Nor is it remembered.
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart).granted, 1);
  const std::string before = dump(limit.key(0)) + dump(limit.key(1));
  EXPECT_EQ(limit.acquire({1, 1, 0}, 3, kStart + 2).granted, 0);
  limit.peek(kStart + 5);
  EXPECT_EQ(dump(limit.key(0)) + dump(limit.key(1)), before);
}

TEST_F(Scripts, StateExpiresWhenItIsAsGoodAsFresh) {
  constexpr std::int64_t kSlack = 2'000;
  RedisSide slow(*server_, "slow", {log(9, 30 * kSecond + 1), bucket(1, 7 * kSecond, 9)}, kSlack);
  EXPECT_EQ(slow.acquire({3, 3, 0}, 1, kStart).granted, 3);
  EXPECT_LE(integer({"PTTL", slow.key(0)}), 30'001 + kSlack);  // Rounded up.
  EXPECT_GT(integer({"PTTL", slow.key(0)}), 29'000 + kSlack);
  EXPECT_LE(integer({"PTTL", slow.key(1)}), 21'000 + kSlack);
  EXPECT_GT(integer({"PTTL", slow.key(1)}), 20'000 + kSlack);
  // A bucket that is full sooner still remembers what may come back.
  RedisSide fast(*server_, "fast", {log(9, 1), bucket(5, 1, 9)}, kSlack);
  EXPECT_EQ(fast.acquire({1, 1, 0}, 1, kStart).granted, 1);
  EXPECT_GT(integer({"PTTL", fast.key(0)}), 0);
  EXPECT_GT(integer({"PTTL", fast.key(1)}), 9'000 + kSlack);
  // Bookings ahead live as long as they count.
  RedisSide ahead(*server_, "ahead", {log(1, kSecond)}, kSlack);
  EXPECT_EQ(ahead.acquire({1, 6, 5 * kSecond}, 1, kStart).granted, 6);
  EXPECT_GT(integer({"PTTL", ahead.key(0)}), 5'000 + kSlack);
}

TEST_F(Scripts, NoAlgorithmWritesADenial) {
  for (const Rule& rule : one_of_each()) {
    server_->call({"FLUSHALL"});
    RedisSide limit(*server_, "denial", {rule});
    EXPECT_EQ(limit.acquire({9, 9, 0}, 1, kStart).granted, 0);
    EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart).granted, 1);
    EXPECT_EQ(integer({"DBSIZE"}), 2) << name(rule.parameters);
    limit.acquire({1, 3, 0}, 3, kStart);
    const std::string before = dump(limit.key(0)) + dump(limit.memo_key());
    EXPECT_EQ(limit.acquire({1, 1, 0}, 4, kStart + 1).granted, 0) << name(rule.parameters);
    EXPECT_EQ(limit.acquire({3, 3, 0}, 5, kStart + 1).granted, 0) << name(rule.parameters);
    limit.peek(kStart + 1);
    EXPECT_EQ(limit.release({}, kStart + 1), 0);
    EXPECT_EQ(dump(limit.key(0)) + dump(limit.memo_key()), before) << name(rule.parameters);
  }
}

// A key leaves in the first millisecond in which the bucket is as good as fresh, slack aside.
TEST_F(Scripts, KeysLiveAsLongAsTheyMatter) {
  constexpr std::int64_t kSlack = 2'000;
  const std::map<std::string, std::int64_t> matter = {
      {"sliding_log", 1'000},  {"concurrency", 1'000},    {"token_bucket", 10'000},
      {"gcra", 1'000},         {"leaky_meter", 10'000},   {"leaky_queue", 1'000},
      {"smooth", 10'000},      {"warm_up", 3'000},        {"counter", 1'000},
      {"fixed_window", 1'000}, {"sliding_window", 1'200}, {"sliding_window_newest", 1'000}};
  for (const Rule& rule : one_of_each()) {
    server_->call({"FLUSHALL"});
    RedisSide limit(*server_, "expiry", {rule}, kSlack);
    const std::int64_t each = matter.at(name(rule.parameters));
    for (const std::uint64_t ask : {1, 2}) {  // Of a fresh bucket, and of a used one.
      const bool adds_up = name(rule.parameters) == "gcra";  // Until all that is spent is back.
      const std::int64_t expected = each * (adds_up ? static_cast<std::int64_t>(ask) : 1) + kSlack;
      limit.acquire({1, 1, 0}, ask, kStart);
      const std::int64_t left = integer({"PTTL", limit.key(0)});
      EXPECT_LE(left, expected + 1) << name(rule.parameters);
      EXPECT_GT(left, expected - 500) << name(rule.parameters);
    }
  }
}

TEST_F(Scripts, EveryKeyExpires) {
  RedisSide limit(*server_, "expiry", {log(2, kSecond), bucket(1, kSecond, 2)});
  limit.acquire({2, 2, 0}, 1, kStart);
  const std::vector<limits::Returned> ids = {{limits::permit_id(prefix(1), 0), {kStart}},
                                             {limits::permit_id(prefix(1), 1), {kStart}}};
  EXPECT_EQ(limit.release(ids, kStart), 2);  // Empties the log: only its mark is left.
  EXPECT_GT(integer({"PTTL", limit.key(0)}), 0);
  EXPECT_GT(integer({"PTTL", limit.key(1)}), 0);
}

TEST_F(Scripts, MembersAreTheIds) {
  RedisSide limit(*server_, "members", {log(9, kSecond)});
  limit.acquire({3, 3, 0}, 77, kStart);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 3);
  const std::string id = bytes(limits::permit_id(prefix(77), 2));
  EXPECT_EQ(id.size(), 16U);
  const Reply score = server_->call({"ZSCORE", limit.key(0), id});
  ASSERT_EQ(score->type, REDIS_REPLY_STRING);
  EXPECT_EQ(std::string(score->str), std::to_string(kStart));
}

// Whether the calls of that bucket all are errors that begin with WRONGTYPE.
bool wrong_type(RedisSide& limit) {
  const std::vector<limits::Returned> permits = {{limits::permit_id(prefix(1), 0), {kStart}}};
  const auto refused = [](auto call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      // Redis before 7 puts words of its own in front.
      return std::string(error.what()).find("WRONGTYPE ") != std::string::npos;
    }
    return false;
  };
  return refused([&] {
           limit.acquire({1, 1, 0}, 1, kStart);
         }) &&
         refused([&] {
           limit.acquire({1, 2, 0}, 1, kStart);
         }) &&
         refused([&] { limit.release(permits, kStart); }) && refused([&] { limit.peek(kStart); });
}

TEST_F(Scripts, AKeyOfSomethingElseIsAnErrorAndIsLeftAlone) {
  for (const Rule& rule : one_of_each()) {
    RedisSide limit(*server_, "foreign", {rule, log(9, kSecond)});
    const std::string key = limit.key(0);
    const std::vector<std::vector<std::string>> others = {
        {"SET", key, ""},
        {"SET", key, "17"},
        {"SET", key, std::string(25, 'x')},
        {"SET", key, std::string(41, 'x')},
        {"HSET", key, "a", "b"},
        {"RPUSH", key, "element"},
    };
    for (const std::vector<std::string>& other : others) {
      server_->call({"FLUSHALL"});
      server_->call(other);
      const std::string before = dump(key);
      EXPECT_TRUE(wrong_type(limit)) << name(rule.parameters) << " " << other[0] << other[2];
      EXPECT_EQ(dump(key), before);
      EXPECT_EQ(integer({"DBSIZE"}), 1);
    }
  }
}

// Algorithms of one automaton share its state; any other's is foreign.
TEST_F(Scripts, TheStateOfAnotherAlgorithmIsForeign) {
  const std::map<std::string, std::string> automata = {{"concurrency", "sliding_log"},
                                                       {"leaky_meter", "token_bucket"},
                                                       {"smooth", "token_bucket"},
                                                       {"fixed_window", "counter"}};
  const auto automaton = [&](const Rule& rule) {
    const std::string own = name(rule.parameters);
    return automata.contains(own) ? automata.at(own) : own;
  };
  for (const Rule& written : one_of_each()) {
    for (const Rule& asked : one_of_each()) {
      if (automaton(written) == automaton(asked)) continue;
      server_->call({"FLUSHALL"});
      RedisSide first(*server_, "other", {written});
      first.remember(false);
      first.acquire({1, 1, 0}, 1, kStart);
      RedisSide second(*server_, "other", {asked});
      EXPECT_TRUE(wrong_type(second)) << name(written.parameters) << name(asked.parameters);
    }
  }
}

TEST_F(Scripts, LargeBatchesAndCostsGoInPieces) {
  const std::vector<Rule> rules = {log(9'000, kSecond, 1), log(9'999'999, kSecond, 3)};
  RedisSide redis(*server_, "large", rules);
  EXPECT_EQ(redis.acquire({1, 5'000, 0}, 1, kStart).granted, 5'000);
  EXPECT_EQ(integer({"ZCARD", redis.key(1)}), 15'000);
  std::vector<limits::Returned> ids;
  for (std::uint16_t i = 0; i < 5'000; ++i) {
    ids.push_back({limits::permit_id(prefix(1), i), {kStart}});
  }
  EXPECT_EQ(redis.release(ids, kStart + 1), 5'000);
  EXPECT_EQ(redis.peek(kStart + 1), (std::vector<std::int64_t>{9'000, 9'999'999}));
  RedisSide costly(*server_, "costly", {log(1'900, kSecond, 900)});
  EXPECT_EQ(costly.acquire({1, 3, 0}, 1, kStart).granted, 2);
  EXPECT_EQ(costly.release(std::vector{ids[1]}, kStart), 1);
  EXPECT_EQ(costly.peek(kStart), (std::vector<std::int64_t>{1'000}));
}

TEST_F(Scripts, OldEntriesGoInBoundedPiecesAndDoNotCount) {
  RedisSide limit(*server_, "purge", {log(20'000, kSecond)});
  for (std::uint64_t i = 1; i <= 9; ++i) limit.acquire({2'000, 2'000, 0}, i, kStart);
  limit.acquire({1, 1, 0}, 10, kStart + 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 18'001);
  const Result later = limit.acquire({1, 1, 0}, 11, kStart + kSecond);
  EXPECT_EQ(later.remaining, (std::vector<std::int64_t>{19'998}));
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 18'001 + 1 - 201);
  EXPECT_EQ(limit.acquire({19'998, 19'998, 0}, 12, kStart + kSecond).granted, 19'998);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 20'000);
}

TEST_F(Scripts, ALogOfOldEntriesAloneGoesAtOnce) {
  RedisSide limit(*server_, "old", {log(2'000, kSecond)});
  limit.acquire({2'000, 2'000, 0}, 1, kStart);
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart + kSecond).granted, 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 1);
}

// What a call costs the server does not depend on how much an idle bucket has left behind.
TEST_F(Scripts, AMillionOldEntriesDoNotHoldTheServerUp) {
  constexpr int kMillion = 1'000'000;
  constexpr int kPiece = 10'000;
  RedisSide limit(*server_, "million", {log(2 * kMillion, kSecond)});
  const std::string fill = server_
                               ->call({"SCRIPT", "LOAD", R"(
      for i = ARGV[1], ARGV[2] do
        redis.call('ZADD', KEYS[1], ARGV[3] + i, struct.pack('>I8I8', 0, i))
      end)"})
                               ->str;
  for (int i = 0; i < kMillion; i += kPiece) {
    server_->call({"EVALSHA", fill, "1", limit.key(0), std::to_string(i),
                   std::to_string(i + kPiece - 1), std::to_string(kStart)});
  }
  ASSERT_EQ(integer({"ZCARD", limit.key(0)}), kMillion);
  server_->call({"CONFIG", "SET", "slowlog-log-slower-than", "1000"});
  server_->call({"SLOWLOG", "RESET"});
  // Half of them have left: they go in pieces.
  EXPECT_EQ(limit.acquire({1, 1, 0}, 1, kStart + kSecond + kMillion / 2).granted, 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), kMillion - 200);
  EXPECT_EQ(limit.peek(kStart + kSecond + kMillion / 2)[0], 2 * kMillion - kMillion / 2);
  // All have left: they go at once, and not on the server's time.
  const std::int64_t before = freed_aside();
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart + 3 * kSecond).granted, 1);
  EXPECT_EQ(integer({"ZCARD", limit.key(0)}), 1);
  adapters::testing::eventually([&] { return freed_aside() > before; });
  EXPECT_EQ(freed_aside(), before + 1);
  RecordProperty("calls_slower_than_1ms", static_cast<int>(integer({"SLOWLOG", "LEN"})));
  std::printf("calls slower than 1 ms: %lld\n",
              static_cast<long long>(integer({"SLOWLOG", "LEN"})));
}

TEST_F(Scripts, AThousandSlicesStayOneShortString) {
  const Rule window{limits::SlidingWindowParameters{{1'000'000}, {1'000 * kSecond}, 1'000, false}};
  RedisSide limit(*server_, "slices", {window});
  for (int i = 0; i < 3'000; ++i) {
    limit.acquire({1, 1, 0}, static_cast<std::uint64_t>(i) + 1, kStart + i * kSecond);
  }
  EXPECT_EQ(integer({"STRLEN", limit.key(0)}), 25 + 16 * 1'001);
  EXPECT_EQ(limit.peek(kStart + 2'999 * kSecond)[0], 1'000'000 - 1'001);
  limit.acquire({1, 1, 0}, 4'000, kStart + 9'000 * kSecond);
  EXPECT_EQ(integer({"STRLEN", limit.key(0)}), 25 + 16);
}

TEST_F(Scripts, OnlyTheNewestSliceKeepsItsPermits) {
  const Rule window{limits::SlidingWindowParameters{{50'000}, {10 * kSecond}, 10, true}};
  RedisSide limit(*server_, "newest", {window});
  EXPECT_EQ(limit.acquire({20'000, 20'000, 0}, 1, kStart).granted, 20'000);
  EXPECT_EQ(integer({"LLEN", limit.key(0)}), 20'001);
  const std::vector<limits::Returned> first = {{limits::permit_id(prefix(1), 0), {kStart}}};
  EXPECT_EQ(limit.release(first, kStart), 1);
  EXPECT_EQ(limit.release(first, kStart), 0);  // It is known by its id.
  EXPECT_EQ(integer({"LLEN", limit.key(0)}), 20'000);
  EXPECT_EQ(limit.acquire({1, 1, 0}, 2, kStart + kSecond).granted, 1);
  EXPECT_EQ(integer({"LLEN", limit.key(0)}), 2);
}

TEST_F(Scripts, OneFileHasAllAlgorithms) {
  const auto load = [&](const char* file) {
    std::ifstream in(std::string(EINLASS_LUA_SCRIPTS) + "/" + file);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const Reply reply = server_->call({"SCRIPT", "LOAD", text});
    EXPECT_EQ(reply->type, REDIS_REPLY_STRING) << reply->str;
    return std::string(reply->str);
  };
  RedisSide limit(*server_, "file", one_of_each());
  std::vector<std::string> command = limit.acquire_command({1, 2, 0}, 1, kStart);
  command[1] = load("acquire.lua");
  EXPECT_EQ(numbers(server_->call(command).get())[0], 1);
  command = limit.peek_command(kStart);
  command[1] = load("peek.lua");
  EXPECT_EQ(numbers(server_->call(command).get())[1], 2);
  const std::vector<limits::Returned> permits = {{limits::permit_id(prefix(1), 0), {kStart}}};
  command = limit.release_command(permits, kStart, Mode::ended);
  command[1] = load("release.lua");
  EXPECT_EQ(numbers(server_->call(command).get())[0], 1);
}

TEST_F(Scripts, AreShortAndTheSameForTheSameAlgorithms) {
  using lua::Entry;
  const std::vector<std::string_view> one = {"token_bucket"};
  const std::vector<std::string_view> both = {"token_bucket", "sliding_log"};
  const std::vector<std::string_view> again = {"sliding_log", "token_bucket", "sliding_log"};
  EXPECT_EQ(lua::script(Entry::acquire, both), lua::script(Entry::acquire, again));
  EXPECT_NE(lua::script(Entry::acquire, both), lua::script(Entry::release, both));
  EXPECT_EQ(lua::script(Entry::acquire, one).find("ZADD"), std::string::npos);
  EXPECT_LT(lua::script(Entry::acquire, one).size(), 12'000U);
}

}  // namespace
}  // namespace einlass::conformance::scripts_test
