// Hands received bytes to one of Beast's message parsers, within bounds that hold for a message as
// a whole and whatever the pieces in which it comes.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>

#include "adapters/http/wire/receive_buffer.h"

namespace einlass::http {

enum class Progress : std::uint8_t { more, done, failed };

// One per message.
template <bool is_request>
class MessageFeed {
 public:
  using Parser = boost::beast::http::basic_parser<is_request>;

  // What a ReceiveBuffer must hold: a whole head, and enough to see that it is too large.
  static constexpr std::size_t buffer_bytes(std::size_t max_head) { return max_head + 4 * 1024; }

  explicit MessageFeed(std::size_t max_head) : max_head_{max_head} {}

  // Consumes what it can of `bytes`. Heads, trailers and chunk extensions that are too large fail
  // as Beast's error::header_limit. After `done` what is still unread lies behind the message.
  // REQUIRES: `parser` is neither done nor failed.
  Progress feed(Parser& parser, ReceiveBuffer& bytes, boost::beast::error_code& error);

 private:
  std::size_t max_head_;
  std::size_t head_bytes_ = 0;
};

extern template class MessageFeed<true>;
extern template class MessageFeed<false>;

}  // namespace einlass::http
