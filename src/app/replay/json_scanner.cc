#include "app/replay/json_scanner.h"

#include <charconv>
#include <system_error>

#include "text/json_escape.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xE0 | code >> 12);
    } else {
      byte(0xF0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3F));
    }
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

}  // namespace

void JsonScanner::fail(std::size_t column, std::string text) {
  if (failed_) return;
  failed_ = true;
  mistake_ = {column, std::move(text)};
  at_ = text_.size();
}

void JsonScanner::skip_blanks() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
    ++at_;
  }
}

char JsonScanner::peek() {
  skip_blanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}

std::size_t JsonScanner::column() {
  skip_blanks();
  return at_ + 1;
}

bool JsonScanner::take(char c) {
  if (failed_ || peek() != c) return false;
  ++at_;
  return true;
}

bool JsonScanner::open_object(std::string_view expected) {
  if (take('{')) return true;
  fail(column(), "expected " + std::string(expected) + ", as an object in { }");
  return false;
}

bool JsonScanner::name(std::string& out, bool first) {
  if (failed_ || take('}')) return false;
  if (!first && !take(',')) {
    fail(column(), "expected a comma, or } at the object's end");
    return false;
  }
  if (!string(out, "a name")) return false;
  if (take(':')) return true;
  fail(column(), "expected a colon behind the name");
  return false;
}

bool JsonScanner::element(bool first) {
  if (failed_) return false;
  if (first && !take('[')) {
    fail(column(), "expected a list in [ ]");
    return false;
  }
  if (take(']')) return false;
  if (first || take(',')) return true;
  fail(column(), "expected a comma, or ] at the list's end");
  return false;
}

bool JsonScanner::string(std::string& out, std::string_view expected) {
  out.clear();
  value_at_ = column();
  if (!take('"')) {
    fail(column(), "expected " + std::string(expected) + ", as a text in quotes");
    return false;
  }
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\' ? !escape(out) : !plain(out)) return false;
  }
  if (take('"')) return true;
  fail(value_at_, "a quote that is never closed");
  return false;
}

// Up to the next quote, escape or end.
bool JsonScanner::plain(std::string& out) {
  const std::size_t from = at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    const std::size_t size = byte < 0x80 ? 1 : utf8_sequence(text_.substr(at_));
    if (byte < 0x20 || size == 0) {
      fail(at_ + 1, size == 0 ? "bytes that are not UTF-8" : "a control character within a text");
      return false;
    }
    at_ += size;
  }
  out.append(text_.substr(from, at_ - from));
  return true;
}

bool JsonScanner::escape(std::string& out) {
  static constexpr std::string_view kMarks = "\"\\/bfnrt";
  static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  const char mark = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (const std::size_t found = kMarks.find(mark); found != kMarks.npos) {
    out += kMeant[found];
    at_ += 2;
    return true;
  }
  const auto escaped = json_escape(text_.substr(at_));
  if (!escaped) {
    fail(at_ + 1, "an escape that JSON does not know");
    return false;
  }
  append_utf8(out, escaped->character);
  at_ += escaped->size;
  return true;
}

std::int64_t JsonScanner::integer(std::int64_t least, std::int64_t most) {
  value_at_ = column();
  if (failed_) return least;
  const char* from = text_.data() + at_;
  const char* const last = text_.data() + text_.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(from, last, number);
  const bool negative = from < last && *from == '-';
  const char* const digits = from + (negative ? 1 : 0);
  const bool odd_zero = digits + 1 < end && *digits == '0';
  const bool goes_on = end < last && (*end == '.' || *end == 'e' || *end == 'E');
  if (error == std::errc::invalid_argument || odd_zero || goes_on) {
    fail(value_at_, "expected a whole number, in digits only");
    return least;
  }
  at_ = static_cast<std::size_t>(end - text_.data());
  if (error != std::errc()) return too_far(negative, least, most);
  if (number < least || number > most) return too_far(number < least, least, most);
  return number;
}

std::int64_t JsonScanner::too_far(bool negative, std::int64_t least, std::int64_t most) {
  constexpr std::size_t kMostShown = 60;
  const std::string_view number = text_.substr(value_at_ - 1, at_ - value_at_ + 1);
  fail(value_at_,
       std::string(number.substr(0, kMostShown)) + (number.size() > kMostShown ? "..." : "") +
           (negative ? " is too small; the smallest value that works is " + std::to_string(least)
                     : " is too large; the largest value that works is " + std::to_string(most)));
  return least;
}

void JsonScanner::end() {
  if (!failed_ && column() <= text_.size()) fail(column(), "expected nothing more on this line");
}

}  // namespace einlass::app
