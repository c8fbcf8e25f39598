// Keys, ids and the bytes of the calls.
#include "adapters/redis/calls/line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/redis/calls/script_calls.h"
#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/gate_side.h"
#include "net/digest.h"

namespace einlass::redis::testing {
namespace {

// The byte strings of one command.
std::vector<std::string> words(std::string_view bytes) {
  std::size_t at = 1;
  const auto number = [&] {
    const std::size_t end = bytes.find("\r\n", at);
    const int value = std::stoi(std::string(bytes.substr(at, end - at)));
    at = end + 2;
    return static_cast<std::size_t>(value);
  };
  std::vector<std::string> all(number());
  for (auto& word : all) {
    EXPECT_EQ(bytes[at++], '$');
    const std::size_t size = number();
    word = bytes.substr(at, size);
    at += size + 2;
  }
  EXPECT_EQ(at, bytes.size());
  return all;
}

TEST(RedisKeys, NameTheBucketUnderOneTag) {
  const auto limit = sliding_log("per_tenant", 5);
  EXPECT_EQ(bucket_key("einlass", {&limit, "acme"}), "einlass:{einlass}:per_tenant:acme");
  EXPECT_EQ(bucket_key("einlass", {&limit, ""}), "einlass:{einlass}:per_tenant:");
}

TEST(RedisKeys, ASpreadBucketsKeyIsItsTag) {
  const auto limit = sliding_log("l", 5);
  EXPECT_EQ(bucket_key("n", {&limit, "acme", true}), "n:{acme}:l:acme");
  const std::string most(128, 'a'), more(129, 'a');
  EXPECT_EQ(bucket_key("n", {&limit, most, true}), "n:{" + most + "}:l:" + most);
  EXPECT_EQ(bucket_key("n", {&limit, more, true}),
            "n:{" + net::sha256_hex(more) + "}:l:sha256-" + net::sha256_hex(more));
  for (const std::string odd : {"", "{", "a}b", "{}"}) {
    EXPECT_EQ(bucket_key("n", {&limit, odd, true}), "n:{" + net::sha256_hex(odd) + "}:l:" + odd);
  }
  const Bucket bucket{&limit, "acme", true};
  EXPECT_EQ(make_line({1}, "n", {&bucket, 1})->slot, hash_slot("acme"));
}

TEST(RedisKeys, AMillionTenantsSpreadOverAllSlots) {
  const auto limit = sliding_log("l", 5);
  std::vector<int> tenants(kSlots);
  for (int i = 0; i < 1'000'000; ++i) {
    ++tenants[hash_slot(bucket_key("n", {&limit, "tenant-" + std::to_string(i), true}))];
  }
  const auto [least, most] = std::minmax_element(tenants.begin(), tenants.end());
  EXPECT_GT(*least, 20);  // 61 on average.
  EXPECT_LT(*most, 120);
}

TEST(RedisKeys, ALongKeyIsHashed) {
  const auto limit = sliding_log("l", 5);
  EXPECT_EQ(bucket_key("n", {&limit, std::string(128, 'a')}), "n:{n}:l:" + std::string(128, 'a'));
  // printf 'a%.0s' {1..129} | sha256sum
  EXPECT_EQ(bucket_key("n", {&limit, std::string(129, 'a')}),
            "n:{n}:l:sha256-c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae");
  EXPECT_EQ(net::sha1_hex("return 1"), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

struct RedisCalls : ::testing::Test {
  limits::Limit log = sliding_log("log", 100, Duration::seconds(1));
  limits::Limit bucket = token_bucket("bucket", {1, 50'000}, 40);
  ScriptCalls calls{{0, 1, 2, 3, 4, 5, 6, 255}};
  LinePtr line;
  const std::string id{"\0\1\2\3\4\5\6\377\1\2\3\4\5\6", 14};
  const core::AskId ask{0xabcd'0102'0304'0506};

  void SetUp() override {
    log.cost = {3};
    const Bucket buckets[] = {{&log, ""}, {&bucket, std::string("a\0b", 3)}};
    line = make_line({4}, "ns", buckets);
    calls.prepare(*line);
  }
  const std::vector<std::string> keys{"ns:{ns}:log:", std::string("ns:{ns}:bucket:a\0b", 18)};
  const std::string memo = "ns:{ns}:log::asked:00010203040506ff:4";
  const std::vector<std::string> arguments{"sliding_log", "3", "100",   "1000000", "token_bucket",
                                           "1",           "1", "50000", "40"};

  using Words = std::vector<std::string>;
  static Words together(std::initializer_list<Words> parts) {
    Words all;
    for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  // Without the name and the script.
  Words acquire(const core::Ask& wanted, CallBy by = CallBy::digest) {
    std::string out;
    calls.append_acquire(out, by, *line, wanted);
    const Words sent = words(out);
    EXPECT_EQ(sent[0], by == CallBy::digest ? "EVALSHA" : "EVAL");
    const std::string digest = by == CallBy::digest ? sent[1] : net::sha1_hex(sent[1]);
    EXPECT_EQ(digest, line->scripts->acquire.sha1);
    return {sent.begin() + 2, sent.end()};
  }
};

TEST_F(RedisCalls, AcquireNamesTheBucketsAndThenTheAsk) {
  const core::Ask wanted{{4}, ask, {2}, {64}, Duration::millis(500)};
  const Words expected =
      together({{"3"}, keys, {memo}, arguments, {"2", "64", "500000", id, "0", "", "2000"}});
  EXPECT_EQ(acquire(wanted), expected);
  EXPECT_EQ(acquire(wanted, CallBy::text), expected);
}

TEST_F(RedisCalls, AnAskSentAgainSaysSo) {
  core::Ask wanted{{4}, ask, {2}, {64}, Duration::millis(500)};
  wanted.again = true;
  EXPECT_EQ(acquire(wanted),
            together({{"3"}, keys, {memo}, arguments, {"2", "64", "500000", id, "1", "", "2000"}}));
}

TEST_F(RedisCalls, EveryAlgorithmIsCalledByItsName) {
  const auto described = [&](limits::Parameters parameters) {
    const limits::Limit limit{"l", parameters, {2}};
    const Bucket buckets[] = {{&limit, "key"}};
    line = make_line({4}, "ns", buckets);
    calls.prepare(*line);
    Words all = acquire({{4}, ask, {1}, {1}, Duration{}});
    all.erase(all.begin(), all.begin() + 3);  // The keys.
    all.resize(all.size() - 7);               // The ask.
    return all;
  };
  const limits::Rate rate{3, 50'000};
  const Duration second = Duration::seconds(1);
  EXPECT_EQ(described(limits::SlidingLogParameters{{9}, second}),
            (Words{"sliding_log", "2", "9", "1000000"}));
  EXPECT_EQ(described(limits::ConcurrencyParameters{{9}, second}),
            (Words{"concurrency", "2", "9", "1000000"}));
  EXPECT_EQ(described(limits::TokenBucketParameters{rate, {9}}),
            (Words{"token_bucket", "2", "3", "50000", "9"}));
  EXPECT_EQ(described(limits::LeakyBucketParameters{rate, {9}, false}),
            (Words{"leaky_meter", "2", "3", "50000", "9"}));
  EXPECT_EQ(described(limits::LeakyBucketParameters{rate, {9}, true}),
            (Words{"leaky_queue", "2", "3", "50000", "9"}));
  EXPECT_EQ(described(limits::SmoothParameters{rate, {9}, second, false}),
            (Words{"smooth", "2", "3", "50000", "9", "1000000", "0"}));
  EXPECT_EQ(described(limits::SmoothParameters{rate, {9}, second, true}),
            (Words{"smooth", "2", "3", "50000", "9", "1000000", "1"}));
  EXPECT_EQ(described(limits::WarmUpParameters{rate, second, second * 2}),
            (Words{"warm_up", "2", "3", "50000", "1000000", "2000000"}));
  EXPECT_EQ(described(limits::CounterParameters{{9}, second}),
            (Words{"counter", "2", "9", "1000000"}));
  EXPECT_EQ(described(limits::FixedWindowParameters{{9}, second, false}),
            (Words{"fixed_window", "2", "9", "1000000", "0"}));
  // FNV-1a of "key" is 0x3dc94a19365b10ec.
  EXPECT_EQ(described(limits::FixedWindowParameters{{9}, second, true}),
            (Words{"fixed_window", "2", "9", "1000000", "21548"}));
  EXPECT_EQ(described(limits::SlidingWindowParameters{{9}, second, 7, false}),
            (Words{"sliding_window", "2", "9", "1000000", "7"}));
  EXPECT_EQ(described(limits::SlidingWindowParameters{{9}, second, 7, true}),
            (Words{"sliding_window_newest", "2", "9", "1000000", "7"}));
}

TEST_F(RedisCalls, LinesOfTheSameBucketsRememberApart) {
  const Bucket buckets[] = {{&log, ""}};
  const LinePtr other = make_line({0x1f}, "ns", buckets);
  calls.prepare(*other);
  EXPECT_TRUE(other->memo.ends_with("ns:{ns}:log::asked:00010203040506ff:31\r\n")) << other->memo;
}

TEST_F(RedisCalls, ACostFromTheRecordGoesToTheLimitsThatTakeIt) {
  limits::Limit also = log;
  log.cost_from_record = also.cost_from_record = true;
  const Bucket buckets[] = {{&log, ""}, {&bucket, std::string("a\0b", 3)}, {&also, "x"}};
  line = make_line({4}, "ns", buckets);
  calls.prepare(*line);
  const Words all_keys = together({keys, {"ns:{ns}:log:x"}});
  const auto costing = [&](const std::string& cost) {
    Words all = together({arguments, {"sliding_log", cost, "100", "1000000"}});
    all[1] = cost;
    return all;
  };
  core::Ask wanted{{4}, ask, {2}, {64}, Duration{}};
  for (const std::int64_t cost : {7, 123'456}) {
    wanted.cost = {cost};
    const Words expected = together({{"4"},
                                     all_keys,
                                     {memo},
                                     costing(std::to_string(cost)),
                                     {"2", "64", "0", id, "0", "", "2000"}});
    EXPECT_EQ(acquire(wanted), expected);
    EXPECT_EQ(acquire(wanted, CallBy::text), expected);
  }
  std::string out;
  const PermitId permits[] = {{ask, 0, {5}, {9}}};
  calls.append_release(out, CallBy::digest, *line, permits);
  const Words sent = words(out);
  EXPECT_EQ(Words(sent.begin() + 2, sent.end()),
            together({{"3"},
                      all_keys,
                      costing("9"),
                      {"unused", "", "2000", id + std::string("\0\0", 2), "5"}}));
}

TEST_F(RedisCalls, ReleaseNamesTheBucketsAndThenThePermits) {
  std::string out;
  const PermitId permits[] = {{ask, 0, {1'800'000'000'000'001}}, {ask, 0x1234, {17}}};
  calls.append_release(out, CallBy::digest, *line, permits);
  const Words sent = words(out);
  EXPECT_EQ(Words(sent.begin() + 2, sent.end()),
            together({{"2"},
                      keys,
                      arguments,
                      {"unused", "", "2000", id + std::string("\0\0", 2), "1800000000000001",
                       id + "\x12\x34", "17"}}));
}

// So while a slot moves it always runs at one of two nodes.
TEST_F(RedisCalls, WhatHasEndedNamesOnlyTheBucketsThatHeldIt) {
  limits::Limit places{"places", limits::ConcurrencyParameters{{5}, Duration::seconds(60)}, {1}};
  places.cost_from_record = true;
  bucket.by_flows = true;
  const Bucket buckets[] = {{&log, ""}, {&places, "a"}, {&bucket, ""}};
  line = make_line({4}, "ns", buckets);
  calls.prepare(*line);
  std::string out;
  const PermitId permits[] = {{ask, 0, {17}, {2}}};
  calls.append_release(out, CallBy::digest, *line, permits, Return::ended);
  const Words sent = words(out);
  EXPECT_EQ(sent[1], line->scripts->release.sha1);
  EXPECT_EQ(Words(sent.begin() + 2, sent.end()),
            (Words{"1", "ns:{ns}:places:a", "concurrency", "2", "5", "60000000", "ended", "",
                   "2000", id + std::string("\0\0", 2), "17"}));
}

}  // namespace
}  // namespace einlass::redis::testing
