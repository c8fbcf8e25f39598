// Keys, ids and the bytes of the calls.
#include "adapters/redis/line.h"

#include <gtest/gtest.h>

#include "adapters/redis/digest.h"
#include "adapters/redis/gate_side.h"
#include "adapters/redis/script_calls.h"

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

TEST(RedisKeys, ALongKeyIsHashed) {
  const auto limit = sliding_log("l", 5);
  EXPECT_EQ(bucket_key("n", {&limit, std::string(128, 'a')}), "n:{n}:l:" + std::string(128, 'a'));
  // printf 'a%.0s' {1..129} | sha256sum
  EXPECT_EQ(bucket_key("n", {&limit, std::string(129, 'a')}),
            "n:{n}:l:sha256-c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae");
  EXPECT_EQ(sha1_hex("return 1"), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
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
  const std::vector<std::string> body{"2",
                                      "ns:{ns}:log:",
                                      std::string("ns:{ns}:bucket:a\0b", 18),
                                      "sliding_log",
                                      "3",
                                      "100",
                                      "1000000",
                                      "token_bucket",
                                      "1",
                                      "1",
                                      "50000",
                                      "40"};
};

TEST_F(RedisCalls, AcquireNamesTheBucketsAndThenTheAsk) {
  std::string out;
  calls.append_acquire(out, CallBy::digest, *line, {{4}, ask, {2}, {64}, Duration::millis(500)});
  auto sent = words(out);
  EXPECT_EQ(sent[0], "EVALSHA");
  EXPECT_EQ(sent[1].size(), 40u);
  auto expected = body;
  for (const std::string& word : {std::string("2"), std::string("64"), std::string("500000"), id,
                                  std::string(), std::string("2000")}) {
    expected.push_back(word);
  }
  EXPECT_EQ(std::vector(sent.begin() + 2, sent.end()), expected);

  std::string whole;
  calls.append_acquire(whole, CallBy::text, *line, {{4}, ask, {2}, {64}, Duration::millis(500)});
  auto by_text = words(whole);
  EXPECT_EQ(by_text[0], "EVAL");
  EXPECT_EQ(sha1_hex(by_text[1]), sent[1]);
  EXPECT_EQ(std::vector(by_text.begin() + 2, by_text.end()), expected);
}

TEST_F(RedisCalls, ReleaseNamesTheBucketsAndThenThePermits) {
  std::string out;
  const PermitId permits[] = {{ask, 0}, {ask, 0x1234}};
  calls.append_release(out, CallBy::digest, *line, permits);
  auto sent = words(out);
  auto expected = body;
  for (const std::string& word :
       {std::string(), std::string("2000"), id + std::string("\0\0", 2), id + "\x12\x34"}) {
    expected.push_back(word);
  }
  EXPECT_EQ(std::vector(sent.begin() + 2, sent.end()), expected);
}

}  // namespace
}  // namespace einlass::redis::testing
