#include "config/text/values.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "config/text/suggest.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr Unit kTimes[] = {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000},
                           {"s", 1'000'000},      {"ms", 1'000},        {"us", 1}};
constexpr Unit kSizes[] = {{"GiB", 1 << 30},      {"MiB", 1 << 20},  {"KiB", 1 << 10}, {"B", 1},
                           {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}};

template <std::size_t N>
std::optional<std::int64_t> factor_of(std::string_view name, const Unit (&units)[N]) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

// Takes the digits at the front of `text`. Too many of them are the largest number there is.
std::optional<std::int64_t> take_digits(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc::result_out_of_range ? kMost : number;
}

std::int64_t times(std::int64_t number, std::int64_t factor) {
  return number > kMost / factor ? kMost : number * factor;
}

template <class T, class Show>
Parsed<T> within(T value, Bounds<T> bounds, Show show) {
  if (value < bounds.least) {
    return Refusal{"is too small; the smallest value that works is " + show(bounds.least)};
  }
  if (value > bounds.most) {
    return Refusal{"is too large; the largest value that works is " + show(bounds.most)};
  }
  return value;
}

// ".5" after the whole part, in units of `factor` microseconds; none if it is not whole in them.
std::optional<std::int64_t> take_fraction(std::string_view& text, std::int64_t factor) {
  constexpr std::size_t kMostDigits = 13;  // No whole number of microseconds of a day has more.
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.size() > kMostDigits) return std::nullopt;
  __int128 parts = 0;
  __int128 scale = 1;
  for (const char digit : digits) {
    parts = parts * 10 + (digit - '0');
    scale *= 10;
  }
  if (parts * factor % scale != 0) return std::nullopt;
  return static_cast<std::int64_t>(parts * factor / scale);
}

std::string enumerated(const std::vector<std::string_view>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

const Refusal kNotADuration{"is not a duration; write 1s, 500ms or 2m"};

}  // namespace

Parsed<std::int64_t> parse_whole(std::string_view text, Bounds<std::int64_t> bounds) {
  std::string_view rest = text;
  const auto number = take_digits(rest);
  if (!number || !rest.empty()) return Refusal{"is not a whole number; write digits only, as 100"};
  if (text.size() > 1 && text.front() == '0') {
    return Refusal{"starts with a 0, which some YAML readers take for octal; write it without"};
  }
  return within(*number, bounds, [](std::int64_t n) { return std::to_string(n); });
}

Parsed<Duration> parse_duration(std::string_view text, Bounds<Duration> bounds) {
  const auto show = [](Duration d) { return to_text(d); };
  std::string_view rest = text;
  const auto whole = take_digits(rest);
  if (!whole) return kNotADuration;
  if (rest.empty() && *whole != 0) {
    return Refusal{"has no unit; write 500ms, 1s or 2m"};
  }
  if (rest.empty()) return within(Duration{0}, bounds, show);
  const std::size_t letters = rest.find_first_not_of(".0123456789");
  const auto factor = factor_of(letters == rest.npos ? "" : rest.substr(letters), kTimes);
  if (!factor) return kNotADuration;
  std::int64_t fraction = 0;
  if (rest.front() == '.') {
    rest.remove_prefix(1);
    if (letters < 2) return kNotADuration;
    const auto part = take_fraction(rest, *factor);
    if (!part) return Refusal{"is finer than a microsecond; the smallest step is 1us"};
    fraction = *part;
  }
  if (!factor_of(rest, kTimes)) return kNotADuration;
  const std::int64_t us = times(*whole, *factor);
  return within(Duration{us > kMost - fraction ? kMost : us + fraction}, bounds, show);
}

Parsed<Bytes> parse_size(std::string_view text, Bounds<Bytes> bounds) {
  std::string_view rest = text;
  const auto number = take_digits(rest);
  const auto factor = factor_of(rest, kSizes);
  if (number && rest.empty() && *number != 0) {
    return Refusal{"has no unit; write 512KiB, 16MiB or 1GiB"};
  }
  if (!number || (!factor && !rest.empty())) {
    return Refusal{"is not a size; write 512KiB, 16MiB or 1GiB"};
  }
  return within(Bytes{times(*number, factor.value_or(1))}, bounds,
                [](Bytes b) { return to_text(b); });
}

