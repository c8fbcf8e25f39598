#include "app/extract.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einlass::app {
namespace {

using Kind = config::KeySource::Kind;

struct Sample {
  std::vector<kafka::Header> headers;
  kafka::Message message;
  std::string scratch;

  explicit Sample(std::optional<std::string_view> value = "v") {
    message.topic = "results";
    message.number = PartitionNumber{3};
    message.key = "k";
    message.value = value;
  }

  std::string key(Kind kind, std::string name = "") {
    message.headers = headers;
    return std::string(bucket_key({kind, std::move(name)}, message, scratch));
  }
};

TEST(BucketKey, comes_from_where_the_limit_says) {
  Sample sample;
  sample.headers = {{"Tenant", "acme"}, {"tenant", "other"}, {"null", std::nullopt}};
  EXPECT_EQ(sample.key(Kind::none), "");
  EXPECT_EQ(sample.key(Kind::record_key), "k");
  EXPECT_EQ(sample.key(Kind::topic), "results");
  EXPECT_EQ(sample.key(Kind::partition), "results-3");
  EXPECT_EQ(sample.key(Kind::header, "tenant"), "acme");
  EXPECT_EQ(sample.key(Kind::header, "null"), "");
  EXPECT_EQ(sample.key(Kind::header, "absent"), "");
}

TEST(BucketKey, follows_a_json_pointer_into_the_value) {
  Sample sample(R"({"a": {"b": [10, "x"], "~/": true}, "deep": [[]], "none": null})");
  EXPECT_EQ(sample.key(Kind::json, "/a/b/0"), "10");
  EXPECT_EQ(sample.key(Kind::json, "/a/b/1"), "x");
  EXPECT_EQ(sample.key(Kind::json, "/a/~0~1"), "true");
  for (const char* nowhere :
       {"/a/b/2", "/a/b/-", "/a/b/", "/a/b/x", "/a", "/deep", "/none", "/", "/a/b/0/c"}) {
    EXPECT_EQ(sample.key(Kind::json, nowhere), "") << nowhere;
  }
}

TEST(BucketKey, a_value_that_is_no_json_or_nested_without_end_is_no_key) {
  EXPECT_EQ(Sample("{not json").key(Kind::json, "/a"), "");
  EXPECT_EQ(Sample(std::nullopt).key(Kind::json, "/a"), "");
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_EQ(Sample(deep).key(Kind::json, "/a"), "");
}

TEST(LaneKey, records_without_a_key_have_no_order) {
  Sample sample;
  EXPECT_TRUE(lane_key(sample.message));
  sample.message.key = std::nullopt;
  EXPECT_FALSE(lane_key(sample.message));
}

}  // namespace
}  // namespace einlass::app
