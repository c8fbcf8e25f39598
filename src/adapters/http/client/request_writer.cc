#include "adapters/http/client/request_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "units/text.h"

namespace einlass::http {
namespace {

const std::string kVersion = " HTTP/1.1\r\n";
constexpr std::string_view kContentType = "Content-Type: ";
constexpr std::string_view kContentLength = "\r\nContent-Length: ";
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

char* put(char* at, std::string_view text) { return std::copy(text.begin(), text.end(), at); }

}  // namespace

void RequestBytes::done() {
  size_ = sent_ = 0;
  if (bytes_.size() > kKept) std::vector<char>().swap(bytes_);  // {} would keep its room.
}

RequestWriter::RequestWriter(const TargetOptions& options)
    : method_{options.method}, path_{options.path}, content_type_{options.content_type} {
  check(options);
  line_size_ = (options.method + " " + options.path + kVersion).size();
  head_ = options.method + " " + options.path + kVersion + "Host: " + host_header(options) + "\r\n";
  for (const auto& [name, value] : options.headers) head_ += name + ": " + value + "\r\n";
  authorization_at_ = head_.size();
}

void RequestWriter::set_authorization(std::string_view value) {
  head_.resize(authorization_at_);
  if (!value.empty()) head_.append("Authorization: ").append(value).append(kNewline);
}

void RequestWriter::write(const Request& request, RequestBytes& out) const {
  if (request.path.empty() && request.method.empty()) return write(head_, request, out);
  std::string head(request.method.empty() ? method_ : request.method);
  head.append(" ").append(request.path.empty() ? path_ : request.path).append(kVersion);
  head.append(head_, line_size_);
  write(head, request, out);
}

// The size is added up first, so that the bytes can be put down without looking for room.
void RequestWriter::write(std::string_view head, const Request& request, RequestBytes& out) const {
  std::array<char, 20> length_text;
  const auto length_end = std::to_chars(length_text.data(), length_text.data() + length_text.size(),
                                        request.body.size())
                              .ptr;
  const std::string_view length(length_text.data(), length_end);
  const std::string_view type = request.content_type.empty() ? content_type_ : request.content_type;

  std::size_t size = head.size() + kContentType.size() + type.size() + kContentLength.size() +
                     length.size() + 2 * kNewline.size() + request.body.size();
  for (const RequestHeader& header : request.headers) {
    size += header.name.size() + kColon.size() + header.value.size() + kNewline.size();
  }
  if (out.bytes_.size() < size) out.bytes_.resize(size);
  out.size_ = size;
  out.sent_ = 0;

  char* at = put(out.bytes_.data(), head);
  at = put(put(at, kContentType), type);
  at = put(put(put(at, kContentLength), length), kNewline);
  for (const RequestHeader& header : request.headers) {
    at = put(put(put(put(at, header.name), kColon), header.value), kNewline);
  }
  put(put(at, kNewline), request.body);
}

}  // namespace einlass::http