Parsed<limits::Rate> parse_rate(std::string_view text) {
  const Refusal not_a_rate{"is not a rate; write 100/s, 6000/m, 10/h or 1/3s"};
  std::string_view rest = text;
  const auto permits = take_digits(rest);
  if (!permits || rest.empty() || rest.front() != '/') return not_a_rate;
  rest.remove_prefix(1);
  const bool is_unit = !rest.empty() && is_letter(rest.front());
  const auto period = parse_duration((is_unit ? "1" : "") + std::string(rest), {{0}, {kMost}});
  if (refused(period)) return not_a_rate;
  const std::int64_t micros = std::get<Duration>(period).us;
  if (micros == 0) return Refusal{"is over no time; write 100/s, 6000/m, 10/h or 1/3s"};
  if (*permits == kMost || micros == kMost) return Refusal{"is beyond what can be counted"};
  return limits::reduced({*permits, micros});
}

Parsed<std::int64_t> parse_percent(std::string_view text, Bounds<std::int64_t> bounds) {
  const std::optional<std::int64_t> number = take_digits(text);
  if (!number || text != "%") return Refusal{"is not a share; write 20% or 100%"};
  return within(*number, bounds, [](std::int64_t n) { return std::to_string(n) + "%"; });
}

Parsed<bool> parse_boolean(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  const std::string word = lower(text);
  const bool yes = word == "yes" || word == "on" || word == "true" || word == "1";
  const bool no = word == "no" || word == "off" || word == "false" || word == "0";
  return Refusal{std::string("is not true or false; write ") + (yes  ? "true"
                                                                : no ? "false"
                                                                     : "true or false")};
}

Parsed<std::size_t> parse_choice(std::string_view text,
                                 const std::vector<std::string_view>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  return Refusal{"is not known here; " +
                 suggestion(text, choices).value_or("write " + either(choices))};
}

std::string to_text(Duration duration) {
  if (duration.us == 0) return "0s";
  for (const Unit& unit : kTimes) {
    if (duration.us % unit.factor == 0) {
      return std::to_string(duration.us / unit.factor) + std::string(unit.name);
    }
  }
  return {};  // Not reached: the last unit divides everything.
}

std::string to_text(Bytes size) {
  if (size.value == 0) return "0B";
  for (const Unit& unit : kSizes) {
    if (size.value % unit.factor == 0) {
      return std::to_string(size.value / unit.factor) + std::string(unit.name);
    }
  }
  return {};  // Not reached: B divides everything.
}

std::string to_text(limits::Rate rate) {
  for (const std::string_view name : {"s", "m", "h", "d", "ms", "us"}) {
    const std::int64_t factor = *factor_of(name, kTimes);
    if (factor % rate.micros == 0 && rate.permits <= kMost / (factor / rate.micros)) {
      return std::to_string(rate.permits * (factor / rate.micros)) + "/" + std::string(name);
    }
  }
  return std::to_string(rate.permits) + "/" + to_text(Duration{rate.micros});
}

bool is_ambiguous(std::string_view text) {
  static constexpr std::string_view kWords[] = {"yes", "Yes", "YES", "no",  "No",  "NO",
                                                "on",  "On",  "ON",  "off", "Off", "OFF"};
  return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
}

std::string either(const std::vector<std::string_view>& choices) {
  return enumerated(choices, " or ");
}

std::string all_of(const std::vector<std::string_view>& names) {
  return enumerated(names, " and ");
}

std::optional<std::string> what_there_is(std::string_view written,
                                         const std::vector<std::string_view>& known) {
  constexpr std::size_t kMostNamed = 8;
  if (auto near = suggestion(written, known)) return near;
  if (known.empty() || known.size() > kMostNamed) return std::nullopt;
  return "there is " + either(known);
}

}  // namespace einlass::config
