// Reads JSON piece by piece, strictly and without a tree, and says in which column it goes wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace einlass::app {

struct JsonMistake {
  std::size_t column = 0;  // 1-based, in bytes.
  std::string text;
};

// Once something was wrong, every call fails and the first mistake stays.
class JsonScanner {
 public:
  // The text must outlive it.
  explicit JsonScanner(std::string_view text) : text_(text) {}

  bool failed() const { return failed_; }
  const JsonMistake& mistake() const { return mistake_; }
  void fail(std::size_t column, std::string text);

  // The column of what comes next, and of the value or name that was taken last.
  std::size_t column();
  std::size_t last_column() const { return value_at_; }

  // Each takes the next value, if it is of that kind; else `expected` says what it should be.
  bool open_object(std::string_view expected);
  bool string(std::string& out, std::string_view expected);

  // A whole number from `least` to `most`.
  std::int64_t integer(std::int64_t least, std::int64_t most);

  // The first character of the next value, 0 at the end.
  char peek();

  // Inside an object: takes the next name and its colon; false at the object's end, which it takes.
  // `first` is true for the object's first.
  bool name(std::string& out, bool first);

  // Whether the list has another element: its opening bracket, or a comma, is taken before it, and
  // the list's end when there is none. `first` is true for the list's first.
  bool element(bool first);

  // Says so if anything but blanks is left.
  void end();

 private:
  void skip_blanks();
  bool take(char c);
  bool escape(std::string& out);
  bool plain(std::string& out);
  std::int64_t too_far(bool negative, std::int64_t least, std::int64_t most);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t value_at_ = 0;  // Where the value being read began.
  bool failed_ = false;
  JsonMistake mistake_;
};

}  // namespace einlass::app
