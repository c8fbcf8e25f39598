#include "adapters/http/server/request_parser.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>

#include "text/ascii.h"

namespace einlass::http {

using boost::beast::http::error;
using boost::beast::http::field;

namespace {

constexpr std::size_t kKeptBody = 64 * 1024;

// Proxies send "http://host/path"; what counts here is "/path".
std::string_view without_origin(std::string_view target) {
  if (!target.starts_with("http://") && !target.starts_with("https://")) return target;
  const std::size_t slash = target.find('/', target.find("//") + 2);
  return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
}

}  // namespace

std::string_view ServerRequest::header(std::string_view name) const {
  for (const auto& [header_name, value] : headers) {
    if (header_name == name) return value;
  }
  return {};
}

RequestParser::RequestParser(std::size_t max_header_bytes, std::size_t max_body_bytes)
    : max_header_bytes_{max_header_bytes},
      max_body_bytes_{max_body_bytes},
      feed_{max_header_bytes} {
  start();
}

void RequestParser::start() {
  message_.emplace(*this);
  message_->header_limit(static_cast<std::uint32_t>(max_header_bytes_));
  message_->body_limit(max_body_bytes_);
  feed_ = MessageFeed<true>(max_header_bytes_);
  header_count_ = 0;
  if (body_.capacity() > kKeptBody) std::string().swap(body_);
  body_.clear();
  has_host_ = expects_continue_ = false;
}

Progress RequestParser::feed(ReceiveBuffer& bytes) { return feed_.feed(*message_, bytes, error_); }

bool RequestParser::take_continue() {
  return message_->is_header_done() && std::exchange(expects_continue_, false) && body_.empty();
}

ServerRequest RequestParser::request() const {
  const std::string_view target = without_origin(target_);
  const std::size_t mark = target.find('?');
  const bool has_query = mark != std::string_view::npos;
  return {.method = is_head_ ? std::string_view("GET") : method_,
          .path = target.substr(0, mark),
          .query = has_query ? target.substr(mark + 1) : std::string_view(),
          .headers = std::span(headers_).first(header_count_),
          .body = body_};
}

unsigned RequestParser::refusal() const {
  if (error_ == error::body_limit) return 413;
  if (error_ == error::header_limit) return 431;
  return 400;
}

void RequestParser::add_header(std::string_view name, std::string_view value) {
  if (header_count_ == headers_.size()) headers_.emplace_back();
  auto& [kept_name, kept_value] = headers_[header_count_++];
  kept_name.assign(name);
  for (char& c : kept_name) c = lower(c);
  kept_value.assign(value);
}

void RequestParser::Message::on_request_impl(boost::beast::http::verb, Text method, Text target,
                                             int version, Error&) {
  parser.method_.assign(method);
  parser.target_.assign(target);
  parser.is_head_ = method == "HEAD";
  parser.http10_ = version < 11;
}

void RequestParser::Message::on_field_impl(field name, Text text, Text value, Error& error) {
  if (is_header_done()) return;  // A trailer.
  if (name == field::host) parser.has_host_ = true;
  if (name == field::expect) {
    parser.expects_continue_ = same_name(value, "100-continue");
  }
  // Where a body of any other coding ends cannot be known, and the next request could be inside it.
  if (name == field::transfer_encoding && !same_name(value, "chunked")) {
    error = error::bad_transfer_encoding;
  }
  parser.add_header(text, value);
}

void RequestParser::Message::on_header_impl(Error& error) {
  if (!parser.has_host_ && !parser.http10_) error = error::bad_field;
}

void RequestParser::Message::on_body_init_impl(const boost::optional<std::uint64_t>& size, Error&) {
  if (size)
    parser.body_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*size, kKeptBody)));
}

std::size_t RequestParser::Message::on_body_impl(Text part, Error&) {
  parser.body_.append(part);
  return part.size();
}

std::size_t RequestParser::Message::on_chunk_body_impl(std::uint64_t, Text part, Error&) {
  parser.body_.append(part);
  return part.size();
}

}  // namespace einlass::http
