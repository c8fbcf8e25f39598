#include "whole_gate/resp.h"

#include <charconv>
#include <stdexcept>

namespace einlass::whole {
namespace {

constexpr std::string_view kEnd = "\r\n";

// The number in a line that begins with a mark; none where the line is not whole.
std::optional<long long> number_at(std::string_view bytes, std::size_t at, std::size_t& next) {
  const std::size_t end = bytes.find(kEnd, at);
  if (end == bytes.npos) return std::nullopt;
  long long number = 0;
  const auto read = std::from_chars(bytes.data() + at + 1, bytes.data() + end, number);
  if (read.ec != std::errc() || read.ptr != bytes.data() + end) {
    throw std::runtime_error("no number: " + std::string(bytes.substr(at, end - at)));
  }
  next = end + kEnd.size();
  return number;
}

void want(bool good, std::string_view bytes) {
  if (!good) throw std::runtime_error("no command: " + std::string(bytes.substr(0, 40)));
}

}  // namespace

std::optional<Words> CommandReader::next() {
  if (bytes_.empty()) return std::nullopt;
  want(bytes_[0] == '*', bytes_);
  std::size_t at = 0;
  const auto count = number_at(bytes_, 0, at);
  if (!count) return std::nullopt;
  want(*count > 0 && *count < 100'000, bytes_);
  Words words;
  for (long long i = 0; i < *count; ++i) {
    if (at >= bytes_.size()) return std::nullopt;
    want(bytes_[at] == '$', std::string_view(bytes_).substr(at));
    const auto length = number_at(bytes_, at, at);
    if (!length || at + static_cast<std::size_t>(*length) + kEnd.size() > bytes_.size()) {
      return std::nullopt;
    }
    words.push_back(bytes_.substr(at, static_cast<std::size_t>(*length)));
    at += static_cast<std::size_t>(*length);
    want(bytes_.compare(at, kEnd.size(), kEnd) == 0, std::string_view(bytes_).substr(at));
    at += kEnd.size();
  }
  bytes_.erase(0, at);
  return words;
}

std::size_t reply_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  std::size_t at = 0;
  if (bytes[0] == '+' || bytes[0] == '-') {
    const std::size_t end = bytes.find(kEnd);
    return end == bytes.npos ? 0 : end + kEnd.size();
  }
  const auto number = number_at(bytes, 0, at);
  if (!number) return 0;
  if (bytes[0] == '$' && *number >= 0) {
    const std::size_t end = at + static_cast<std::size_t>(*number) + kEnd.size();
    return end <= bytes.size() ? end : 0;
  }
  if (bytes[0] != '*') return at;
  for (long long i = 0; i < *number; ++i) {
    const std::size_t length = reply_length(bytes.substr(at));
    if (length == 0) return 0;
    at += length;
  }
  return at;
}

std::string written(const Words& command) {
  std::string text = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& word : command) text += bulk(word);
  return text;
}

std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

std::string integer(long long number) { return ":" + std::to_string(number) + "\r\n"; }

std::string array(const std::vector<std::string>& replies) {
  std::string text = "*" + std::to_string(replies.size()) + "\r\n";
  for (const std::string& reply : replies) text += reply;
  return text;
}

}  // namespace einlass::whole
