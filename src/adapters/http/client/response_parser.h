// Understands one response after another, within bounds. The body is counted and thrown away, but
// for the first bytes where they are wanted.
#pragma once

#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/wire/message_feed.h"
#include "adapters/http/wire/receive_buffer.h"
#include "units/time.h"

namespace einlass::http {

// The head of an answer (status line and headers; also trailers), and its body.
inline constexpr std::size_t kMaxAnswerHead = 16 * 1024;
inline constexpr std::size_t kMaxAnswerBody = 1024 * 1024;
// What a ReceiveBuffer for answers must hold.
inline constexpr std::size_t kAnswerBuffer = MessageFeed<false>::buffer_bytes(kMaxAnswerHead);

// Of where a redirect points.
inline constexpr std::size_t kLongestLocation = 1024;

// How many first bytes of a body are kept, by the status that stands before it. An answer of
// HTTP/1.1 may be as long as what is kept of a 2xx, whatever kMaxAnswerBody is. One that is longer
// has failed; but for a 2xx whose body decides nothing, of which the rest is not read.
struct KeptBody {
  std::size_t of_2xx = 0;
  std::size_t of_others = 0;
  bool decides_2xx = true;

  bool decides(unsigned status) const { return status / 100 != 2 || decides_2xx; }
};

// A header's value, copied up to a fixed length; longer ones count as absent.
class ShortValue {
 public:
  void assign(std::string_view value);
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 48> bytes_;
  std::uint8_t size_ = 0;
};

class ResponseParser {
 public:
  // The next bytes begin a new response. `bodyless`: it answers CONNECT. Of its body the first
  // bytes are kept.
  void start(bool bodyless, KeptBody kept_body = {});

  // Consumes what it can of `bytes`. Interim answers (1xx but 101) are skipped. After `done` what
  // is still unread lies behind the response, or is the rest of one that was too long. REQUIRES:
  // start(), and not done or failed since.
  Progress feed(ReceiveBuffer& bytes);

  // Nothing more will come. `done` if that is how this response ends.
  Progress end_of_stream();

  // Of the response that is done.
  unsigned status() const { return message_->status; }
  bool keep_alive() const { return !is_too_long() && message_->keep_alive(); }
  std::optional<Duration> retry_after(Instant wall_now) const;
  std::string_view body() const { return body_; }  // What was kept of it; until the next start().
  std::string_view location() const { return location_; }  // Of a redirect; as long.
  bool has_retry_after() const { return !message_->retry_after.view().empty(); }

  // Why it failed.
  std::string trouble() const;

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  // One response as Beast reports it.
  struct Message final : boost::beast::http::basic_parser<false> {
    Message(bool bodyless, ResponseParser& owner);

    void on_request_impl(boost::beast::http::verb, Text, Text, int, Error&) override {}
    void on_response_impl(int code, Text reason, int version, Error&) override;
    void on_field_impl(boost::beast::http::field name, Text text, Text value, Error&) override;
    void on_header_impl(Error&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
    std::size_t on_body_impl(Text part, Error&) override { return keep(part); }
    void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text part, Error&) override { return keep(part); }
    void on_finish_impl(Error&) override {}

    std::size_t keep(Text part);

    unsigned status = 0;
    ShortValue retry_after;
    ShortValue date;
    std::size_t kept = 0;
    ResponseParser& owner;
  };

  // Interim answers before one response; more than that is no conversation.
  static constexpr int kMaxInterim = 16;

  void start_message();
  bool is_too_long() const { return error_ == boost::beast::http::error::body_limit; }
  bool is_interim() const { return status() / 100 == 1 && status() != 101; }

  std::optional<Message> message_;
  MessageFeed<false> feed_{kMaxAnswerHead};
  bool bodyless_ = false;
  KeptBody kept_body_;
  std::string body_;
  std::string location_;  // Of a redirect, at most kLongestLocation.
  int interim_ = 0;
  Error error_;
};

}  // namespace einlass::http
