#include "adapters/http/client/request_writer.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace einlass::http {
namespace {

TargetOptions billing() {
  TargetOptions options;
  options.name = "billing";
  options.host = "billing.example";
  options.port = 8080;
  options.path = "/callback?x=1";
  options.headers = {{"X-Source", "einlass"}, {"Authorization", "Bearer t"}};
  return options;
}

TEST(RequestWriter, a_request_to_the_letter) {
  const RequestWriter writer(billing());
  const std::vector<RequestHeader> headers = {{"Einlass-Attempt", "2"}, {"Kafka-Key", ""}};
  const Request request{.record = {},
                        .attempt = {},
                        .id = {},
                        .content_type = "application/json",
                        .headers = headers,
                        .body = "{\"a\":1}"};
  RequestBytes bytes;
  writer.write(request, bytes);
  EXPECT_EQ(bytes.unsent(),
            "POST /callback?x=1 HTTP/1.1\r\n"
            "Host: billing.example:8080\r\n"
            "X-Source: einlass\r\n"
            "Authorization: Bearer t\r\n"
            "Content-Type: application/json\r\n"
            "Content-Length: 7\r\n"
            "Einlass-Attempt: 2\r\n"
            "Kafka-Key: \r\n"
            "\r\n"
            "{\"a\":1}");
}

TEST(RequestWriter, the_next_request_leaves_nothing_of_the_last) {
  const RequestWriter writer(billing());
  RequestBytes bytes;
  Request request{
      .record = {}, .attempt = {}, .id = {}, .content_type = {}, .headers = {}, .body = {}};
  const std::string large(200'000, 'x');
  request.body = large;
  writer.write(request, bytes);
  bytes.sent(100);
  EXPECT_TRUE(bytes.unsent().ends_with("xxx"));
  bytes.done();
  EXPECT_EQ(bytes.unsent(), "");
  request.body = {};
  writer.write(request, bytes);
  EXPECT_TRUE(bytes.unsent().starts_with("POST /"));
  EXPECT_TRUE(bytes.unsent().ends_with(
      "Content-Type: application/octet-stream\r\nContent-Length: 0\r\n\r\n"));
}

TEST(RequestWriter, the_host_header_leaves_out_the_schemes_own_port_and_brackets_ipv6) {
  const auto host = [](std::string name, std::uint16_t port, bool tls) {
    TargetOptions options = billing();
    options.host = std::move(name);
    options.port = port;
    options.tls = tls;
    RequestBytes bytes;
    RequestWriter(options).write(Request{}, bytes);
    const std::string text(bytes.unsent());
    const std::size_t at = text.find("Host: ") + 6;
    return text.substr(at, text.find("\r\n", at) - at);
  };
  EXPECT_EQ(host("a.example", 80, false), "a.example");
  EXPECT_EQ(host("a.example", 443, true), "a.example");
  EXPECT_EQ(host("a.example", 443, false), "a.example:443");
  EXPECT_EQ(host("::1", 80, false), "[::1]");
  EXPECT_EQ(host("[::1]", 8080, false), "[::1]:8080");
}

TEST(RequestWriter, options_that_would_break_a_request_are_refused) {
  const auto with = [](auto change) {
    TargetOptions options = billing();
    change(options);
    return [options] { RequestWriter writer(options); };
  };
  using Options = TargetOptions;
  EXPECT_NO_THROW(with([](Options&) {})());
  EXPECT_THROW(with([](Options& o) { o.method = "PO ST"; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.method = ""; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.path = "callback"; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.path = "/a b"; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.path = "/a\r\nX: y"; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.content_type = "a\nb"; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.headers = {{"X Y", "z"}}; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) { o.headers = {{"X", "a\r\nY: b"}}; })(), std::runtime_error);
  EXPECT_THROW(with([](Options& o) {
                 o.headers = {{"content-LENGTH", "3"}};
               })(),
               std::runtime_error);
}

}  // namespace
}  // namespace einlass::http
