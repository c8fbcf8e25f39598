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

TEST(Http2Fields, a_rendered_request_is_taken_apart) {
  TargetOptions options;
  options.host = "billing.example";
  options.port = 8080;
  options.path = "/callback?x=a:b";
  options.headers = {{"X-Source", "einlass"}};
  const std::vector<RequestHeader> headers = {{"Kafka-Key", ""}, {"traceparent", "00-1:2"}};
  RequestBytes bytes;
  RequestWriter(options).write(Request{.record = {},
                                       .attempt = {},
                                       .id = {},
                                       .content_type = {},
                                       .headers = headers,
                                       .body = "a\r\n\r\nb"},
                               bytes);
  std::vector<nghttp2_nv> fields;
  const std::size_t body = take_apart(bytes.unsent(), "http", fields);
  EXPECT_EQ(in_text(fields),
            ":method=POST\n:scheme=http\n:authority=billing.example:8080\n:path=/callback?x=a:b\n"
            "X-Source=einlass\nContent-Type=application/octet-stream\nContent-Length=6\n"
            "Kafka-Key=\ntraceparent=00-1:2\n");
  EXPECT_EQ(bytes.unsent().substr(body), "a\r\n\r\nb");
}

TEST(Http2Fields, what_is_of_one_connection_stays_there_and_spaces_at_the_ends_go) {
  std::vector<nghttp2_nv> fields;
  const std::string request =
      "PUT / HTTP/1.1\r\nConnection: close\r\nKeep-Alive: 1\r\nProxy-Connection: x\r\n"
      "Transfer-Encoding: x\r\nUpgrade: x\r\nTE: gzip\r\nA: \t b c \r\nhost: h\r\nB:\t\r\n\r\n";
  EXPECT_EQ(take_apart(request, "https", fields), request.size());
  EXPECT_EQ(in_text(fields), ":method=PUT\n:scheme=https\n:authority=h\n:path=/\nA=b c\nB=\n");
}

}  // namespace
}  // namespace einlass::http
