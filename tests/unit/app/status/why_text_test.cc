// What /v1/why says.
#include "app/status/why_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/asking/why_verb.h"
#include "config/file/read_config.h"

namespace einlass::app::why_text_test {
namespace {

using Json = nlohmann::json;

config::Config small_config() {
  config::Config config;
  config.targets.resize(1);
  config.targets[0].name = "billing";
  config.limits.resize(2);
  config.limits[0].limit.name = "callbacks";
  config.limits[1].limit.name = "per_tenant";
  config.limits[1].key.kind = config::KeySource::Kind::header;
  config.routes.resize(1);
  config.routes[0].name = "results";
  config.routes[0].topics = {"results"};
  config.routes[0].limits = {0, 1};
  return config;
}

const Instant kNow{1'000'000'000};

WaitingRecord waiting(core::WaitsFor waits) {
  WaitingRecord record;
  record.topic = "results";
  record.partition = PartitionNumber{3};
  record.offset = Offset{812};
  record.standing.waits = waits;
  record.keys = {"", "acme"};
  record.written = kNow - Duration::seconds(240);
  return record;
}

WhyQuestion one_record() { return {"results", PartitionNumber{3}, Offset{812}, std::nullopt}; }

Json answer(const WhyQuestion& question, const std::vector<std::optional<WhyAnswer>>& answers) {
  return Json::parse(why_json(question, answers, small_config()));
}

WhyAnswer with(core::Whereabouts where) {
  WhyAnswer answer;
  answer.now = kNow;
  answer.where = where;
  return answer;
}

TEST(Why, names_the_limit_its_key_until_when_and_how_many_go_before) {
  WaitingRecord record = waiting(core::WaitsFor::permit);
  record.standing.limit = core::LimitIndex{1};
  record.standing.until = kNow + Duration::millis(420);
  record.standing.before = 12;
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({record, std::nullopt});
  const Json json = answer(one_record(), {std::nullopt, found});
  EXPECT_EQ(json["state"], "inside");
  EXPECT_EQ(json["says"],
            "waits for a permit of limit per_tenant, key 'acme', not before 420 ms from now; 12 "
            "records go before it");
  const Json& one = json["records"][0];
  EXPECT_EQ(one["waits_for"], "limit");
  EXPECT_EQ(one["limit"], "per_tenant");
  EXPECT_EQ(one["limit_key"], "acme");
  EXPECT_EQ(one["until"], kNow.us + 420'000);
  EXPECT_EQ(one["before"], 12);
  EXPECT_EQ(one["schedule"], nullptr);
  EXPECT_EQ(one["target"], "billing");
}

TEST(Why, names_the_span_of_the_week_whose_numbers_hold) {
  WaitingRecord record = waiting(core::WaitsFor::permit);
  record.standing.limit = core::LimitIndex{0};
  record.standing.until = kNow + Duration::millis(420);
  record.schedule = {"08:00-18:00 Mon-Fri Europe/Berlin", kNow + Duration::seconds(12'000),
                     nullptr};
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({record, std::nullopt});
  const Json json = answer(one_record(), {found});
  EXPECT_EQ(json["says"],
            "waits for a permit of limit callbacks, which goes by 08:00-18:00 Mon-Fri "
            "Europe/Berlin for 3 h 20 min more, not before 420 ms from now");
  EXPECT_EQ(json["records"][0]["schedule"], (Json{{"span", "08:00-18:00 Mon-Fri Europe/Berlin"},
                                                  {"until", kNow.us + 12'000'000'000}}));
}

// As the table of quotas and pauses has it.
std::optional<Steer> upgrade_of(const Subject& paused, const Subject& asked) {
  if (asked != paused) return std::nullopt;
  Steer steer;
  steer.by = "ann";
  steer.note = "upgrade";
  steer.since_ms = 1'772'357'400'000;
  steer.until_ms = 1'772'361'000'000;
  return steer;
}

constexpr char kUpgrade[] =
    " is paused by ann since 2026-03-01T09:30:00Z until 2026-03-01T10:30:00Z: upgrade";

TEST(Why, names_the_pause_that_a_record_waits_for) {
  const std::pair<Subject, const char*> pauses[] = {
      {{Subject::Kind::route, "results", ""}, "route results"},
      {{Subject::Kind::target, "billing", ""}, "target billing"},
      {{Subject::Kind::tenant, "per_tenant", "acme"}, "limit per_tenant, key acme"},
  };
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({waiting(core::WaitsFor::pause), std::nullopt});
  for (const auto& [subject, name] : pauses) {
    const auto find = [paused = &subject](const Subject& asked) {
      return upgrade_of(*paused, asked);
    };
    const Json json = Json::parse(why_json(one_record(), {found}, small_config(), find));
    EXPECT_EQ(json["says"], std::string("waits because ") + name + kUpgrade);
    EXPECT_EQ(json["records"][0]["says"], json["says"]);
    const Json& pause = json["records"][0]["pause"];
    EXPECT_EQ(pause["name"], subject.name);
    EXPECT_EQ(pause["by"], "ann");
    EXPECT_EQ(pause["note"], "upgrade");
    EXPECT_EQ(pause["until"], 1'772'361'000'000);
    EXPECT_EQ(json["pause"], pause);
  }
  const Json resumed = answer(one_record(), {found});
  EXPECT_EQ(resumed["says"], "waits because its route, its target or its key is paused");
  EXPECT_EQ(resumed["records"][0]["pause"], nullptr);
}

TEST(Why, names_the_pause_that_keeps_an_offset_from_being_read) {
  const std::pair<Subject, const char*> pauses[] = {
      {{Subject::Kind::route, "results", ""}, "route results"},
      {{Subject::Kind::target, "billing", ""}, "target billing"},
      {{Subject::Kind::topic, "results", ""}, "topic results"},
  };
  WhyAnswer found = with(core::Whereabouts::not_yet);
  found.paused = core::RouteId{0};
  const std::string says =
      "it is not taken in yet: results partition 3 is read no further, because ";
  for (const auto& [subject, name] : pauses) {
    const auto find = [paused = &subject](const Subject& asked) {
      return upgrade_of(*paused, asked);
    };
    const Json json = Json::parse(why_json(one_record(), {found}, small_config(), find));
    EXPECT_EQ(json["says"], says + name + kUpgrade);
    EXPECT_EQ(json["pause"]["by"], "ann");
  }
  EXPECT_EQ(answer(one_record(), {found})["says"],
            says + "its route, its target or its topic is paused");
}

TEST(Why, names_the_record_that_those_behind_it_wait_for) {
  WaitingRecord record = waiting(core::WaitsFor::order);
  record.standing.before = 2;
  WaitingRecord first = waiting(core::WaitsFor::retry);
  first.offset = Offset{810};
  first.standing.attempt = core::Attempt{4};
  first.standing.until = kNow + Duration::millis(2'340);
  first.last_error = "HTTP 503";
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({record, first});
  const std::string text = why_json(one_record(), {found}, small_config());
  EXPECT_EQ(
      why_for_people(text),
      "results-3@812 (4 min old): waits behind 2 records that must leave before it\n"
      "  the first of them, results-3@810: waits for its next attempt at target billing, after "
      "attempt 4, not before 2.4 s from now\n"
      "  its last attempt failed: HTTP 503\n");
}

// As where the breaker of its own host is open, or the host's name is not known.
TEST(Why, of_a_record_of_which_nothing_was_sent_names_no_attempt) {
  WaitingRecord record = waiting(core::WaitsFor::retry);
  record.standing.attempt = core::Attempt{0};
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({record, std::nullopt});
  EXPECT_EQ(answer(one_record(), {found})["says"],
            "waits for its next attempt at target billing, to which nothing of it was sent yet");
}

// The same words as in the metrics, where such a record counts under what holds up the first.
TEST(Why, behind_another_waits_for_what_the_first_waits_for) {
  WaitingRecord record = waiting(core::WaitsFor::order);
  WaitingRecord first = waiting(core::WaitsFor::permit);
  first.standing.limit = core::LimitIndex{1};
  first.standing.until = kNow + Duration::millis(50);
  first.keys = {"", "globex"};
  WhyAnswer found = with(core::Whereabouts::inside);
  found.found.push_back({record, first});
  const Json held_up = answer(one_record(), {found})["records"][0];
  EXPECT_EQ(held_up["waits_for"], "limit");
  EXPECT_EQ(held_up["limit"], "per_tenant");
  EXPECT_EQ(held_up["limit_key"], "globex") << "it is that one's bucket that is short";
  EXPECT_EQ(held_up["until"], kNow.us + 50'000);

  found.found[0].first->standing.waits = core::WaitsFor::answer;
  found.found[0].first->standing.limit.reset();
  EXPECT_EQ(answer(one_record(), {found})["records"][0]["waits_for"], "order")
      << "nothing but the record before it is in its way";
}

TEST(Why, brings_no_commands_of_records_or_servers_into_a_terminal) {
  constexpr char kCommands[] =
      "\x1b]0;PWNED\x07\xc2\x9b"
      "2J\x7f";
  constexpr char kShown[] = "\\u001b]0;PWNED\\u0007\\u009b2J\\u007f";
  WaitingRecord record = waiting(core::WaitsFor::permit);
  record.standing.limit = core::LimitIndex{0};
  record.keys = {kCommands};
  record.last_error = kCommands;
  record.topic = kCommands;
  WhyAnswer found = with(core::Whereabouts::inside);
  found.with_key = 1;
  found.found.push_back({record, std::nullopt});
  WhyQuestion question;
  question.key = kCommands;
  const std::string text = why_for_people(why_json(question, {found}, small_config()));
  EXPECT_EQ(text.find_first_of("\x1b\x07\x7f\xc2"), text.npos) << text;
  for (const char* start : {"key '", ", key '", "failed: ", "\n"}) {
    EXPECT_NE(text.find(start + std::string(kShown)), text.npos) << start << "\n" << text;
  }
}

TEST(Why, of_a_record_that_is_not_inside) {
  EXPECT_EQ(answer(one_record(), {with(core::Whereabouts::finished)})["state"], "finished");
  const Json later = answer(one_record(), {with(core::Whereabouts::not_yet)});
  EXPECT_EQ(later["state"], "not_taken_in");
  WhyAnswer held = with(core::Whereabouts::not_yet);
  held.held = true;
  EXPECT_NE(answer(one_record(), {held})["says"].get<std::string>().find("as allowed are inside"),
            std::string::npos);
  EXPECT_EQ(answer(one_record(), {with(core::Whereabouts::returned)})["state"], "returned");
  const Json elsewhere = answer(one_record(), {WhyAnswer{}, WhyAnswer{}});
  EXPECT_EQ(elsewhere["state"], "elsewhere");
  EXPECT_EQ(elsewhere["says"],
            "results partition 3 is not this gate's now; ask the other gates of group einlass");
  WhyAnswer own;
  own.own = {{"results", PartitionNumber{7}}, {"results", PartitionNumber{1}}};
  EXPECT_EQ(answer(one_record(), {own})["says"],
            "results partition 3 is not this gate's now (it has results 1, 7); ask the other gates "
            "of group einlass");
  WhyQuestion stranger = one_record();
  stranger.topic = "orders";
  EXPECT_EQ(answer(stranger, {WhyAnswer{}})["says"], "no route of this gate reads orders");
}

TEST(Why, of_a_key_says_where_since_when_and_how_fast_they_may_go) {
  WaitingRecord record = waiting(core::WaitsFor::permit);
  record.standing.limit = core::LimitIndex{1};
  record.allowed = Allowed{0, 2};
  WhyAnswer found = with(core::Whereabouts::inside);
  found.with_key = 564;
  found.partitions = {{"results", PartitionNumber{0}}, {"results", PartitionNumber{2}}};
  found.oldest = kNow - Duration::seconds(540);
  found.found.push_back({record, std::nullopt});
  WhyQuestion question;
  question.key = "acme";
  const config::Config config = small_config();
  EXPECT_EQ(Json::parse(why_json(question, {found}, config))["says"],
            "564 records with this key are in this gate: results 0, 2; the oldest is 9 min old; at "
            "what limit per_tenant allows they need 5 min at least");
  found.routes = {core::RouteId{0}, core::RouteId{1}};
  EXPECT_EQ(Json::parse(why_json(question, {found}, config))["says"],
            "564 records with this key are in this gate: results 0, 2; the oldest is 9 min old")
      << "those of the other route may have no limit";
  WhyAnswer none = with(core::Whereabouts::elsewhere);
  none.own = {{"results", PartitionNumber{1}}};
  EXPECT_EQ(Json::parse(why_json(question, {none}, config))["says"],
            "no record with this key is in this gate, which has results 1");
}

// The first of their lane may be of another tenant, whose limit is another one.
TEST(Why, of_a_key_says_not_how_fast_where_the_bucket_is_not_theirs) {
  WaitingRecord first = waiting(core::WaitsFor::permit);
  first.keys = {"", "globex"};
  first.standing.limit = core::LimitIndex{1};
  first.allowed = Allowed{0, 1};
  WhyAnswer found = with(core::Whereabouts::inside);
  found.with_key = 500;
  found.partitions = {{"results", PartitionNumber{3}}};
  found.oldest = kNow - Duration::seconds(240);
  found.found.push_back({waiting(core::WaitsFor::order), first});
  WhyQuestion question;
  question.key = "acme";
  const std::string says =
      "500 records with this key are in this gate: results 3; the oldest is 4 min old";
  EXPECT_EQ(answer(question, {found})["says"], says);
  found.found.front().first->standing.limit = core::LimitIndex{0};  // Of all keys.
  EXPECT_EQ(answer(question, {found})["says"],
            says + "; at what limit callbacks allows they need 9 min at least");
}

TEST(Why, describes_the_first_of_a_lane_once_however_many_wait_behind_it) {
  WhyAnswer found = with(core::Whereabouts::inside);
  found.with_key = 3;
  for (int i = 0; i < 3; ++i) {
    WaitingRecord record = waiting(core::WaitsFor::order);
    record.offset = Offset{812 + i};
    found.found.push_back({record, waiting(core::WaitsFor::permit)});
  }
  WhyQuestion question;
  question.key = "acme";
  const std::string text = why_for_people(why_json(question, {found}, small_config()));
  EXPECT_EQ(text.find("the first of them"), text.rfind("the first of them")) << text;
  EXPECT_NE(text.find("results-3@814"), text.npos) << text;
}

TEST(Why, knows_topics_that_a_pattern_brings) {
  config::Config config = small_config();
  config.routes[0].topics = {"^results[.]"};
  WhyQuestion question = one_record();
  question.topic = "results.eu";
  const auto says = [&] {
    return Json::parse(why_json(question, {WhyAnswer{}}, config))["says"].get<std::string>();
  };
  EXPECT_NE(says().find("ask the other gates"), std::string::npos);
  question.topic = "results";
  EXPECT_EQ(says(), "no route of this gate reads results");
}

TEST(Why, does_not_guess_where_a_shard_is_silent) {
  EXPECT_EQ(answer(one_record(), {WhyAnswer{}, std::nullopt})["state"], "unknown");
  EXPECT_EQ(answer(one_record(), {with(core::Whereabouts::finished), std::nullopt})["state"],
            "finished")
      << "whoever has the partition knows";
}

TEST(Why, of_a_key_names_no_more_than_it_may_and_counts_them_all) {
  WhyQuestion question;
  question.key = "acme";
  WhyAnswer some;
  some.now = kNow;
  some.with_key = 400;
  for (std::size_t i = 0; i < kMostRecordsNamed; ++i) {
    some.found.push_back({waiting(core::WaitsFor::room), std::nullopt});
  }
  const Json json = answer(question, {some, some});
  EXPECT_EQ(json["inside"], 800);
  EXPECT_EQ(json["records"].size(), kMostRecordsNamed);
  EXPECT_EQ(answer(question, {WhyAnswer{}})["says"],
            "no record with this key is in this gate, which has no partitions");
}

TEST(Why, of_a_key_names_the_oldest_of_all_shards) {
  WhyQuestion question;
  question.key = "acme";
  WhyAnswer young, old;
  young.now = old.now = kNow;
  young.with_key = old.with_key = kMostRecordsNamed;
  for (std::size_t i = 0; i < kMostRecordsNamed; ++i) {
    young.found.push_back({waiting(core::WaitsFor::room), std::nullopt});
    old.found.push_back({waiting(core::WaitsFor::room), std::nullopt});
    old.found.back().record.written = kNow - Duration::seconds(3600);
    old.found.back().record.offset = Offset{7};
  }
  const Json json = answer(question, {young, old});
  ASSERT_EQ(json["records"].size(), kMostRecordsNamed);
  for (const Json& record : json["records"]) EXPECT_EQ(record["offset"], 7);
}

TEST(Why, of_a_key_does_not_guess_where_a_shard_is_silent) {
  WhyQuestion question;
  question.key = "acme";
  const std::string nowhere = why_json(question, {WhyAnswer{}, std::nullopt}, small_config());
  EXPECT_EQ(Json::parse(nowhere)["complete"], false);
  EXPECT_EQ(Json::parse(nowhere)["says"],
            "a shard of this gate did not answer, and the record may be there");
  WhyAnswer some;
  some.now = kNow;
  some.with_key = 2;
  some.partitions = {{"results", PartitionNumber{3}}};
  some.oldest = kNow - Duration::seconds(240);
  EXPECT_EQ(answer(question, {some, std::nullopt})["says"],
            "2 records with this key are in this gate: results 3; the oldest is 4 min old; a "
            "shard of this gate did not answer, and the record may be there");
  EXPECT_EQ(answer(question, {some})["complete"], true);
}

TEST(Why, shows_bytes_that_are_no_text_without_breaking_the_json) {
  WhyQuestion question;
  question.key = "\xff\xfe";
  EXPECT_NO_THROW(answer(question, {WhyAnswer{}}));
}

}  // namespace
}  // namespace einlass::app::why_text_test
