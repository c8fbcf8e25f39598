#include "adapters/http/server/request_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace einlass::http {
namespace {

// Feeds `text` in pieces of `step` bytes, as a socket might.
struct Reader {
  RequestParser parser{1000, 2000};
  ReceiveBuffer bytes{RequestParser::buffer_bytes(1000)};

  // Each line on its own.
  Progress feed_lines(std::string_view text) {
    Progress progress = Progress::more;
    while (!text.empty() && progress == Progress::more) {
      const std::size_t line = text.find('\n') + 1;
      progress = feed(text.substr(0, line));
      text.remove_prefix(line);
    }
    return progress;
  }

  Progress feed(std::string_view text, std::size_t step = std::string_view::npos) {
    Progress progress = Progress::more;
    while (!text.empty() && progress == Progress::more) {
      const std::span<char> room = bytes.room();
      const std::size_t size = std::min({step, text.size(), room.size()});
      std::memcpy(room.data(), text.data(), size);
      bytes.added(size);
      text.remove_prefix(size);
      progress = parser.feed(bytes);
    }
    return progress;
  }
};

TEST(RequestParser, a_request_in_pieces_of_every_size) {
  for (const std::string text :
       {"POST /a/b?c=d&e HTTP/1.1\r\nHost: x\r\nX-Tenant:  Acme \r\nContent-Length: 5\r\n\r\nhello",
        "POST http://x/a/b?c=d&e HTTP/1.1\r\nhost: x\r\nx-tenant: Acme\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Tenant: other\r\n\r\n"}) {
    for (std::size_t step = 1; step <= text.size(); ++step) {
      Reader reader;
      ASSERT_EQ(reader.feed(text, step), Progress::done) << text << step;
      const ServerRequest request = reader.parser.request();
      EXPECT_EQ(request.method, "POST");
      EXPECT_EQ(request.path, "/a/b");
      EXPECT_EQ(request.query, "c=d&e");
      EXPECT_EQ(request.header("x-tenant"), "Acme");
      EXPECT_EQ(request.header("absent"), "");
      EXPECT_EQ(request.headers.size(), 3u);
      EXPECT_EQ(request.body, "hello");
      EXPECT_TRUE(reader.parser.keep_alive());
    }
  }
}

TEST(RequestParser, an_empty_chunked_body_in_pieces_of_every_size) {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    Reader reader;
    ASSERT_EQ(reader.feed(text, step), Progress::done) << step;
    EXPECT_EQ(reader.parser.request().body, "");
  }
}

TEST(RequestParser, the_next_request_leaves_nothing_of_the_last) {
  Reader reader;
  EXPECT_EQ(reader.feed("HEAD /a?b HTTP/1.1\r\nHost: x\r\nA: b\r\nContent-Length: 1\r\n\r\n!"
                        "GET / HTTP/1.0\r\n\r\n"),
            Progress::done);
  EXPECT_EQ(reader.parser.request().method, "GET");
  EXPECT_TRUE(reader.parser.is_head());
  reader.parser.start();
  EXPECT_FALSE(reader.parser.started());
  EXPECT_EQ(reader.parser.feed(reader.bytes), Progress::done);
  const ServerRequest request = reader.parser.request();
  EXPECT_EQ(request.path, "/");
  EXPECT_EQ(request.query, "");
  EXPECT_EQ(request.body, "");
  EXPECT_TRUE(request.headers.empty());
  EXPECT_FALSE(reader.parser.is_head());
  EXPECT_FALSE(reader.parser.keep_alive());
}

TEST(RequestParser, what_cannot_be_taken_is_refused_with_its_status) {
  const auto refusal = [](const std::string& text, std::size_t step) {
    Reader reader;
    EXPECT_EQ(reader.feed(text, step), Progress::failed) << text;
    return reader.parser.refusal();
  };
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  std::string many;
  while (many.size() < 2000) many += "X-Header: 12345678\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{19}, std::size_t{100'000}}) {
    EXPECT_EQ(refusal("nonsense nonsense nonsense nonsense\r\n\r\n", step), 400u);
    EXPECT_EQ(refusal("GET / HTTP/2.0\r\n\r\n", step), 400u);
    EXPECT_EQ(refusal("GET / HTTP/1.1\r\n\r\n", step), 400u);  // No Host.
    EXPECT_EQ(refusal(post + "Content-Length: x\r\n\r\n", step), 400u);
    EXPECT_EQ(refusal(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", step),
              400u);
    EXPECT_EQ(refusal(post + "Transfer-Encoding: gzip\r\n\r\n", step), 400u);
    EXPECT_EQ(refusal(post + "Transfer-Encoding: chunked, gzip\r\n\r\n", step), 400u);
    EXPECT_EQ(refusal(post + many + "\r\n", step), 431u);
    EXPECT_EQ(refusal("GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n\r\n", step), 431u);
    EXPECT_EQ(refusal(post + "Content-Length: 2001\r\n\r\n", step), 413u);
    EXPECT_EQ(refusal(post + "Transfer-Encoding: chunked\r\n\r\n7d1\r\n", step), 413u);
  }
}

TEST(RequestParser, a_head_that_comes_line_by_line_is_bounded_too) {
  std::string text = "GET / HTTP/1.1\r\nHost: x\r\n";
  while (text.size() < 5000) text += "X-Header: 12345678\r\n";
  Reader reader;
  EXPECT_EQ(reader.feed_lines(text), Progress::failed);
  EXPECT_EQ(reader.parser.refusal(), 431u);
}

TEST(RequestParser, a_sender_that_waits_is_told_to_continue_once) {
  Reader reader;
  EXPECT_EQ(reader.feed("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"), Progress::more);
  EXPECT_FALSE(reader.parser.take_continue());
  EXPECT_EQ(reader.feed("Content-Length: 2\r\n\r\n"), Progress::more);
  EXPECT_TRUE(reader.parser.take_continue());
  EXPECT_FALSE(reader.parser.take_continue());
}

}  // namespace
}  // namespace einlass::http
