// Understands one response after another, within bounds. The body is counted and thrown away.
#pragma once

#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/message_feed.h"
#include "adapters/http/receive_buffer.h"
#include "units/time.h"

namespace einlass::http {

// The head of an answer (status line and headers; also trailers), and its body.
inline constexpr std::size_t kMaxAnswerHead = 16 * 1024;
inline constexpr std::size_t kMaxAnswerBody = 1024 * 1024;
// What a ReceiveBuffer for answers must hold.
inline constexpr std::size_t kAnswerBuffer = MessageFeed<false>::buffer_bytes(kMaxAnswerHead);

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
  // The next bytes begin a new response. `bodyless`: it answers HEAD.
  void start(bool bodyless);

  // Consumes what it can of `bytes`. Interim answers (1xx but 101) are skipped. After `done` what
  // is still unread lies behind the response. REQUIRES: start(), and not done or failed since.
  Progress feed(ReceiveBuffer& bytes);

  // Nothing more will come. `done` if that is how this response ends.
  Progress end_of_stream();

  // Of the response that is done.
  unsigned status() const { return message_->status; }
  bool keep_alive() const { return message_->keep_alive(); }
  std::optional<Duration> retry_after(Instant wall_now) const;
  bool has_retry_after() const { return !message_->retry_after.view().empty(); }

  // Why it failed.
  std::string trouble() const;

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  // One response as Beast reports it.
  struct Message final : boost::beast::http::basic_parser<false> {
    explicit Message(bool bodyless);

    void on_request_impl(boost::beast::http::verb, Text, Text, int, Error&) override {}
    void on_response_impl(int code, Text reason, int version, Error&) override;
    void on_field_impl(boost::beast::http::field name, Text text, Text value, Error&) override;
    void on_header_impl(Error&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
    std::size_t on_body_impl(Text part, Error&) override { return part.size(); }
    void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text part, Error&) override {
      return part.size();
    }
    void on_finish_impl(Error&) override {}

    unsigned status = 0;
    ShortValue retry_after;
    ShortValue date;
  };

  // Interim answers before one response; more than that is no conversation.
  static constexpr int kMaxInterim = 16;

  void start_message();
  bool is_interim() const { return status() / 100 == 1 && status() != 101; }

  std::optional<Message> message_;
  MessageFeed<false> feed_{kMaxAnswerHead};
  bool bodyless_ = false;
  int interim_ = 0;
  Error error_;
};

}  // namespace einlass::http
