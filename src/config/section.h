// One section of the file: a map whose keys are options of the table. Says what is unknown in it,
// written twice or missing, and reads its values.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"
#include "config/reading.h"
#include "config/values.h"

namespace einlass::config {

// At most so many entries in one map.
inline constexpr std::size_t kMostEntries = 1'000;

// The entries of a map whose keys are free, in the order of the file, without those that are merge
// keys or there already (both mistakes). Nothing written counts as an empty map.
std::vector<const Entry*> map_entries(Reading& reading, const Node* node, const std::string& path);

// The items of a list; a mistake if it is none, or if there are more than `most`.
std::vector<const Node*> list_items(Reading& reading, const Node* node, const std::string& path,
                                    std::size_t most);

// A mistake at the key, if it may not be the name of a limit or a target.
void refuse_bad_key(Reading& reading, const Entry& entry, const std::string& path);

// A parser of one of several words, each standing for the value at its place in the enumeration.
template <class Choice>
auto one_of(std::vector<std::string_view> words) {
  return [words = std::move(words)](const Scalar& scalar) -> Parsed<Choice> {
    const auto choice = parse_choice(scalar.text, words);
    if (refused(choice)) return std::get<Refusal>(choice);
    return static_cast<Choice>(std::get<std::size_t>(choice));
  };
}

// REQUIRES: outlived by the reading and the document.
class Section {
 public:
  // `table` names the section in the table of options. `node` is null where the file has no such
  // section: then every option keeps its default.
  Section(Reading& reading, const Node* node, std::string path, std::string_view table);

  // Says which keys are not in the table.
  void refuse_unknown_keys();

  // The value's node, null if the option is not written. REQUIRES: the option is in the table.
  const Node* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  // False, with a mistake at the section, if the option is not written; `advice` as "write limit:
  // 100". Silent where the option may have been meant: misspelt, by a merge key, or where the
  // section is no section.
  bool require(std::string_view name, std::string_view advice);

  std::string path_of(std::string_view name) const { return below(path_, name); }
  const std::string& path() const { return path_; }
  Reading& reading() { return reading_; }

  // Where the option stands, or where it would.
  Place place_of(std::string_view name) const;

  // Reads an option by `parse`, which takes a const Scalar& and returns a Parsed<T>. True if it is
  // there and right; else `out` keeps its default. A secret is not shown in mistakes.
  template <class T, class Parse>
  bool read(std::string_view name, T& out, Parse parse, bool secret = false) {
    const Node* node = find(name);
    if (node == nullptr) return false;
    const auto scalar = reading_.scalar(*node, path_of(name), secret);
    if (!scalar) return false;
    Parsed<T> parsed = parse(*scalar);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
      reading_.wrong(*scalar, refusal->text);
      return false;
    }
    out = std::move(std::get<T>(parsed));
    return true;
  }

  bool read_duration(std::string_view name, Duration& out, Bounds<Duration> bounds);
  bool read_size(std::string_view name, Bytes& out, Bounds<Bytes> bounds);
  // REQUIRES: `out`'s type holds whatever is within `bounds`.
  template <std::integral T>
  bool read_whole(std::string_view name, T& out, Bounds<std::int64_t> bounds) {
    std::int64_t whole = 0;
    const bool is_read =
        read(name, whole, [&](const Scalar& s) { return parse_whole(s.text, bounds); });
    if (is_read) out = static_cast<T>(whole);
    return is_read;
  }
  bool read_boolean(std::string_view name, bool& out);
  bool read_text(std::string_view name, std::string& out);
  bool read_name(std::string_view name, std::string& out);

 private:
  bool is_misspelt(std::string_view name) const;

  Reading& reading_;
  std::string path_;
  std::string_view table_;
  Place place_;
  bool is_whole_ = true;
  std::vector<const Entry*> entries_;
};

}  // namespace einlass::config
