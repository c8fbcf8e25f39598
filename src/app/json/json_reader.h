// Reads records' values as JSON, one after the other into the same memory, and what JSON pointers
// (RFC 6901) find in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::app {

class JsonPointer {
 public:
  // REQUIRES: `text` is one, as the configuration takes them.
  explicit JsonPointer(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<std::string>& steps() const { return steps_; }  // Their escapes are undone.

  bool operator==(const JsonPointer& other) const { return text_ == other.text_; }

 private:
  std::string text_;
  std::vector<std::string> steps_;
};

// What a pointer found, as a text.
struct JsonScalar {
  // None: it leads nowhere, or to a null, a list or an object.
  enum class Kind : std::uint8_t { none, text, number, truth };

  Kind kind = Kind::none;
  std::string_view text;
};

// What may be done with a value. Plain JSON is both; a byte order mark before it, or a NUL and
// whatever follows, is left out when it is read, and half a surrogate pair may stand in a list for
// its reader to judge, but is no text.
struct JsonForm {
  bool readable = false;  // Pointers may find something in it.
  bool listable = false;  // It may stand in a list as it is.
};

// REQUIRES: used by one thread.
class JsonReader {
 public:
  // So many bytes must be there to be read behind a value, whatever they are.
  static constexpr std::size_t kPadding = 64;

  JsonReader();
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Reads a value, whatever it is. Nesting has no bound but the value's length, and needs no stack.
  // Takes 14 times the value's bytes; 26 times at most if it is nested deeper than 1,024, or odd.
  // REQUIRES: kPadding bytes behind it.
  JsonForm read(std::string_view text);

  // What the pointer finds in the last value; of several members with one name it is the last.
  // Lives until the next call of any. REQUIRES: it is readable.
  JsonScalar find(const JsonPointer& pointer);

  // Gives back what a large value took. What was read is gone.
  void forget();

 private:
  struct Parsed;

  bool parse(std::string_view text);
  JsonForm read_oddities(std::string_view text, bool refused);

  std::unique_ptr<Parsed> parsed_;
  std::string spare_;   // A value with its oddities written otherwise.
  std::string number_;  // The last number that was found.
};

}  // namespace einlass::app
