#include "adapters/http/client/request_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "text/ascii.h"

namespace einlass::http {
namespace {

constexpr std::string_view kVersionAndHost = " HTTP/1.1\r\nHost: ";
constexpr std::string_view kContentType = "Content-Type";
constexpr std::string_view kContentLength = "Content-Length";
constexpr std::string_view kNewline = "\r\n";
constexpr std::string_view kColon = ": ";

bool is_our_own(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kOurs = {
      "host", "content-length", "content-type", "transfer-encoding", "connection"};
  return std::find(kOurs.begin(), kOurs.end(), lower(name)) != kOurs.end();
}

void require(bool condition, const std::string& message) {
  if (!condition) throw std::runtime_error(message);
}

void check(const TargetOptions& options) {
  require(is_token(options.method), "'" + options.method + "' is not an HTTP method");
  require(
      options.path.starts_with('/') && !has_control(options.path) &&
          options.path.find(' ') == std::string::npos,
      "the path of an HTTP target must begin with / and hold no spaces: '" + options.path + "'");
  require(!has_control(options.content_type), "the content type holds control characters");
  for (const auto& [name, value] : options.headers) {
    require(is_token(name), "'" + name + "' is not a header name");
    require(!is_our_own(name), "the header " + name + " cannot be set: the gate writes it itself");
    require(!has_control(value), "the value of header " + name + " holds control characters");
  }
}

std::string host_header(const TargetOptions& options) {
  std::string host = host_and_port(options.host, options.port);
  if (options.port == (options.tls ? 443 : 80)) host.resize(host.rfind(':'));
  return host;
}

std::size_t size_of(std::string_view name, std::string_view value) {
  return name.size() + kColon.size() + value.size() + kNewline.size();
}

}  // namespace

void RequestBytes::done() {
  size_ = sent_ = 0;
  if (bytes_.size() > kKept) std::vector<char>().swap(bytes_);  // {} would keep its room.
}

RequestWriter::RequestWriter(const TargetOptions& options)
    : method_{options.method},
      path_{options.path},
      host_{host_header(options)},
      content_type_{options.content_type},
      headers_{options.headers},
      own_headers_{headers_.size()},
      may_speak_http2_{options.may_speak_http2()} {
  check(options);
}

void RequestWriter::set_authorization(std::string_view value) {
  headers_.resize(own_headers_);
  if (!value.empty()) headers_.emplace_back("Authorization", value);
}

void RequestWriter::write(const Request& request, RequestBytes& out) const {
  std::array<char, 20> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), request.body.size()).ptr;
  const Parts parts{
      .method = request.method.empty() ? method_ : request.method,
      .path = request.path.empty() ? path_ : request.path,
      .content_type = request.content_type.empty() ? content_type_ : request.content_type,
      .length = {digits.data(), end}};
  // So that the bytes can be put down without looking for room.
  out.size_ = size(request, parts);
  out.sent_ = 0;
  if (out.bytes_.size() < out.size_) out.bytes_.resize(out.size_);
  put_down(request, parts, out);
}

std::size_t RequestWriter::size(const Request& request, const Parts& parts) const {
  std::size_t size = parts.method.size() + 1 + parts.path.size() + kVersionAndHost.size() +
                     host_.size() + 2 * kNewline.size() + request.body.size() +
                     size_of(kContentType, parts.content_type) +
                     size_of(kContentLength, parts.length);
  for (const auto& [name, value] : headers_) size += size_of(name, value);
  for (const auto& [name, value] : request.headers) size += size_of(name, value);
  return size;
}

void RequestWriter::put_down(const Request& request, const Parts& parts, RequestBytes& out) const {
  char* at = out.bytes_.data();
  const auto put = [&at](std::string_view text) {
    const std::string_view there(at, text.size());
    at = std::copy(text.begin(), text.end(), at);
    return there;
  };
  RequestBytes::Fields& fields = out.fields_;
  const auto put_header = [&](std::string_view name, std::string_view value) {
    const std::string_view name_there = put(name);
    put(kColon);
    const std::string_view value_there = put(value);
    put(kNewline);
    if (may_speak_http2_) fields.headers.push_back({name_there, value_there});
  };
  fields.headers.clear();
  fields.method = put(parts.method);
  put(" ");
  fields.path = put(parts.path);
  put(kVersionAndHost);
  fields.host = put(host_);
  put(kNewline);
  for (const auto& [name, value] : headers_) put_header(name, value);
  put_header(kContentType, parts.content_type);
  put_header(kContentLength, parts.length);
  for (const auto& [name, value] : request.headers) put_header(name, value);
  put(kNewline);
  fields.head_size = static_cast<std::size_t>(at - out.bytes_.data());
  put(request.body);
}

}  // namespace einlass::http
