#include "app/record/record_times.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

using config::KeySource;
using Kind = config::KeySource::Kind;

constexpr std::int64_t kAt = 1'795'581'000'000'000;  // 2026-11-25T04:30:00Z

RecordTimes times_of(const KeySource& expires, const kafka::Message& message) {
  config::Config config;
  config.targets.resize(1);
  config.routes.resize(1);
  config.routes[0].expires = expires;
  const Stored stored(message, json_needs(config)[0]);
  return TimeFields(config).read(core::RouteId{0}, stored.record);
}

TEST(RecordTimes, both_are_read_and_the_first_that_is_none_is_named) {
  config::Config config;
  config.targets.resize(1);
  config.routes.resize(1);
  config.routes[0].not_before = {Kind::header, "from"};
  config.routes[0].expires = {Kind::header, "to"};
  const auto read = [&](const std::vector<kafka::Header>& headers) {
    kafka::Message message;
    message.topic = "results";
    message.headers = headers;
    const Stored stored(message);
    return TimeFields(config).read(core::RouteId{0}, stored.record);
  };
  const RecordTimes both = read({{"from", "1795581000000"}, {"to", "1795581000001"}});
  EXPECT_EQ(both.not_before.us, kAt);
  EXPECT_EQ(both.expires.us, kAt + 1'000);
  EXPECT_EQ(read({{"from", "a"}, {"to", "b"}}).bad, "not_before: no time at header:from");
  EXPECT_EQ(read({{"to", "b"}}).bad, "expires: no time at header:to");
  EXPECT_EQ(read({}).not_before, Instant{});
}

RecordTimes with_headers(const std::vector<kafka::Header>& headers) {
  kafka::Message message;
  message.topic = "results";
  message.headers = headers;
  return times_of({Kind::header, "expires"}, message);
}

RecordTimes with_value(std::string_view value) {
  kafka::Message message;
  message.topic = "results";
  message.value = value;
  return times_of({Kind::json, "/meta/expires"}, message);
}

TEST(RecordTimes, of_a_header_in_either_form) {
  EXPECT_EQ(with_headers({{"expires", "2026-11-25T05:30:00+01:00"}}).expires.us, kAt);
  EXPECT_EQ(with_headers({{"Expires", "1795581000000"}}).expires.us, kAt);
  EXPECT_EQ(with_headers({{"Expires", "1795581000000"}}).bad, "");
}

TEST(RecordTimes, of_the_value_as_text_or_number) {
  for (const char* value :
       {R"({"meta":{"expires":"2026-11-25T04:30:00Z"}})", R"({"meta":{"expires":1795581000000}})",
        R"({"meta":{"expires":"1795581000000"}})", R"({"meta":{"expires":1795581000000.0}})",
        R"({"meta":{"expires":1.795581e12}})"}) {
    EXPECT_EQ(with_value(value).expires.us, kAt) << value;
  }
}

TEST(RecordTimes, without_the_field_there_is_no_time) {
  for (const RecordTimes& times :
       {with_headers({}), with_headers({{"expires", std::nullopt}}), with_value("{}"),
        with_value(R"({"meta":{"expires":null}})"), with_value(R"({"meta":{"expires":[1]}})"),
        with_value("no json")}) {
    EXPECT_EQ(times.expires, kNever);
    EXPECT_EQ(times.bad, "");
  }
}

TEST(RecordTimes, what_is_no_time_is_said_without_it) {
  for (const char* text : {"", "soon", "1795581000", "2026-11-25", "2026-11-25T04:30:00",
                           "-1795581000000", "99999999999999999999"}) {
    EXPECT_EQ(with_headers({{"expires", text}}).bad, "expires: no time at header:expires") << text;
    EXPECT_EQ(with_headers({{"expires", text}}).expires, kNever) << text;
  }
  EXPECT_EQ(with_headers({{"expires", "1795581000000"}, {"expires", "1795581000001"}}).bad,
            "expires: no time at header:expires");
  for (const char* value : {R"({"meta":{"expires":true}})", R"({"meta":{"expires":""}})",
                            R"({"meta":{"expires":1.5}})", R"({"meta":{"expires":-5}})"}) {
    EXPECT_EQ(with_value(value).bad, "expires: no time at json:/meta/expires") << value;
  }
}

}  // namespace
}  // namespace einlass::app
