#include "adapters/http/client/response_parser.h"

#include <algorithm>

#include "adapters/http/client/retry_after.h"

namespace einlass::http {

using boost::beast::http::error;
using boost::beast::http::field;

void ShortValue::assign(std::string_view value) {
  size_ = value.size() <= bytes_.size() ? static_cast<std::uint8_t>(value.size()) : 0;
  std::copy_n(value.begin(), size_, bytes_.begin());
}

ResponseParser::Message::Message(bool bodyless, ResponseParser& parser) : owner{parser} {
  skip(bodyless);
  header_limit(kMaxAnswerHead);
  body_limit(std::max(kMaxAnswerBody, parser.kept_body_.of_2xx));
}

// Beast asks for three digits, no more.
void ResponseParser::Message::on_response_impl(int code, Text, int, Error& failed) {
  status = static_cast<unsigned>(code);
  if (status < 100) failed = error::bad_status;
  kept = status / 100 == 2 ? owner.kept_body_.of_2xx : owner.kept_body_.of_others;
}

void ResponseParser::Message::on_field_impl(field name, Text, Text value, Error&) {
  if (is_header_done()) return;  // A trailer.
  if (name == field::retry_after && retry_after.view().empty()) retry_after.assign(value);
  if (name == field::date) date.assign(value);
  if (name == field::location && status / 100 == 3) {
    owner.location_.assign(value.data(), std::min(value.size(), kLongestLocation));
  }
}

std::size_t ResponseParser::Message::keep(Text part) {
  std::string& body = owner.body_;
  if (body.size() < kept) body.append(part.data(), std::min(part.size(), kept - body.size()));
  return part.size();
}

void ResponseParser::start(bool bodyless, KeptBody kept_body) {
  bodyless_ = bodyless;
  kept_body_ = kept_body;
  body_.clear();
  location_.clear();
  interim_ = 0;
  start_message();
}

void ResponseParser::start_message() {
  message_.emplace(bodyless_, *this);
  feed_ = MessageFeed<false>(kMaxAnswerHead);
}

Progress ResponseParser::feed(ReceiveBuffer& bytes) {
  for (;;) {
    const Progress progress = feed_.feed(*message_, bytes, error_);
    if (is_too_long() && !kept_body_.decides(status())) return Progress::done;
    if (progress != Progress::done || !is_interim()) return progress;
    if (++interim_ > kMaxInterim) {
      error_ = error::header_limit;
      return Progress::failed;
    }
    start_message();
    if (bytes.unread().empty()) return Progress::more;
  }
}

Progress ResponseParser::end_of_stream() {
  error_ = error::partial_message;
  if (!message_->got_some()) return Progress::failed;
  message_->put_eof(error_);
  return error_ ? Progress::failed : Progress::done;
}

std::optional<Duration> ResponseParser::retry_after(Instant wall_now) const {
  return parse_retry_after(message_->retry_after.view(), message_->date.view(), wall_now);
}

std::string ResponseParser::trouble() const {
  if (is_too_long()) return "answer too large";
  if (error_ == error::header_limit) return "answer with too large headers";
  if (error_ == error::partial_message) {
    return message_->got_some() ? "connection closed in the middle of the answer"
                                : "connection closed without an answer";
  }
  return "answer is not HTTP/1.1: " + error_.message();
}

}  // namespace einlass::http
