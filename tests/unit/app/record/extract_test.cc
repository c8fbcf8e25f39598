#include "app/record/extract.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "unit/app/record/stored.h"

namespace einlass::app::extract_test {
namespace {

using Kind = config::KeySource::Kind;

struct Sample {
  std::vector<kafka::Header> headers;
  kafka::Message message;

  std::optional<std::string> value;

  explicit Sample(std::optional<std::string> record_value = "v") : value(std::move(record_value)) {
    message.topic = "results";
    message.number = PartitionNumber{3};
    message.key = "k";
    message.value = value;
  }

  // As the store keeps it for these limits; until the next call.
  const StoredRecord& record(const std::vector<const config::Limit*>& limits) {
    message.headers = headers;
    return stored.emplace(message, needs_of(limits)).record;
  }

  std::string key(Kind kind, std::string name = "") {
    config::Limit limit;
    limit.key = {kind, std::move(name)};
    RecordFields fields({&limit});
    return std::string(fields.read(record({&limit})).keys[0]);
  }

  std::optional<Stored> stored;
};

TEST(BucketKey, comes_from_where_the_limit_says) {
  Sample sample;
  sample.headers = {{"Tenant", "acme"}, {"tenant", "acme"}, {"null", std::nullopt}};
  EXPECT_EQ(sample.key(Kind::none), "");
  EXPECT_EQ(sample.key(Kind::record_key), "k");
  EXPECT_EQ(sample.key(Kind::topic), "results");
  EXPECT_EQ(sample.key(Kind::partition), "results-3");
  EXPECT_EQ(sample.key(Kind::header, "tenant"), "acme");
  EXPECT_EQ(sample.key(Kind::header, "null"), "");
  EXPECT_EQ(sample.key(Kind::header, "absent"), "");
}

// The server may take the other one of them.
TEST(BucketKey, a_header_that_stands_there_twice_with_different_values_is_no_key) {
  Sample sample;
  sample.headers = {{"Tenant", "acme"}, {"tenant", "other"}};
  EXPECT_EQ(sample.key(Kind::header, "tenant"), "");
  sample.headers = {{"Tenant", "acme"}, {"tenant", std::nullopt}};
  EXPECT_EQ(sample.key(Kind::header, "tenant"), "");
}

TEST(BucketKey, a_number_is_one_key_however_it_is_written) {
  Sample sample(R"([1, 1.0, 10e-1, -1.50, "1.0"])");
  for (const char* one : {"/0", "/1", "/2"}) EXPECT_EQ(sample.key(Kind::json, one), "1") << one;
  EXPECT_EQ(sample.key(Kind::json, "/3"), "-15e-1");
  EXPECT_EQ(sample.key(Kind::json, "/4"), "1.0");
}

TEST(BucketKey, follows_a_json_pointer_into_the_value) {
  Sample sample(R"({"a": {"b": [10, "x"], "~/": true}, "deep": [[]], "none": null})");
  EXPECT_EQ(sample.key(Kind::json, "/a/b/0"), "10");
  EXPECT_EQ(sample.key(Kind::json, "/a/b/1"), "x");
  EXPECT_EQ(sample.key(Kind::json, "/a/~0~1"), "true");
  for (const char* nowhere : {"/a/b/2", "/a/b/01", "/a/b/-", "/a/b/", "/a/b/x", "/a", "/deep",
                              "/none", "/", "/a/b/0/c"}) {
    EXPECT_EQ(sample.key(Kind::json, nowhere), "") << nowhere;
  }
}

TEST(BucketKey, a_value_that_is_no_json_or_nested_without_end_is_no_key) {
  EXPECT_EQ(Sample("{not json").key(Kind::json, "/a"), "");
  EXPECT_EQ(Sample(std::nullopt).key(Kind::json, "/a"), "");
  const std::string deep = "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_EQ(Sample(deep).key(Kind::json, "/a"), "");
}

using CostKind = config::CostSource::Kind;

config::Limit limit(config::KeySource key, config::CostSource cost = {},
                    config::BadKey bad_key = config::BadKey::standard) {
  config::Limit result;
  result.limit.name = "l";
  result.limit.cost_from_record = cost.kind != CostKind::number;
  result.key = std::move(key);
  result.cost = std::move(cost);
  result.default_cost = Permits{7};
  result.bad_key = bad_key;
  return result;
}

std::int64_t cost(Sample& sample, config::CostSource source) {
  const config::Limit one = limit({}, std::move(source));
  return RecordFields({&one}).read(sample.record({&one})).cost.value;
}

// 7 is what a cost that cannot be read counts as.
TEST(RecordFields, a_cost_is_a_whole_number_of_at_least_one) {
  struct Case {
    std::string_view text;
    std::int64_t cost;
  };
  for (const auto& [text, expected] : std::vector<Case>{{"1", 1},
                                                        {"042", 42},
                                                        {"1000000000", 1'000'000'000},
                                                        {"1000000001", 1'000'000'001},
                                                        {"1000000002", 1'000'000'001},
                                                        {"99999999999999999999", 1'000'000'001},
                                                        {"", 7},
                                                        {"0", 7},
                                                        {"-1", 7},
                                                        {"+1", 7},
                                                        {" 1", 7},
                                                        {"1 ", 7},
                                                        {"1.0", 7},
                                                        {"1e3", 7},
                                                        {"0x10", 7},
                                                        {"one", 7}}) {
    Sample sample;
    sample.headers = {{"Weight", text}};
    EXPECT_EQ(cost(sample, {CostKind::header, "weight"}), expected) << text;
    Sample in_json(R"({"w": ")" + std::string(text) + "\"}");
    EXPECT_EQ(cost(in_json, {CostKind::json, "/w"}), expected) << text;
  }
  Sample without;
  EXPECT_EQ(cost(without, {CostKind::header, "weight"}), 7);
  without.headers = {{"weight", std::nullopt}};
  EXPECT_EQ(cost(without, {CostKind::header, "weight"}), 7);
}

TEST(RecordFields, a_cost_in_json_may_be_a_number) {
  struct Case {
    std::string_view json;
    std::int64_t cost;
  };
  for (const auto& [json, expected] : std::vector<Case>{{"1", 1},
                                                        {"42", 42},
                                                        {"42.0", 42},
                                                        {"1e3", 1'000},
                                                        {"1e300", 1'000'000'001},
                                                        {"18446744073709551615", 1'000'000'001},
                                                        {"18446744073709551616", 1'000'000'001},
                                                        {"0", 7},
                                                        {"-1", 7},
                                                        {"-0.0", 7},
                                                        {"0.5", 7},
                                                        {"1.5", 7},
                                                        {"true", 7},
                                                        {"null", 7},
                                                        {"[3]", 7},
                                                        {"{}", 7}}) {
    Sample sample("{\"a\": {\"w\": " + std::string(json) + "}}");
    EXPECT_EQ(cost(sample, {CostKind::json, "/a/w"}), expected) << json;
  }
  Sample broken("{");
  EXPECT_EQ(cost(broken, {CostKind::json, "/w"}), 7);
  Sample none(std::nullopt);
  EXPECT_EQ(cost(none, {CostKind::json, "/w"}), 7);
}

TEST(RecordFields, bytes_are_those_of_the_value_and_never_none) {
  Sample sample("12345");
  EXPECT_EQ(cost(sample, {CostKind::bytes, ""}), 5);
  Sample empty("");
  EXPECT_EQ(cost(empty, {CostKind::bytes, ""}), 1);
  Sample null(std::nullopt);
  EXPECT_EQ(cost(null, {CostKind::bytes, ""}), 1);
}

TEST(RecordFields, a_limit_without_a_cost_from_the_record_leaves_it_alone) {
  Sample sample("12345");
  const config::Limit fixed = limit({}), bytes = limit({}, {CostKind::bytes, ""});
  EXPECT_EQ(RecordFields({&fixed}).read(sample.record({&fixed})).cost, Permits{1});
  EXPECT_EQ(RecordFields({&fixed, &bytes}).read(sample.record({&fixed, &bytes})).cost, Permits{5});
  EXPECT_EQ(RecordFields({&bytes, &fixed}).read(sample.record({&bytes, &fixed})).cost, Permits{5});
}

TEST(RecordFields, keys_are_in_the_order_of_the_limits) {
  Sample sample(R"({"a": "x", "b": "y"})");
  const config::Limit all = limit({}), a = limit({Kind::json, "/a"}), b = limit({Kind::json, "/b"}),
                      topic = limit({Kind::topic, ""});
  RecordFields fields({&b, &all, &topic, &a});
  const Extracted read = fields.read(sample.record({&b, &all, &topic, &a}));
  EXPECT_EQ(std::vector<std::string_view>(read.keys.begin(), read.keys.end()),
            (std::vector<std::string_view>{"y", "", "results", "x"}));
  EXPECT_EQ(read.bad, nullptr);
  EXPECT_TRUE(fields.any());
  EXPECT_FALSE(RecordFields({&all}).any());
  const config::Limit costed = limit({}, {CostKind::bytes, ""});
  EXPECT_TRUE(RecordFields({&costed}).any());
}

TEST(RecordFields, a_long_key_is_its_hash) {
  Sample sample;
  const std::string longest(kLongestKey, 'a'), longer(kLongestKey + 1, 'a');
  sample.headers = {{"tenant", longest}};
  EXPECT_EQ(sample.key(Kind::header, "tenant"), longest);
  sample.headers = {{"tenant", longer}};
  const std::string hashed = sample.key(Kind::header, "tenant");
  EXPECT_EQ(hashed.size(), 7u + 64u);
  EXPECT_TRUE(hashed.starts_with("sha256-"));
  const std::string other(kLongestKey + 1, 'b');
  sample.headers = {{"tenant", other}};
  EXPECT_NE(sample.key(Kind::header, "tenant"), hashed);
}

TEST(RecordFields, a_missing_key_is_bad_and_an_empty_one_is_not) {
  constexpr auto kBad = config::BadKey::dead_letter;
  const config::Limit record_key = limit({Kind::record_key, ""}, {}, kBad),
                      header = limit({Kind::header, "tenant"}, {}, kBad),
                      json = limit({Kind::json, "/a"}, {}, kBad),
                      lenient = limit({Kind::header, "tenant"});
  const auto bad = [](const config::Limit& one, Sample& sample) {
    const Extracted read = RecordFields({&one}).read(sample.record({&one}));
    EXPECT_FALSE(read.bad_is_cost);
    return read.bad == &one;
  };
  Sample sample(R"({"a": ""})");
  sample.message.key = "";
  sample.headers = {{"tenant", ""}};
  EXPECT_FALSE(bad(record_key, sample));
  EXPECT_FALSE(bad(header, sample));
  EXPECT_FALSE(bad(json, sample));
  Sample without(R"({"a": null})");
  without.message.key = std::nullopt;
  EXPECT_TRUE(bad(record_key, without));
  EXPECT_TRUE(bad(header, without));
  EXPECT_TRUE(bad(json, without));
  EXPECT_FALSE(bad(lenient, without));
  without.headers = {{"tenant", std::nullopt}};
  EXPECT_TRUE(bad(header, without));
}

TEST(RecordFields, the_first_limit_that_minds_is_named) {
  constexpr auto kBad = config::BadKey::dead_letter;
  const config::Limit lenient = limit({Kind::header, "a"}, {CostKind::header, "w"}),
                      cost = limit({Kind::topic, ""}, {CostKind::header, "w"}, kBad),
                      key = limit({Kind::json, "/b"}, {}, kBad);
  Sample sample;
  const Extracted first =
      RecordFields({&lenient, &cost, &key}).read(sample.record({&lenient, &cost, &key}));
  EXPECT_EQ(first.bad, &cost);
  EXPECT_TRUE(first.bad_is_cost);
  EXPECT_EQ(bad_key_text(first), "limit l: no cost at header:w");
  const Extracted other = RecordFields({&key, &cost}).read(sample.record({&key, &cost}));
  EXPECT_EQ(other.bad, &key);
  EXPECT_EQ(bad_key_text(other), "limit l: no key at json:/b");
}

TEST(LaneKey, records_without_a_key_have_no_order) {
  Sample sample;
  EXPECT_TRUE(lane_key(sample.message));
  sample.message.key = std::nullopt;
  EXPECT_FALSE(lane_key(sample.message));
}

}  // namespace
}  // namespace einlass::app::extract_test
