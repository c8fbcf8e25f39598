#include "adapters/http/client/response_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "adapters/http/client/answer.h"

namespace einlass::http::response_parser_test {
namespace {

// Feeds `text` in pieces of `step` bytes, as a socket might.
struct Reader {
  ResponseParser parser;
  ReceiveBuffer bytes{kAnswerBuffer};

  explicit Reader(bool bodyless = false, KeptBody kept = {}) { parser.start(bodyless, kept); }

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

TEST(ResponseParser, every_way_to_end_a_body_in_pieces_of_every_size) {
  const std::string answers[] = {
      "HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n10\r\n"
      "0123456789abcdef\r\n0\r\nTrailer: t\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nTrailer: t\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!",
  };
  for (const std::string& answer : answers) {
    for (std::size_t step = 1; step <= answer.size(); ++step) {
      Reader reader;
      ASSERT_EQ(reader.feed(answer, step), Progress::done) << answer << step;
      EXPECT_EQ(reader.parser.status() / 100, 2u);
      EXPECT_TRUE(reader.parser.keep_alive());
      EXPECT_TRUE(reader.bytes.unread().empty());
    }
  }
}

TEST(ResponseParser, a_body_without_a_length_ends_with_the_stream) {
  Reader reader;
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\n\r\nsome"), Progress::more);
  EXPECT_EQ(reader.feed("thing"), Progress::more);
  EXPECT_EQ(reader.parser.end_of_stream(), Progress::done);
  EXPECT_FALSE(reader.parser.keep_alive());
}

TEST(ResponseParser, an_early_end_is_an_error) {
  for (const char* text :
       {"HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    Reader reader;
    EXPECT_EQ(reader.feed(text), Progress::more) << text;
    EXPECT_EQ(reader.parser.end_of_stream(), Progress::failed) << text;
    EXPECT_EQ(reader.parser.trouble(), "connection closed in the middle of the answer");
  }
  Reader reader;
  EXPECT_EQ(reader.parser.end_of_stream(), Progress::failed);
  EXPECT_EQ(reader.parser.trouble(), "connection closed without an answer");
}

TEST(ResponseParser, an_answer_to_head_has_no_body) {
  Reader reader(true);
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), Progress::done);
}

TEST(ResponseParser, what_lies_behind_the_answer_stays_unread) {
  Reader reader;
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok!"), Progress::done);
  EXPECT_EQ(reader.bytes.unread(), "!");
}

TEST(ResponseParser, keep_alive_is_what_the_server_says) {
  const auto keeps = [](std::string_view head) {
    Reader reader;
    EXPECT_EQ(reader.feed(std::string(head) + "Content-Length: 0\r\n\r\n"), Progress::done);
    return reader.parser.keep_alive();
  };
  EXPECT_TRUE(keeps("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nConnection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1 200 OK\r\nconnection: x, CLOSE\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"));
}

TEST(ResponseParser, garbage_fails) {
  for (const char* text :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/2 200 OK\r\n\r\n", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
    Reader reader;
    EXPECT_EQ(reader.feed(text), Progress::failed) << text;
    EXPECT_TRUE(reader.parser.trouble().starts_with("answer is not HTTP/1.1: ")) << text;
  }
}

TEST(ResponseParser, a_head_is_bounded_however_it_comes) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{20}, std::size_t{100'000}}) {
    std::string text = "HTTP/1.1 200 OK\r\n";
    while (text.size() < 40'000) text += "X-Header: 12345678\r\n";
    Reader reader;
    EXPECT_EQ(reader.feed(text, step), Progress::failed) << step;
    EXPECT_EQ(reader.parser.trouble(), "answer with too large headers");
  }
  std::string lines = "HTTP/1.1 200 OK\r\n";
  while (lines.size() < 40'000) lines += "X-Header: 12345678\r\n";
  EXPECT_EQ(Reader().feed_lines(lines), Progress::failed);
  Reader reader;
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nX: " + std::string(16'000, 'x') + "\r\n\r\n", 999),
            Progress::more);
  EXPECT_EQ(reader.parser.end_of_stream(), Progress::done);
}

TEST(ResponseParser, trailers_chunk_extensions_and_interim_answers_are_bounded) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string trailers = chunked + "0\r\n";
  while (trailers.size() < 40'000) trailers += "X-Header: 12345678\r\n";
  std::string interim;
  while (interim.size() < 40'000) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  for (const std::string& text : {trailers, chunked + "5;" + std::string(40'000, 'x'), interim}) {
    Reader reader;
    EXPECT_EQ(reader.feed(text, 700), Progress::failed);
  }
}

