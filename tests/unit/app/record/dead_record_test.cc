#include "app/record/dead_record.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/record/dead_story.h"

namespace einlass::app {
namespace {

using Headers = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct Sample {
  std::vector<kafka::Header> brought;
  kafka::Message message;
  StoredRecord record;
  config::Route route;
  core::DeadLetter command{{4, 2}, core::DeadLetterReason::refused};

  Sample() {
    route.name = "results";
    route.dead_letter = "results.dead";
    message.topic = "results";
    message.number = PartitionNumber{3};
    message.offset = Offset{41};
    message.timestamp_ms = 1234;
    message.key = "key";
    message.value = "value";
  }

  void fill() {
    message.headers = brought;
    record.fill(message, core::RouteId{0});
  }

  void attempt(std::uint32_t number, std::int64_t at_ms) {
    record.attempts = number;
    if (number == 1) record.first_attempt = Instant{at_ms * 1000};
    record.last_attempt = Instant{at_ms * 1000};
  }

  Headers headers() const {
    const DeadRecordBuilder builder(record, command, route);
    Headers found;
    for (const kafka::Header& header : builder.record().headers) {
      found.emplace_back(header.name,
                         header.value ? std::optional(std::string(*header.value)) : std::nullopt);
    }
    return found;
  }
};

TEST(DeadRecord, is_the_record_with_its_story_behind_its_own_headers) {
  Sample sample;
  sample.brought = {{"tenant", "acme"}, {"null", std::nullopt}};
  sample.fill();
  sample.attempt(1, 5000);
  sample.attempt(2, 7000);
  sample.record.last_status = 400;
  sample.record.last_error = "status 400";
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  EXPECT_EQ(builder.record().record, (core::RecordId{4, 2}));
  EXPECT_EQ(builder.record().topic, "results.dead");
  EXPECT_EQ(builder.record().key, "key");
  EXPECT_EQ(builder.record().value, "value");
  const Headers expected = {{"tenant", "acme"},
                            {"null", std::nullopt},
                            {"einlass-route", "results"},
                            {"einlass-topic", "results"},
                            {"einlass-partition", "3"},
                            {"einlass-offset", "41"},
                            {"einlass-timestamp", "1234"},
                            {"einlass-attempts", "2"},
                            {"einlass-reason", "refused"},
                            {"einlass-error", "status 400"},
                            {"einlass-status", "400"},
                            {"einlass-first-attempt-at", "5000"},
                            {"einlass-last-attempt-at", "7000"}};
  EXPECT_EQ(sample.headers(), expected);
}

TEST(DeadRecord, without_an_attempt_there_is_no_status_and_no_time_of_one) {
  Sample sample;
  sample.fill();
  sample.command.reason = core::DeadLetterReason::bad_key;
  for (const auto& [name, value] : sample.headers()) {
    EXPECT_NE(name, "einlass-status");
    EXPECT_NE(name, "einlass-first-attempt-at");
    EXPECT_NE(name, "einlass-last-attempt-at");
    EXPECT_TRUE(name != "einlass-attempts" || value == "0");
  }
}

TEST(DeadRecord, one_that_expired_says_why_the_last_attempt_failed_or_that_there_was_none) {
  Sample sample;
  sample.fill();
  sample.command.reason = core::DeadLetterReason::expired;
  const auto story = [&] {
    const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
    const auto told = std::get<DeadStory>(read_story(builder.record().headers));
    return std::string(told.reason) + ": " + std::string(told.error);
  };
  EXPECT_EQ(story(), "expired: it may not be delivered any more, by its own `expires`");
  sample.record.last_error = "connection refused";
  EXPECT_EQ(story(), "expired: connection refused");
}

TEST(DeadRecord, what_the_record_brought_under_the_gates_names_gives_way) {
  Sample sample;
  sample.brought = {{"einlass-route", "of somebody else"},
                    {"einlass-other", "stays"},
                    {"einlass-status", "503"},
                    {"Einlass-Topic", "stays too"}};
  sample.fill();
  std::size_t routes = 0;
  for (const auto& [name, value] : sample.headers()) {
    EXPECT_NE(name, "einlass-status") << *value;
    if (name != "einlass-route") continue;
    ++routes;
    EXPECT_EQ(value, "results");
  }
  EXPECT_EQ(routes, 1u);
  EXPECT_EQ(sample.headers()[0], (Headers::value_type{"einlass-other", "stays"}));
  EXPECT_EQ(sample.headers()[1], (Headers::value_type{"Einlass-Topic", "stays too"}));
}

TEST(DeadRecord, its_error_is_ascii_whatever_the_configuration_is_written_in) {
  Sample sample;
  sample.fill();
  sample.record.last_error = "limit per_tenant: no key at header:mandant-k\xC3\xB6ln\n";
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  EXPECT_EQ(std::get<DeadStory>(read_story(builder.record().headers)).error,
            "limit per_tenant: no key at header:mandant-k??ln?");
}

TEST(DeadRecord, dead_again_adds_up_its_attempts) {
  Sample sample;
  sample.message.earlier = {5, 1000, 2000};
  sample.fill();
  sample.attempt(1, 9000);
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  const auto story = std::get<DeadStory>(read_story(builder.record().headers));
  EXPECT_EQ(story.attempts.count, 6u);
  EXPECT_EQ(story.attempts.first_ms, 1000);
  EXPECT_EQ(story.attempts.last_ms, 9000);
}

TEST(DeadRecord, dead_again_without_an_attempt_keeps_the_earlier_ones) {
  Sample sample;
  sample.message.earlier = {5, 1000, 2000};
  sample.fill();
  sample.command.reason = core::DeadLetterReason::never;
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  const auto story = std::get<DeadStory>(read_story(builder.record().headers));
  EXPECT_EQ(story.attempts.count, 5u);
  EXPECT_EQ(story.attempts.first_ms, 1000);
  EXPECT_EQ(story.attempts.last_ms, 2000);
  EXPECT_EQ(story.reason, "never");
}

TEST(DeadRecord, attempts_stop_at_the_most_that_can_be_counted) {
  Sample sample;
  sample.message.earlier = {0xfffffffe, 1000, 2000};
  sample.fill();
  sample.attempt(7, 9000);
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  EXPECT_EQ(std::get<DeadStory>(read_story(builder.record().headers)).attempts.count, 0xffffffffu);
}

// ---- reading it again ----

const std::vector<kafka::Header> kWhole = {
    {"tenant", "acme"},           {"einlass-route", "results"}, {"einlass-topic", "results"},
    {"einlass-partition", "3"},   {"einlass-offset", "41"},     {"einlass-timestamp", "1234"},
    {"einlass-reason", "refused"}};

TEST(DeadStory, reads_what_was_written) {
  Sample sample;
  sample.fill();
  sample.attempt(1, 5000);
  sample.record.last_status = 404;
  sample.record.last_error = "status 404";
  const DeadRecordBuilder builder(sample.record, sample.command, sample.route);
  const auto story = std::get<DeadStory>(read_story(builder.record().headers));
  EXPECT_EQ(story.route, "results");
  EXPECT_EQ(story.topic, "results");
  EXPECT_EQ(story.number, PartitionNumber{3});
  EXPECT_EQ(story.offset, Offset{41});
  EXPECT_EQ(story.timestamp_ms, 1234);
  EXPECT_EQ(story.reason, "refused");
  EXPECT_EQ(story.status, "404");
  EXPECT_EQ(story.error, "status 404");
  EXPECT_EQ(story.attempts.count, 1u);
}

TEST(DeadStory, the_last_of_a_name_counts) {
  auto headers = kWhole;
  headers.push_back({"einlass-offset", "42"});
  EXPECT_EQ(std::get<DeadStory>(read_story(headers)).offset, Offset{42});
}

TEST(DeadStory, only_what_names_the_record_must_be_there) {
  const std::vector<kafka::Header> least(kWhole.begin() + 1, kWhole.begin() + 5);
  const auto story = std::get<DeadStory>(read_story(least));
  EXPECT_EQ(story.timestamp_ms, -1);
  EXPECT_EQ(story.attempts.count, 0u);
  EXPECT_EQ(story.reason, "");
  for (std::size_t missing = 1; missing < 5; ++missing) {
    auto headers = kWhole;
    headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(missing));
    const auto read = read_story(headers);
    ASSERT_TRUE(std::holds_alternative<std::string>(read)) << missing;
    EXPECT_NE(std::get<std::string>(read).find(kWhole[missing].name), std::string::npos);
  }
}

TEST(DeadStory, takes_no_place_that_cannot_be_one) {
  const std::vector<kafka::Header> wrong = {{"einlass-route", ""},
                                            {"einlass-route", std::nullopt},
                                            {"einlass-topic", "two words"},
                                            {"einlass-topic", "line\r\nbreak"},
                                            {"einlass-topic", std::nullopt},
                                            {"einlass-partition", "-1"},
                                            {"einlass-partition", "2147483648"},
                                            {"einlass-partition", "1 "},
                                            {"einlass-offset", "-1"},
                                            {"einlass-offset", "+1"},
                                            {"einlass-offset", ""},
                                            {"einlass-offset", "9223372036854775808"},
                                            {"einlass-offset", std::nullopt}};
  for (const kafka::Header& header : wrong) {
    auto headers = kWhole;
    headers.push_back(header);
    EXPECT_TRUE(std::holds_alternative<std::string>(read_story(headers)))
        << header.name << ": " << header.value.value_or("null");
  }
  auto headers = kWhole;
  const std::string long_name(250, 'x');
  headers.push_back({"einlass-topic", long_name});
  EXPECT_TRUE(std::holds_alternative<std::string>(read_story(headers)));
}

}  // namespace
}  // namespace einlass::app
