// Understands one request after another on the server's side, within bounds.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/server/server.h"
#include "adapters/http/wire/message_feed.h"
#include "adapters/http/wire/receive_buffer.h"

namespace einlass::http {

class RequestParser {
 public:
  RequestParser(std::size_t max_header_bytes, std::size_t max_body_bytes);

  // What a ReceiveBuffer for requests must hold.
  static std::size_t buffer_bytes(std::size_t max_header_bytes) {
    return MessageFeed<true>::buffer_bytes(max_header_bytes);
  }

  // The next bytes begin a new request.
  void start();

  // Consumes what it can of `bytes`. After `done` what is still unread belongs to the next request.
  // REQUIRES: not done or failed since start().
  Progress feed(ReceiveBuffer& bytes);

  // Something of this request has come.
  bool started() const { return message_->got_some(); }

  // True once for each request whose sender waits for "100 Continue" before it sends the body.
  bool take_continue();

  // The request that is done. Its views live until start().
  ServerRequest request() const;
  bool is_head() const { return is_head_; }
  bool is_http10() const { return http10_; }
  bool keep_alive() const { return message_->keep_alive(); }

  // With which status to refuse what failed.
  unsigned refusal() const;

 private:
  using Error = boost::beast::error_code;
  using Text = boost::beast::string_view;

  // One request as Beast reports it.
  struct Message final : boost::beast::http::basic_parser<true> {
    explicit Message(RequestParser& to) : parser{to} {}

    void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                         Error&) override;
    void on_response_impl(int, Text, int, Error&) override {}
    void on_field_impl(boost::beast::http::field name, Text text, Text value,
                       Error& error) override;
    void on_header_impl(Error& error) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>& size, Error&) override;
    std::size_t on_body_impl(Text part, Error&) override;
    void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text part, Error&) override;
    void on_finish_impl(Error&) override {}

    RequestParser& parser;
  };

  void add_header(std::string_view name, std::string_view value);

  const std::size_t max_header_bytes_;
  const std::size_t max_body_bytes_;
  std::optional<Message> message_;
  Error error_;
  MessageFeed<true> feed_;
  std::string method_;
  std::string target_;
  // Only the first header_count_ are of this request: the strings are used again.
  std::vector<std::pair<std::string, std::string>> headers_;
  std::size_t header_count_ = 0;
  std::string body_;
  bool is_head_ = false;
  bool http10_ = false;
  bool has_host_ = false;
  bool expects_continue_ = false;
};

}  // namespace einlass::http
