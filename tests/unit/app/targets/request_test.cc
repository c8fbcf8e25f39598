#include "app/targets/request.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace einlass::app {
namespace {

constexpr RunId kRun = {1, 2, 3, 4, 5, 6, 0x87, 8};

struct Sample {
  std::vector<kafka::Header> headers;
  kafka::Message message;
  std::string skipped;
  std::string body, content_type;
  config::HttpTarget http;
  Unwritten unwritten;
  std::size_t forwarded = 0;  // Of the headers `baggage`.

  Sample() {
    message.topic = "results";
    message.number = PartitionNumber{2};
    message.offset = Offset{41};
    message.timestamp_ms = 1234;
    message.value = "body";
  }

  std::map<std::string, std::string> build(bool limited = true) {
    message.headers = headers;
    StoredRecord record;
    record.fill(message, core::RouteId{0});
    record.attempts = 3;
    RequestBuilder builder(kRun, {"X-Tenant"}, Bytes{8 << 10});
    core::Send send;
    send.attempt = core::Attempt{40};  // Of most of these nothing was sent.
    send.permit = {core::AskId{(std::uint64_t{1} << 47) + 5}, 258, Instant{99}};
    RequestTemplate parts(http);
    unwritten = builder.build(record, send, limited, parts, skipped);
    const http::Request& request = builder.request();
    std::map<std::string, std::string> found;
    forwarded = 0;
    for (const auto& header : request.headers) {
      found[std::string(header.name)] = header.value;
      forwarded += header.name == "baggage";
    }
    body = request.body;
    content_type = request.content_type;
    return found;
  }
};

TEST(Request, says_where_the_record_comes_from_and_by_which_permit) {
  Sample sample;
  const auto headers = sample.build();
  EXPECT_EQ(headers.at("Idempotency-Key"), "\"results-2-41\"");
  EXPECT_EQ(headers.at("Einlass-Permit"), "01020304-0506-8708-8000-000000050102");
  EXPECT_EQ(headers.at("Einlass-Admitted-At"), "99");
  EXPECT_EQ(headers.at("Einlass-Attempt"), "3");
  EXPECT_EQ(headers.at("Kafka-Topic"), "results");
  EXPECT_EQ(headers.at("Kafka-Partition"), "2");
  EXPECT_EQ(headers.at("Kafka-Offset"), "41");
  EXPECT_EQ(headers.at("Kafka-Timestamp"), "1234");
  EXPECT_EQ(sample.body, "body");
  EXPECT_EQ(headers.count("Kafka-Tombstone"), 0u);
}

TEST(Request, without_a_limit_there_is_no_permit) {
  EXPECT_EQ(Sample().build(false).count("Einlass-Permit"), 0u);
}

TEST(Request, a_null_value_is_a_tombstone) {
  Sample sample;
  sample.message.value = std::nullopt;
  EXPECT_EQ(sample.build().at("Kafka-Tombstone"), "true");
  EXPECT_EQ(sample.body, "");
}

TEST(Request, a_key_that_is_not_visible_ascii_is_base64) {
  Sample sample;
  sample.message.key = "plain";
  EXPECT_EQ(sample.build().at("Kafka-Key"), "plain");
  for (const auto& [key, coded] : std::map<std::string, std::string>{{"a b", "YSBi"},
                                                                     {std::string("\0", 1), "AA=="},
                                                                     {"\xff\xfe", "//4="},
                                                                     {"a\r\nb", "YQ0KYg=="}}) {
    sample.message.key = key;
    EXPECT_EQ(sample.build().at("Kafka-Key-Base64"), coded);
  }
}

TEST(Request, forwards_the_trace_context_and_what_is_allowed_and_nothing_else) {
  Sample sample;
  sample.headers = {{"traceparent", "00-1-2-01"},
                    {"x-tenant", "acme"},
                    {"secret", "s"},
                    {"Content-Type", "text/plain"},
                    {"baggage", std::nullopt}};
  const auto headers = sample.build();
  EXPECT_EQ(headers.at("traceparent"), "00-1-2-01");
  EXPECT_EQ(headers.at("x-tenant"), "acme");
  EXPECT_EQ(headers.count("secret"), 0u);
  EXPECT_EQ(headers.count("baggage"), 0u);
  EXPECT_EQ(sample.content_type, "text/plain");
  EXPECT_TRUE(sample.skipped.empty());
}

TEST(Request, a_header_that_would_break_out_is_left_out_and_named) {
  Sample sample;
  sample.headers = {{"traceparent", "1\r\nX-Injected: 2"}};
  EXPECT_EQ(sample.build().count("traceparent"), 0u);
  EXPECT_EQ(sample.skipped, "traceparent");
}

TEST(Request, a_key_that_is_more_than_a_head_takes_is_left_out_and_takes_room_of_the_others) {
  Sample sample;
  sample.headers = {{"traceparent", "1"}};
  const std::string visible(8 * 1024 + 1, 'k'), bytes(6 * 1024 + 1, '\0');
  sample.message.key = std::string_view(visible).substr(1);
  EXPECT_EQ(sample.build().at("Kafka-Key").size(), 8u * 1024);
  EXPECT_EQ(sample.skipped, "traceparent");
  sample.message.key = visible;
  EXPECT_EQ(sample.build().count("Kafka-Key"), 0u);
  EXPECT_EQ(sample.skipped, "");
  sample.message.key = std::string_view(bytes).substr(1);
  EXPECT_EQ(sample.build().at("Kafka-Key-Base64").size(), 8u * 1024);
  sample.message.key = bytes;
  EXPECT_EQ(sample.build().count("Kafka-Key-Base64"), 0u);
}

// A server that gets too large a head over HTTP/2 cuts the connection that all records share.
TEST(Request, what_is_sent_on_of_a_record_is_bounded) {
  Sample sample;
  const std::string long_one(40'000, 'x'), rest(8 * 1024 - 9 - 32 - 10 - 32, 'x');
  sample.headers = {
      {"baggage", long_one}, {"x-tenant", "a"}, {"tracestate", rest}, {"traceparent", "1"}};
  const auto headers = sample.build();
  EXPECT_EQ(headers.count("baggage"), 0u);
  EXPECT_EQ(headers.at("x-tenant"), "a");
  EXPECT_EQ(headers.at("tracestate"), rest);
  EXPECT_EQ(headers.count("traceparent"), 0u);
  EXPECT_EQ(sample.skipped, "traceparent");
}

// Servers bound how many there are, too.
TEST(Request, headers_with_nothing_in_them_take_room) {
  Sample sample;
  sample.headers.assign(1'000, {"baggage", ""});
  const auto headers = sample.build();
  EXPECT_EQ(sample.skipped, "baggage");
  EXPECT_EQ(sample.forwarded, 8u * 1024 / (7 + 32));
}

// All that a record writes into the head has the same room: its key first, then what it must write,
// then what is sent on.
TEST(Request, what_a_record_writes_into_the_parts_of_a_request_takes_room_of_the_rest) {
  using Kind = config::TemplatePiece::Kind;
  Sample sample;
  const std::string three(3 * 1024, 'k');
  sample.message.key = three;
  sample.headers = {{"x-tenant", "a"}};
  sample.http.path_template = {{Kind::text, "/" + std::string(1'000, 'c') + "/"}, {Kind::key, ""}};
  EXPECT_EQ(sample.build().count("x-tenant"), 1u);
  EXPECT_EQ(sample.unwritten.why, "");
  const std::string rest(2 * 1024 - 10, 'x');
  sample.headers = {{"baggage", rest}, {"x-tenant", "a"}};
  EXPECT_EQ(sample.build().count("baggage"), 0u) << "with its own name and the bytes of a field";
  EXPECT_EQ(sample.skipped, "baggage");
  EXPECT_EQ(sample.unwritten.why, "");
  sample.http.header_templates = {{"X-Key", {{Kind::key, ""}}}};
  sample.build();
  EXPECT_EQ(sample.unwritten.why,
            "no header X-Key for it: the record has more for the head than head_bytes");
  EXPECT_TRUE(sample.unwritten.too_large);
}

}  // namespace
}  // namespace einlass::app
