// The hash of what strangers choose, and where it is used.
#include "units/keyed_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <unordered_set>

#include "app/record/extract.h"

namespace einlass {
namespace {

// Python hashes by it too: PYTHONHASHSEED=0 python3 -c 'print(hash(bytes(range(7))) % 2**64)'
TEST(KeyedHash, is_siphash) {
  std::string bytes;
  const auto of_first = [&](int count) {
    while (bytes.size() < static_cast<std::size_t>(count)) {
      bytes += static_cast<char>(bytes.size());
    }
    return siphash13({}, std::string_view(bytes).substr(0, static_cast<std::size_t>(count)));
  };
  EXPECT_EQ(of_first(1), 7541581120933061747u);
  EXPECT_EQ(of_first(7), 3389392686435873370u);
  EXPECT_EQ(of_first(8), 16921169381604339434u);
  EXPECT_EQ(of_first(15), 17514137373579004394u);
  EXPECT_EQ(of_first(16), 9904005486622393783u);
  EXPECT_EQ(of_first(64), 8493894268803903686u);
}

TEST(KeyedHash, another_key_is_another_hash) {
  EXPECT_NE(siphash13({1, 0}, "a"), siphash13({2, 0}, "a"));
  EXPECT_NE(siphash13({0, 1}, "a"), siphash13({0, 2}, "a"));
  EXPECT_EQ(keyed_hash("a"), keyed_hash("a"));
  EXPECT_NE(keyed_hash("a"), siphash13({}, "a"));
}

// Keys of 16 bytes that std::hash cannot tell apart: its last step (MurmurHash64A) run backwards.
std::string colliding(std::uint64_t number) {
  constexpr std::uint64_t kTimes = 0xc6a4a7935bd1e995, kBack = 0x5f7a0ea7e59b19bd;
  const auto shifted = [](std::uint64_t word) { return word ^ (word >> 47); };
  const std::uint64_t first = 0xc70f6907 ^ (16 * kTimes);
  const std::uint64_t half = (first ^ (shifted(number * kTimes) * kTimes)) * kTimes;
  const std::uint64_t words[] = {number, shifted(half * kBack) * kBack};
  std::string key(16, '\0');
  std::memcpy(key.data(), words, 16);
  return key;
}

TEST(KeyedHash, keys_cannot_be_chosen_to_share_a_lane) {
  kafka::Message message;
  std::set<std::size_t> standard, lanes;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string key = colliding(i);
    standard.insert(std::hash<std::string>{}(key));
    message.key = key;
    lanes.insert(app::lane_key(message)->value);
  }
  EXPECT_EQ(standard.size(), 1u);
  EXPECT_EQ(lanes.size(), 1000u);
}

// How many keys a look-up walks in the worst bucket of a table of so many chosen ones.
template <class Hash>
std::size_t longest_chain(std::uint64_t keys) {
  std::unordered_set<std::string, Hash> table;
  for (std::uint64_t i = 0; i < keys; ++i) table.insert(colliding(i));
  std::size_t longest = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i) {
    longest = std::max(longest, table.bucket_size(i));
  }
  return longest;
}

// That the gate's tables take this hash is a rule of tests/tidy. Random keys have seven or eight in
// their worst bucket, and twenty not once in 10^12 runs.
TEST(KeyedHash, a_quarter_of_a_million_chosen_keys_share_no_bucket) {
  EXPECT_EQ(longest_chain<std::hash<std::string>>(1000), 1000u);
  EXPECT_LE(longest_chain<KeyedHash>(250'000), 20u);
}

}  // namespace
}  // namespace einlass
