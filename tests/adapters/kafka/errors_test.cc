// Errors as sentences, how long they stand, and what is read out of librdkafka's log.
#include "adapters/kafka/client/errors.h"

#include <gtest/gtest.h>

namespace einlass::kafka {
namespace {

const ErrorContext kContext{"b1:9092", "billing", "gate-1", "results"};

Instant at(std::int64_t seconds) { return Instant{} + Duration::seconds(seconds); }

TEST(Troubles, all_missing_rights_are_told_together) {
  Troubles troubles{Duration{}};
  const ErrorContext context{"b:1", "g", "i", "t"};
  troubles.add(explain(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, false, "", context),
               Instant{});
  troubles.add(explain(RD_KAFKA_RESP_ERR__TRANSPORT, false, "", context), Instant{});
  EXPECT_EQ(troubles.worst().find("group"), std::string::npos);
  troubles.add(explain(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, false, "", context),
               Instant{});
  EXPECT_NE(troubles.worst().find("the group g"), std::string::npos) << troubles.worst();
  EXPECT_NE(troubles.worst().find("the topic t"), std::string::npos) << troubles.worst();
  EXPECT_EQ(troubles.worst().find("cannot be reached"), std::string::npos) << troubles.worst();
}

TEST(Errors, say_what_and_where) {
  const auto topic = explain(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, false, "because", kContext);
  EXPECT_STREQ(topic.what, "kafka_unknown_topic");
  EXPECT_NE(topic.detail.find("results"), std::string::npos);
  EXPECT_NE(topic.detail.find("because"), std::string::npos);
  const auto login = explain(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, "", kContext);
  EXPECT_NE(login.detail.find("b1:9092"), std::string::npos);
  EXPECT_NE(login.detail.find("sasl.username"), std::string::npos);
}

// A topic may have the name of any word of it: this one is no trouble of a topic called "topic".
TEST(Errors, the_topic_is_where_librdkafkas_sentence_names_it) {
  EXPECT_EQ(topic_in("Subscribed topic not available: a: Broker: Unknown topic or partition"), "a");
  EXPECT_EQ(topic_in("Subscribed topic not available: a"), "a");
  EXPECT_EQ(topic_in("Application maximum poll interval (300000ms) exceeded by 5ms"), "");
  EXPECT_EQ(topic_in(""), "");
}

TEST(Errors, a_fatal_one_is_fatal_whatever_it_is) {
  const auto fenced = explain(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, true, "", kContext);
  EXPECT_STREQ(fenced.what, "kafka_fatal");
  EXPECT_EQ(fenced.severity, Severity::error);
  EXPECT_NE(fenced.detail.find("gate-1"), std::string::npos);
  const auto unforeseen = explain(RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, true, "", kContext);
  EXPECT_STREQ(unforeseen.what, "kafka_fatal");
}

TEST(Errors, a_commit_that_the_group_refuses_is_fenced_and_any_other_failed) {
  using core::CommitResult;
  for (const bool keeps : {false, true}) {
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_NO_ERROR, keeps), CommitResult::committed);
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, keeps), CommitResult::fenced);
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, keeps), CommitResult::fenced);
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST, keeps), CommitResult::fenced);
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, keeps), CommitResult::failed);
    EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR__WAIT_COORD, keeps), CommitResult::failed);
  }
  EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, false), CommitResult::fenced);
}

// It is not assigned again, so what is fenced in the middle of it would stay so for ever.
TEST(Errors, a_commit_in_the_middle_of_a_rebalance_that_keeps_its_partitions_is_tried_again) {
  EXPECT_EQ(commit_result(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, true), core::CommitResult::failed);
}

TEST(Troubles, is_told_once_while_it_stands) {
  Troubles troubles(Duration::seconds(30));
  const auto login = explain(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, "", kContext);
  EXPECT_TRUE(troubles.add(login, at(1)));
  EXPECT_FALSE(troubles.add(login, at(2)));
  EXPECT_FALSE(troubles.add(login, at(1000)));
  troubles.connection_works();
  EXPECT_EQ(troubles.worst(), "");
  EXPECT_TRUE(troubles.add(login, at(1031)));
}

