// From the text of one value to a number, a duration, a rate: what the values of the configuration
// may look like, and what to write instead of one that does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "limits/contract/limit.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::config {

// Why a value is refused: what follows its text in a sentence, as "is not a duration; write 1s".
struct Refusal {
  std::string text;
};

template <class T>
using Parsed = std::variant<T, Refusal>;

template <class T>
bool refused(const Parsed<T>& parsed) {
  return std::holds_alternative<Refusal>(parsed);
}

// The same as another type: a narrower integer, an enumeration, Permits. REQUIRES: it holds it.
template <class T, class From>
Parsed<T> as(const Parsed<From>& parsed) {
  if (refused(parsed)) return std::get<Refusal>(parsed);
  if constexpr (std::is_class_v<T>) return T{std::get<From>(parsed)};
  if constexpr (!std::is_class_v<T>) return static_cast<T>(std::get<From>(parsed));
}

// A number as the widest one.
constexpr std::int64_t plain(std::int64_t number) { return number; }
constexpr std::int64_t plain(Permits number) { return number.value; }

// The smallest and the largest value that work.
template <class T>
struct Bounds {
  T least;
  T most;
};

// Each reads the whole text. A number beyond the type's range is treated as too large, not as
// unreadable, so that the message names the largest value that works.
Parsed<std::int64_t> parse_whole(std::string_view text, Bounds<std::int64_t> bounds);
Parsed<Duration> parse_duration(std::string_view text, Bounds<Duration> bounds);
Parsed<Bytes> parse_size(std::string_view text, Bounds<Bytes> bounds);
Parsed<limits::Rate> parse_rate(std::string_view text);  // Reduced; 0 denies all.
Parsed<std::int64_t> parse_percent(std::string_view text, Bounds<std::int64_t> bounds);
Parsed<bool> parse_boolean(std::string_view text);

// The index of the text in `choices`.
Parsed<std::size_t> parse_choice(std::string_view text,
                                 const std::vector<std::string_view>& choices);

// The way back: the shortest text that reads to the same value.
std::string to_text(Duration duration);
std::string to_text(Bytes size);
std::string to_text(limits::Rate rate);

// True for yes, no, on and off in any case: a truth in some YAML readers, a text in others.
bool is_ambiguous(std::string_view text);

// "a, b or c", and "a, b and c".
std::string either(const std::vector<std::string_view>& choices);
std::string all_of(const std::vector<std::string_view>& names);

// Of a name that is none of `known`: "did you mean `a`?", or "there is a or b" where they are so
// few that all can be named. None if there are none, or too many.
std::optional<std::string> what_there_is(std::string_view written,
                                         const std::vector<std::string_view>& known);

}  // namespace einlass::config
