#include "app/record/filters.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

using config::Condition;
using config::KeySource;
using Kind = config::KeySource::Kind;

const KeySource kStatus{Kind::header, "status"};
const KeySource kAmount{Kind::json, "/order/amount"};

Condition equals(const KeySource& by, const char* value) {
  Condition condition;
  condition.by = by;
  condition.equals = value;
  return condition;
}

Condition in(const KeySource& by, std::vector<std::string> values) {
  Condition condition;
  condition.by = by;
  condition.in = std::move(values);
  return condition;
}

Condition not_in(const KeySource& by, std::vector<std::string> values) {
  Condition condition;
  condition.by = by;
  condition.not_in = std::move(values);
  return condition;
}

Condition exists(const KeySource& by, bool is) {
  Condition condition;
  condition.by = by;
  condition.exists = is;
  return condition;
}

config::Config with(std::vector<Condition> filter) {
  config::Config config;
  config.targets.resize(1);
  config.routes.resize(1);
  config.routes[0].filter = std::move(filter);
  return config;
}

bool passes(const std::vector<Condition>& filter, const kafka::Message& message) {
  const config::Config config = with(filter);
  const Stored stored(message, json_needs(config)[0]);
  return Filters(config).lets_pass(core::RouteId{0}, stored.record);
}

bool passes_with(const Condition& condition, std::vector<kafka::Header> headers) {
  kafka::Message message;
  message.topic = "results";
  message.headers = headers;
  return passes({condition}, message);
}

bool passes_value(const Condition& condition, std::string_view value) {
  kafka::Message message;
  message.topic = "results";
  message.value = value;
  return passes({condition}, message);
}

TEST(Filters, a_route_without_conditions_lets_all_pass) {
  EXPECT_TRUE(passes({}, kafka::Message{}));
}

TEST(Filters, equals_means_there_and_the_same) {
  const Condition done = equals(kStatus, "done");
  EXPECT_TRUE(passes_with(done, {{"status", "done"}}));
  EXPECT_TRUE(passes_with(done, {{"Status", "done"}}));  // Names of headers have no case.
  EXPECT_FALSE(passes_with(done, {{"status", "Done"}}));
  EXPECT_FALSE(passes_with(done, {{"status", ""}}));
  EXPECT_FALSE(passes_with(done, {}));
}

TEST(Filters, in_means_there_and_one_of_them) {
  const Condition some = in(kStatus, {"paid", "done", "open"});
  for (const char* one : {"done", "open", "paid"}) {
    EXPECT_TRUE(passes_with(some, {{"status", one}})) << one;
  }
  EXPECT_FALSE(passes_with(some, {{"status", "do"}}));
  EXPECT_FALSE(passes_with(some, {}));
}

TEST(Filters, not_in_takes_what_is_not_there) {
  const Condition others = not_in(kStatus, {"test", "draft"});
  EXPECT_FALSE(passes_with(others, {{"status", "draft"}}));
  EXPECT_FALSE(passes_with(others, {{"status", "test"}}));
  EXPECT_TRUE(passes_with(others, {{"status", "done"}}));
  EXPECT_TRUE(passes_with(others, {}));
}

TEST(Filters, exists_asks_for_any_value_or_none) {
  const Condition there = exists(kStatus, true), gone = exists(kStatus, false);
  EXPECT_TRUE(passes_with(there, {{"status", ""}}));
  EXPECT_FALSE(passes_with(there, {{"status", std::nullopt}}));
  EXPECT_FALSE(passes_with(there, {}));
  EXPECT_TRUE(passes_with(gone, {}));
  EXPECT_FALSE(passes_with(gone, {{"status", "x"}}));
}

TEST(Filters, a_header_that_says_two_things_is_not_there) {
  const Condition there = exists(kStatus, true);
  EXPECT_FALSE(passes_with(there, {{"status", "a"}, {"status", "b"}}));
  EXPECT_TRUE(passes_with(there, {{"status", "a"}, {"status", "a"}}));
}

TEST(Filters, a_number_in_a_condition_is_the_same_however_it_is_written) {
  constexpr char kFive[] = R"({"order":{"amount":5}})";
  for (const char* five : {"5", "5.0", "5e0", "0.5E1", "50e-1"}) {
    EXPECT_TRUE(passes_value(equals(kAmount, five), kFive)) << five;
    EXPECT_TRUE(passes_value(in(kAmount, {"x", five}), kFive)) << five;
    EXPECT_FALSE(passes_value(not_in(kAmount, {"x", five}), kFive)) << five;
  }
  for (const char* other : {"5.", ".5e1", "+5", "05", "5e", " 5"}) {
    EXPECT_FALSE(passes_value(equals(kAmount, other), kFive)) << other;
  }
  EXPECT_TRUE(passes_value(equals(kAmount, "1e3"), R"({"order":{"amount":1000.0}})"));
}

// As the version of a program, of which 1.1 and 1.10 are two.
TEST(Filters, a_text_that_looks_like_a_number_is_compared_as_text) {
  EXPECT_TRUE(passes_value(equals(kAmount, "1.10"), R"({"order":{"amount":"1.10"}})"));
  EXPECT_FALSE(passes_value(equals(kAmount, "1.10"), R"({"order":{"amount":"1.1"}})"));
  EXPECT_FALSE(passes_with(equals(kStatus, "5.0"), {{"status", "5"}}));
}

TEST(Filters, numbers_and_truths_of_json_are_their_texts) {
  EXPECT_TRUE(passes_value(equals(kAmount, "5"), R"({"order":{"amount":5}})"));
  EXPECT_TRUE(passes_value(equals(kAmount, "5"), R"({"order":{"amount":5.0}})"));
  EXPECT_TRUE(passes_value(equals(kAmount, "5"), R"({"order":{"amount":"5"}})"));
  EXPECT_TRUE(passes_value(equals(kAmount, "true"), R"({"order":{"amount":true}})"));
}

TEST(Filters, what_is_no_json_or_leads_nowhere_is_not_there) {
  const Condition gone = exists(kAmount, false);
  for (const char* value : {"not json", "{}", R"({"order":{"amount":null}})", R"({"order":7})",
                            R"({"order":{"amount":{}}})", ""}) {
    EXPECT_TRUE(passes_value(gone, value)) << value;
  }
  EXPECT_FALSE(passes_value(gone, R"({"order":{"amount":0}})"));
}

TEST(Filters, what_is_left_out_goes_to_the_route_of_that_name_wherever_it_stands) {
  config::Config config;
  config.targets.resize(1);
  config.routes.resize(3);
  for (const char* name : {"a", "b", "c"}) config.routes[name[0] - 'a'].name = name;
  config.routes[0].otherwise = "c";
  config.routes[2].otherwise = "b";
  const Filters filters(config);
  EXPECT_EQ(filters.otherwise(core::RouteId{0}), core::RouteId{2});
  EXPECT_EQ(filters.otherwise(core::RouteId{2}), core::RouteId{1});
  EXPECT_FALSE(filters.otherwise(core::RouteId{1}));
}

TEST(Filters, all_conditions_have_to_be_met) {
  const std::vector<Condition> both = {equals(kStatus, "done"),
                                       not_in({Kind::record_key, ""}, {"test"})};
  const auto with_key = [&](const char* key) {
    const std::vector<kafka::Header> headers = {{"status", "done"}};
    kafka::Message message;
    message.key = key;
    message.headers = headers;
    return passes(both, message);
  };
  EXPECT_TRUE(with_key("acme"));
  EXPECT_FALSE(with_key("test"));
}

}  // namespace
}  // namespace einlass::app