TEST(Troubles, of_very_many_topics_leave_room_for_others) {
  Troubles troubles(Duration::seconds(30));
  Trouble one = explain(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, false, "", kContext);
  one.lasts = Lasts::topic;
  for (int i = 0; i < 1'500; ++i) {
    one.topic = "topic" + std::to_string(i);
    EXPECT_TRUE(troubles.add(one, at(0)));
    troubles.topic_works(one.topic);
  }
  Trouble away = explain(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, false, "", {});
  EXPECT_TRUE(troubles.add(away, at(0)));
  EXPECT_TRUE(troubles.any(Lasts::connection));
  // What is long over makes room for what is new.
  one.topic = "another";
  EXPECT_TRUE(troubles.add(one, at(31)));
  EXPECT_TRUE(troubles.has(one.what, "another"));
}

TEST(Troubles, that_come_and_go_are_not_told_each_time) {
  Troubles troubles(Duration::seconds(30));
  const auto login = explain(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, "", kContext);
  EXPECT_TRUE(troubles.add(login, at(0)));
  troubles.connection_works();
  EXPECT_FALSE(troubles.add(login, at(10)));
  EXPECT_NE(troubles.worst(), "");
  troubles.connection_works();
  EXPECT_TRUE(troubles.add(login, at(31)));
}

// By its property `debug` librdkafka says a thousand different things.
TEST(Troubles, that_are_none_are_told_each_time_and_not_kept) {
  Troubles troubles(Duration::seconds(30));
  const Trouble line{Severity::debug, "kafka_log", Lasts::passing, "CGRP", "joined"};
  EXPECT_TRUE(troubles.add(line, Instant{}));
  EXPECT_TRUE(troubles.add(line, Instant{}));
  EXPECT_EQ(troubles.worst(), "");
}

TEST(Troubles, of_a_topic_end_with_that_topic_only) {
  Troubles troubles(Duration{});
  troubles.add(explain(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, false, "", kContext), at(0));
  troubles.topic_works("other");
  troubles.connection_works();
  EXPECT_NE(troubles.worst().find("results"), std::string::npos);
  EXPECT_TRUE(troubles.has("kafka_unknown_topic", "results"));
  EXPECT_FALSE(troubles.has("kafka_unknown_topic", "other"));
  EXPECT_FALSE(troubles.has("kafka_topic_forbidden", "results"));
  troubles.topic_works("results");
  EXPECT_EQ(troubles.worst(), "");
  EXPECT_FALSE(troubles.has("kafka_unknown_topic", "results"));
}

TEST(Troubles, tells_the_reason_before_its_consequences) {
  Troubles troubles(Duration{});
  troubles.add(explain(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, "", kContext), at(0));
  troubles.add(explain(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, false, "", kContext), at(1));
  EXPECT_NE(troubles.worst().find("login"), std::string::npos);
  EXPECT_TRUE(troubles.has("kafka_brokers_down"));
}

TEST(Troubles, that_transactions_wait_is_what_comes_of_brokers_that_are_gone) {
  Troubles troubles(Duration{});
  troubles.add({Severity::error, "kafka_transactions_wait", Lasts::topic, "out", "they wait"},
               at(0));
  troubles.add(explain(RD_KAFKA_RESP_ERR__TRANSPORT, false, "", kContext), at(1));
  EXPECT_EQ(troubles.worst(), "they wait") << "one broker of several may be away";
  const Trouble down = explain(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, false, "", kContext);
  troubles.add(down, at(2));
  EXPECT_EQ(troubles.worst(), down.detail);
  troubles.brokers_answer();
  EXPECT_EQ(troubles.worst(), "they wait");
}

}  // namespace
}  // namespace einlass::kafka
