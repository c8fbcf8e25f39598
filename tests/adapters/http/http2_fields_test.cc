// What of a rendered request goes into HTTP/2, and what does not.
#include "adapters/http/http2/http2_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/http/client/request_writer.h"

namespace einlass::http {
namespace {

std::string in_text(const std::vector<nghttp2_nv>& fields) {
  std::string text;
  for (const nghttp2_nv& one : fields) {
    text.append(reinterpret_cast<char*>(one.name), one.namelen).append("=");
    text.append(reinterpret_cast<char*>(one.value), one.valuelen).append("\n");
  }
  return text;
}

// What is written of them, as HTTP/2 has it.
std::string sent(const TargetOptions& options, std::vector<RequestHeader> headers,
                 std::string_view body, std::string_view scheme) {
  RequestBytes bytes;
  RequestWriter(options).write(Request{.record = {},
                                       .attempt = {},
                                       .id = {},
                                       .content_type = {},
                                       .headers = headers,
                                       .body = body},
                               bytes);
  std::vector<nghttp2_nv> fields;
  put_fields(bytes.fields(), scheme, fields);
  EXPECT_EQ(bytes.unsent().substr(bytes.fields().head_size), body);
  return in_text(fields);
}

TEST(Http2Fields, are_those_that_http1_sends) {
  TargetOptions options;
  options.http2 = Http2::always;
  options.host = "billing.example";
  options.port = 8080;
  options.path = "/callback?x=a:b";
  options.headers = {{"X-Source", "einlass"}};
  EXPECT_EQ(sent(options, {{"Kafka-Key", ""}, {"traceparent", "00-1:2"}}, "a\r\n\r\nb", "http"),
            ":method=POST\n:scheme=http\n:authority=billing.example:8080\n:path=/callback?x=a:b\n"
            "X-Source=einlass\nContent-Type=application/octet-stream\nContent-Length=6\n"
            "Kafka-Key=\ntraceparent=00-1:2\n");
}

TEST(Http2Fields, what_is_of_one_connection_stays_there_and_spaces_at_the_ends_go) {
  TargetOptions options;
  options.tls = true;
  options.method = "PUT";
  options.host = "h";
  options.port = 443;
  const std::vector<RequestHeader> headers = {{"Connection", "close"},   {"Keep-Alive", "1"},
                                              {"Proxy-Connection", "x"}, {"Transfer-Encoding", "x"},
                                              {"Upgrade", "x"},          {"TE", "gzip"},
                                              {"A", " \t b c "},         {"B", "\t"}};
  EXPECT_EQ(sent(options, headers, "", "https"),
            ":method=PUT\n:scheme=https\n:authority=h\n:path=/\n"
            "Content-Type=application/octet-stream\nContent-Length=0\nA=b c\nB=\n");
}

}  // namespace
}  // namespace einlass::http
