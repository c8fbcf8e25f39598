// One section of the file: a map whose keys are options of a table. Says what is unknown in it,
// written twice or missing, and reads its values.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/model/address.h"
#include "config/model/reading.h"
#include "config/text/values.h"

namespace einlass::config {

// At most so many entries in one map.
inline constexpr std::size_t kMostEntries = 1'000;

// The entries of a map whose keys are free, in the order of the file, without those that are merge
// keys or there already (both mistakes). Nothing written counts as an empty map.
std::vector<const Entry*> map_entries(Reading& reading, const Node* node, const std::string& path);

// A mistake at the key, if it may not be the name of a limit or a target.
void refuse_bad_key(Reading& reading, const Entry& entry, const std::string& path);

// REQUIRES: outlived by the reading and the document.
class Section {
 public:
  using Names = std::vector<std::string_view>;

  // `options` are the names that may stand in it; any other is a mistake. `node` is null where the
  // file has no such section: then every option keeps its default.
  Section(Reading& reading, const Node* node, std::string path, Names options);

  // While it lives that option is the one being read, and any mistake is one of it.
  class Scope {
   public:
    Scope(Section& section, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Section& section_;
    std::string_view before_;
    std::size_t mistakes_;
  };
  // Its name, empty if there is none. Whatever takes no name below is about that option.
  std::string_view option() const { return option_; }

  // The value's node, null if the option is not written. REQUIRES: it is one of the options.
  const Node* find(std::string_view name) const;
  const Node* find() const { return find(option_); }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string path_of(std::string_view name) const { return below(path_, name); }
  std::string path_of() const { return path_of(option_); }

  // Where the option stands, or where it would.
  Position position_of(std::string_view name) const;

  // Where the value of that key stands in an option that is a map, or where it would.
  Position position_of(std::string_view name, std::string_view key) const;

  // NAME itself, or NAME_file where that is what is written: of a secret.
  std::string written_as(std::string_view name) const;

  // False, with a mistake at the section, if the option is not written, nor NAME_file; `advice` is
  // what to write for its value, as "100", or whole, as "write one". Silent where the option may
  // have been meant: misspelt, by a merge key, or where the section is no section.
  bool require(std::string_view name, std::string_view advice);
  bool require(std::string_view advice) { return require(option_, advice); }

  // A mistake at the option, or where it would stand.
  void wrong(std::string_view name, const std::string& text);
  void wrong(const std::string& text) { wrong(option_, text); }
  // Counts as wrong, though nothing is told of it.
  void mark_wrong(std::string_view name);

  // Whether nothing was wrong so far with these options and with what is below them; with any.
  bool sound(const Names& names) const;
  bool sound() const { return wrong_.empty(); }

  // A section within this one, which owns it; and again by the path below this one, as "retry".
  Section& open(const Node* node, std::string path, Names options);
  Section& opened(std::string_view path);

  Reading& reading() { return reading_; }

  // Reads the option by `parse`, which takes a const Scalar& and returns a Parsed<T>. True if it is
  // there and right; else `out` keeps its default. A secret is not shown in mistakes.
  template <class T, class Parse>
  bool read(T& out, Parse parse, bool secret = false) {
    const Node* node = find();
    if (node == nullptr) return false;
    const auto scalar = reading_.scalar(*node, path_of(), secret);
    if (!scalar) return false;
    Parsed<T> parsed = parse(*scalar);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
      reading_.wrong(*scalar, refusal->text);
      return false;
    }
    out = std::move(std::get<T>(parsed));
    return true;
  }
  // A URL, which mistakes do not show where it may hold a secret.
  template <class T, class Parse>
  bool read_url(T& out, Parse parse) {
    return read(out, parse, find() != nullptr && may_hold_secret(find()->text));
  }

  // The items of a list; a mistake if there are more than `most`. `none` is told of an empty one,
  // if it is given.
  std::vector<const Node*> items(std::size_t most, std::string_view none = "");

  // Reads them one by one; `take` says what is wrong with one, or nothing. An item is shown unless
  // `is_secret` says so.
  void read_list(std::size_t most, const std::function<std::string(const Scalar&)>& take,
                 std::string_view none = "", bool (*is_secret)(std::string_view) = nullptr);

 private:
  void refuse_unknown_keys();
  bool is_misspelt(std::string_view name) const;

  Reading& reading_;
  std::string path_;
  Names options_;
  Position position_;
  bool is_whole_ = true;
  std::vector<const Entry*> entries_;
  std::string_view option_;
  std::set<std::string_view> wrong_;  // Of the options.
  std::vector<std::unique_ptr<Section>> sections_;
};

}  // namespace einlass::config
