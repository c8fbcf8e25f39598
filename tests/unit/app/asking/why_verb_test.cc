// Whom `einlass why` says to ask.
#include "app/asking/why_verb.h"

#include <gtest/gtest.h>

#include <vector>

namespace einlass::app {
namespace {

using Assigned = kafka::Member::Assigned;

const PartitionNumber kFirst{0}, kSecond{1}, kThird{2};
const std::set<TopicPartition> kOwn = {{"results", kFirst}, {"results", kSecond}};

TEST(WhomToAsk, is_not_the_one_that_was_asked_though_no_member_has_a_name) {
  const std::vector<kafka::Member> members = {
      {"", "10.0.0.6", {Assigned{"results", kFirst}, Assigned{"results", kSecond}}},
      {"", "10.0.0.7", {Assigned{"results", kThird}}},
      {"", "10.0.0.8", {}}};
  EXPECT_EQ(others_in_words(members, kOwn), "ask a gate at 10.0.0.7: it has results 2\n");
}

TEST(WhomToAsk, may_have_a_name_that_begins_with_the_name_of_the_one_that_was_asked) {
  const std::vector<kafka::Member> members = {
      {"einlass-0", "10.0.0.6", {Assigned{"results", kFirst}}},
      {"einlass-1", "10.0.0.6", {Assigned{"results", kSecond}}},
      {"einlass-canary-0", "10.0.0.7", {Assigned{"results", kThird}}}};
  EXPECT_EQ(others_in_words(members, kOwn),
            "ask gate einlass-canary-0 at 10.0.0.7: it has results 2\n");
}

}  // namespace
}  // namespace einlass::app
