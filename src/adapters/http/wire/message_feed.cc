#include "adapters/http/wire/message_feed.h"

#include <boost/beast/http/error.hpp>

namespace einlass::http {
namespace {

// The shortest end of a chunked message, "0\r\n\r\n". No end is shorter than what is still missing
// before it, so waiting for so much delays nothing.
constexpr std::size_t kShortestChunkedEnd = 5;

}  // namespace

// Head and body are put apart, because Beast bounds only what it is given at a time: a head that
// comes in pieces has to be measured here.
//
// Of a last chunk that has come without its end Beast (1.81) demands, by an assertion, that there
// are five bytes the next time. So it gets no fewer: a server that sends "0\r\n" and then "\r"
// would stop the process.
template <bool is_request>
Progress MessageFeed<is_request>::feed(Parser& parser, ReceiveBuffer& bytes,
                                       boost::beast::error_code& error) {
  using Error = boost::beast::http::error;
  const bool in_head = !parser.is_header_done();
  const std::string_view unread = bytes.unread();
  if (!in_head && parser.chunked() && unread.size() < kShortestChunkedEnd) return Progress::more;
  parser.eager(!in_head);
  const std::size_t used =
      parser.put(boost::asio::const_buffer(unread.data(), unread.size()), error);
  bytes.consume(used);
  if (in_head) head_bytes_ += used;
  if (error && error != Error::need_more) return Progress::failed;
  if (head_bytes_ > max_head_ || bytes.unread().size() >= buffer_bytes(max_head_)) {
    error = Error::header_limit;
    return Progress::failed;
  }
  if (parser.is_done()) return Progress::done;
  const bool head_just_ended = in_head && parser.is_header_done();
  return head_just_ended && !bytes.unread().empty() ? feed(parser, bytes, error) : Progress::more;
}

template class MessageFeed<true>;
template class MessageFeed<false>;

}  // namespace einlass::http
