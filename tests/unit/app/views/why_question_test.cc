// What /v1/why is asked.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "app/views/why.h"

namespace einlass::app {
namespace {

std::string wrong(std::string_view query) {
  const auto read = parse_why(query);
  const auto* text = std::get_if<std::string>(&read);
  return text ? *text : "";
}

TEST(WhyQuestions, name_one_record) {
  const auto read = parse_why("topic=a%2Fb+c&offset=9000000000&partition=3");
  const auto* question = std::get_if<WhyQuestion>(&read);
  ASSERT_NE(question, nullptr) << std::get<std::string>(read);
  EXPECT_EQ(question->topic, "a/b c");
  EXPECT_EQ(question->partition, PartitionNumber{3});
  EXPECT_EQ(question->offset, Offset{9'000'000'000});
  EXPECT_FALSE(question->key);
}

TEST(WhyQuestions, or_a_key_that_may_be_anything) {
  WhyQuestion asked;
  asked.key = std::string("a&b=c+d e%\t\0", 12);
  const auto read = parse_why(why_query(asked));
  ASSERT_TRUE(std::holds_alternative<WhyQuestion>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<WhyQuestion>(read).key, asked.key);
}

TEST(WhyQuestions, say_what_is_wrong_with_them) {
  EXPECT_NE(wrong("").find("?topic="), std::string::npos);
  EXPECT_NE(wrong("topic=a&partition=1").find("?topic="), std::string::npos);
  EXPECT_NE(wrong("topic=a&partition=1&offset=x").find("'x' is not an offset"), std::string::npos);
  EXPECT_NE(wrong("topic=a&partition=1&offset=-1").find("not an offset"), std::string::npos);
  EXPECT_NE(wrong("topic=a&partition=1e9&offset=1").find("not a partition"), std::string::npos);
  EXPECT_NE(wrong("topic=a&partition=99999999999&offset=1").find("not a partition"),
            std::string::npos);
  EXPECT_NE(wrong("key=a&topic=b").find("stands alone"), std::string::npos);
  EXPECT_NE(wrong("key=a&key=b").find("twice"), std::string::npos);
  EXPECT_NE(wrong("tenant=b").find("'tenant' is not known"), std::string::npos);
  EXPECT_NE(wrong("key=%4").find("percent"), std::string::npos);
}

}  // namespace
}  // namespace einlass::app