TEST(ResponseParser, a_body_is_bounded) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const std::string most(kMaxAnswerBody, 'x');
  Reader just_fits;
  EXPECT_EQ(just_fits.feed(head + "Content-Length: 1048576\r\n\r\n" + most), Progress::done);
  for (const std::string& text :
       {head + "Content-Length: 1048577\r\n\r\n", head + "\r\n" + most + "y",
        head + "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + most + "\r\n1\r\ny\r\n"}) {
    Reader reader;
    EXPECT_EQ(reader.feed(text), Progress::failed);
    EXPECT_EQ(reader.parser.trouble(), "answer too large");
  }
}

TEST(ResponseParser, a_body_may_be_as_long_as_what_is_kept_of_it) {
  const std::size_t size = kMaxAnswerBody + 1;
  Reader reader(/*bodyless=*/false, {.of_2xx = size, .of_others = 0});
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size);
  EXPECT_EQ(reader.feed(head + "\r\n\r\n" + std::string(size, 'x')), Progress::done);
  EXPECT_EQ(reader.parser.body().size(), size);
}

TEST(ResponseParser, retry_after_is_the_heads_first_and_never_a_trailer) {
  const auto wait = [](std::string_view headers) {
    Reader reader;
    EXPECT_EQ(reader.feed("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n" +
                          std::string(headers) + "\r\n0\r\nRetry-After: 9\r\n\r\n"),
              Progress::done);
    return reader.parser.retry_after(Instant{});
  };
  EXPECT_EQ(wait(""), std::nullopt);
  EXPECT_EQ(wait("Retry-After: 3\r\nRetry-After: 4\r\n"), Duration::seconds(3));
  EXPECT_EQ(wait("retry-after: Sun, 06 Nov 1994 08:50:07 GMT\r\n"
                 "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            Duration::seconds(30));
  EXPECT_EQ(wait("Retry-After: " + std::string(200, '1') + "\r\n"), std::nullopt);
}

TEST(Answer, every_status_has_its_outcome) {
  for (unsigned status = 0; status < 1000; ++status) {
    core::Outcome expected = core::Outcome::refused;
    if (status / 100 == 2) expected = core::Outcome::accepted;
    if (status == 0 || status / 100 == 5) expected = core::Outcome::retry;
    if (status == 408 || status == 425 || status == 429) expected = core::Outcome::retry;
    EXPECT_EQ(outcome_of(status), expected) << status;
  }
}

TEST(Answer, a_certificate_that_is_not_taken_is_no_fault_of_the_record) {
  constexpr const char* kNginx = "<head><title>400 The SSL certificate error</title></head>";
  constexpr const char* kIis = "403.7 - Forbidden: Client Certificate Required";
  const auto fault = [](ShownCertificate shown, unsigned status, std::string_view body = "") {
    Answer answer{.status = status, .retry_after = {}, .trouble = {}};
    answer.body = body;
    answer.shown_certificate = shown;
    return !certificate_fault(answer).empty();
  };
  for (const unsigned status : {400u, 401u, 403u, 495u, 496u}) {
    EXPECT_FALSE(fault(ShownCertificate::not_asked_for, status, kNginx)) << status;
    for (const ShownCertificate shown : {ShownCertificate::none, ShownCertificate::expired}) {
      EXPECT_TRUE(fault(shown, status, kNginx)) << status;
      EXPECT_TRUE(fault(shown, status, kIis)) << status;
      // The server may have asked for a certificate without needing one.
      EXPECT_EQ(fault(shown, status, "bad payload"), status > 494) << status;
      EXPECT_EQ(fault(shown, status), status > 494) << status;
    }
    EXPECT_EQ(fault(ShownCertificate::valid, status), status > 494) << status;
  }
  EXPECT_TRUE(fault(ShownCertificate::valid, 400, kNginx));
  EXPECT_FALSE(fault(ShownCertificate::valid, 200, kNginx));
  EXPECT_FALSE(fault(ShownCertificate::none, 422, kNginx));
}

}  // namespace
}  // namespace einlass::http::response_parser_test
