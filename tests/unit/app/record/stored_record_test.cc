// What records bring of their values as JSON, read once when they come in.
#include "app/record/stored_record.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "app/json/json_needs.h"
#include "config/file/read_config.h"
#include "unit/app/record/stored.h"

namespace einlass::app::stored_record_test {
namespace {

using Kind = JsonScalar::Kind;

kafka::Message message_with(std::optional<std::string_view> value) {
  kafka::Message message;
  message.topic = "results";
  message.key = "key";
  message.value = value;
  return message;
}

JsonNeeds pointers(std::initializer_list<const char*> texts) {
  JsonNeeds needs;
  for (const char* text : texts) needs.pointers.emplace_back(text);
  return needs;
}

TEST(StoredRecord, has_what_was_needed_of_its_value) {
  const std::string value = R"({"a": {"b": "text"}, "n": 1.50, "t": true, "z": null})";
  const Stored stored(message_with(value), pointers({"/a/b", "/n", "/t", "/z", "/none", "/a"}));
  EXPECT_EQ(stored.record.json("/a/b").text, "text");
  EXPECT_EQ(stored.record.json("/a/b").kind, Kind::text);
  EXPECT_EQ(stored.record.json("/n").text, "1.5");
  EXPECT_EQ(stored.record.json("/n").kind, Kind::number);
  EXPECT_EQ(stored.record.json("/t").text, "true");
  for (const char* none : {"/z", "/none", "/a"}) {
    EXPECT_EQ(stored.record.json(none).kind, Kind::none) << none;
  }
  EXPECT_EQ(stored.record.value(), value) << "and is as it was";
  EXPECT_EQ(stored.record.key(), "key");
}

TEST(StoredRecord, a_value_that_is_no_json_or_none_has_nothing) {
  for (const std::optional<std::string_view> value :
       {std::optional<std::string_view>("{\"a\":1"), std::optional<std::string_view>(""),
        std::optional<std::string_view>()}) {
    const Stored stored(message_with(value), {{JsonPointer("/a")}, true});
    EXPECT_EQ(stored.record.json("/a").kind, Kind::none);
    EXPECT_FALSE(stored.record.listable());
    EXPECT_EQ(stored.record.value(), value);
  }
}

TEST(StoredRecord, nothing_is_read_of_a_value_that_is_too_large) {
  const std::string value = R"({"a": "b"})";
  JsonNeeds needs = pointers({"/a"});
  needs.in_lists = true;
  for (const std::size_t largest : {value.size() - 1, value.size()}) {
    needs.largest = Bytes{static_cast<std::int64_t>(largest)};
    const Stored stored(message_with(value), needs);
    const bool fits = largest == value.size();
    EXPECT_EQ(stored.record.json("/a").kind, fits ? Kind::text : Kind::none);
    EXPECT_EQ(stored.record.listable(), fits);
    EXPECT_EQ(stored.record.value(), value);
  }
}

TEST(StoredRecord, what_is_found_may_be_long) {
  const std::string text(100'000, 'x'), value = "{\"a\":\"" + text + "\",\"b\":\"" + text + "\"}";
  const Stored stored(message_with(value), pointers({"/b", "/a"}));
  EXPECT_EQ(stored.record.json("/a").text, text);
  EXPECT_EQ(stored.record.json("/b").text, text);
  EXPECT_EQ(stored.record.value(), value);
}

TEST(RecordStore, reads_again_when_something_else_is_needed) {
  RecordStore records({pointers({"/a"})});
  const std::string value = R"({"a": "1", "b": "2"})";
  const core::RecordId id = records.put(message_with(value), core::RouteId{0});
  records.bring_up_to_date(id);
  EXPECT_EQ(records[id].json("/a").text, "1");
  records.want({pointers({"/b", "/a"})});
  EXPECT_EQ(records[id].json("/a").text, "1") << "not before it is brought up to date";
  records.bring_up_to_date(id);
  EXPECT_EQ(records[id].json("/b").text, "2");
  EXPECT_EQ(records[id].json("/a").text, "1");
  EXPECT_EQ(records[id].value(), value);
  records.want({{}});
  records.bring_up_to_date(id);
  EXPECT_EQ(records[id].value(), value);
}

TEST(RecordStore, a_value_that_was_read_with_what_the_next_route_needs_is_not_read_again) {
  RecordStore records({pointers({"/a", "/b"}), pointers({"/b"}), {}, pointers({"/c"})});
  const core::RecordId id =
      records.put(message_with(R"({"a": "1", "b": "2", "c": "3"})"), core::RouteId{0});
  records.hand_on(id, core::RouteId{1});
  records.bring_up_to_date(id);
  EXPECT_EQ(records[id].json("/b").text, "2");
  EXPECT_EQ(records[id].json("/a").text, "1") << "the route does not need it: it was read again";
  records.hand_on(id, core::RouteId{2});
  EXPECT_EQ(records[id].json("/a").text, "1") << "nobody needs anything: it was read again";
  records.hand_on(id, core::RouteId{3});
  EXPECT_EQ(records[id].json("/c").text, "3");
}

TEST(RecordStore, a_slot_forgets_what_it_was_read_with) {
  RecordStore records({pointers({"/a"}), {}});
  records.forget(records.put(message_with(R"({"a": "1"})"), core::RouteId{0}));
  const core::RecordId id = records.put(message_with(R"({"a": "2"})"), core::RouteId{0});
  EXPECT_EQ(records[id].json("/a").text, "2");
  records.forget(id);
  const core::RecordId other = records.put(message_with("no JSON"), core::RouteId{1});
  EXPECT_DEATH(records[other].json("/a"), "broken invariant");
}

std::vector<JsonNeeds> needs_in(const std::string& text) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return {}; };
  const auto read = config::parse_config(text, "F", nothing);
  EXPECT_TRUE(std::holds_alternative<config::Config>(read));
  return json_needs(std::get<config::Config>(read));
}

TEST(JsonNeeds, are_those_of_the_limits_the_shadows_and_the_target) {
  const std::vector<JsonNeeds> needs = needs_in(R"(
limits:
  one: {algorithm: token_bucket, rate: 1/s, burst: 9, key: json:/tenant, cost: json:/units}
  tried: {algorithm: token_bucket, rate: 1/s, burst: 9, key: json:/tenant, cost: json:/more, shadow: true}
targets:
  varied: {http: {url: "http://h/{json:/path}", method: "{json:/verb}", headers: {X-Id: "{json:/path}"}}}
  many: {http: {url: "http://h/", batch: {records: 10}}}
  lines: {http: {url: "http://h/", batch: {records: 10, format: lines}}}
  plain: {http: {url: "http://h/"}}
routes:
  - {name: a, topics: [a], target: varied, limits: [one, tried]}
  - {name: b, topics: [b], target: many}
  - {name: c, topics: [c], target: lines}
  - {name: d, topics: [d], target: plain}
)");
  EXPECT_EQ(needs[0], pointers({"/tenant", "/units", "/more", "/path", "/verb"}));
  EXPECT_EQ(needs[1], (JsonNeeds{{}, true}));
  EXPECT_FALSE(needs[2].any());
  EXPECT_FALSE(needs[3].any());
}

TEST(JsonNeeds, of_routes_that_have_what_another_leaves_out_are_read_with_its_own) {
  const std::vector<JsonNeeds> needs = needs_in(R"(
limits:
  tenants: {algorithm: token_bucket, rate: 1/s, burst: 9, key: json:/tenant}
targets:
  plain: {http: {url: "http://h/"}}
  many: {http: {url: "http://h/", batch: {records: 10}}}
routes:
  - {name: a, topics: [a], target: plain, filter: [{by: json:/kind, equals: a}], else: b}
  - {name: b, topics: [b], target: plain, filter: [{by: header:kind, equals: b}], else: c}
  - name: c
    topics: []
    target: plain
    limits: [tenants]
    filter: [{by: json:/kind, equals: c}]
    else: d
  - {name: d, topics: [], target: many}
)");
  EXPECT_EQ(needs[0], (JsonNeeds{{JsonPointer("/kind"), JsonPointer("/tenant")}, true}));
  EXPECT_FALSE(needs[1].any()) << "what it lets pass is not read at all";
  EXPECT_EQ(needs[2], (JsonNeeds{{JsonPointer("/tenant"), JsonPointer("/kind")}, true}));
  EXPECT_EQ(needs[3], (JsonNeeds{{}, true}));
}

}  // namespace
}  // namespace einlass::app::stored_record_test
