// The kinds of options, each as a field that reads a member of S and prints it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "config/model/address.h"
#include "config/model/named.h"
#include "config/model/names.h"
#include "config/tables/secrets.h"
#include "config/tables/table.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::config {

using Kind = OptionTraits::Kind;

constexpr Duration millis(std::int64_t n) { return Duration::millis(n); }
constexpr Duration seconds(std::int64_t n) { return Duration::seconds(n); }
constexpr Duration hours(std::int64_t n) { return Duration::seconds(n * 3600); }

// One with a reader and a printer of its own.
template <class S>
Field<S> custom(Kind kind, std::string_view type,
                std::type_identity_t<std::function<void(Section&, S&)>> read,
                std::type_identity_t<std::function<void(PrintedPage&, const S&)>> print) {
  return {{.kind = kind, .type = std::string(type)}, std::move(read), std::move(print)};
}

// One that is read and printed with another one.
template <class S>
Field<S> read_elsewhere() {
  return custom<S>(
      Kind::text, "text", [](Section&, S&) {}, [](PrintedPage&, const S&) {});
}

// One value: `parse` takes a const Scalar& and returns a Parsed<T>, `show` is the way back, and ""
// for a value that is not written.
template <class S, class T, class Parse, class Show>
Field<S> value(Kind kind, std::string_view type, T S::*member, Parse parse, Show show) {
  return custom<S>(
      kind, type, [=](Section& section, S& out) { section.read(out.*member, parse); },
      [=](PrintedPage& page, const S& from) { page.text(show(from.*member)); });
}

template <class S>
Field<S> duration(Duration S::*member, Duration least, Duration most) {
  Field<S> field = value(
      Kind::duration, "duration", member,
      [=](const Scalar& s) {
        return parse_duration(s.text, {least, most});
      },
      [](Duration duration) { return to_text(duration); });
  field.range = to_text(least) + " to " + to_text(most);
  return field;
}

// One where 0 is for never.
template <class S>
Field<S> duration_or_never(Duration S::*member, Duration least, Duration most) {
  Field<S> field = duration(member, least, most);
  field.read = [=](Section& section, S& out) {
    section.read(out.*member, [=](const Scalar& s) {
      const auto any = parse_duration(s.text, {{}, most});
      const bool as_it_is = refused(any) || std::get<Duration>(any) == Duration{};
      return as_it_is ? any : parse_duration(s.text, {least, most});
    });
  };
  field.range = "0 or " + field.range;
  return field;
}

template <class S>
Field<S> size(Bytes S::*member, Bytes least, Bytes most) {
  Field<S> field = value(
      Kind::size, "size", member,
      [=](const Scalar& s) {
        return parse_size(s.text, {least, most});
      },
      [](Bytes size) { return to_text(size); });
  field.range = to_text(least) + " to " + to_text(most);
  return field;
}

inline void set_bounds(OptionTraits& number, std::int64_t least, std::int64_t most) {
  number.range = std::to_string(least) + " to " + std::to_string(most);
  number.bounds = {least, most};
}

// Of the same number elsewhere: what is right at one of the two is told as right.
inline void widen(OptionTraits& number, const OptionTraits& other) {
  if (!number.bounds || !other.bounds) return;
  set_bounds(number, std::min(number.bounds->first, other.bounds->first),
             std::max(number.bounds->second, other.bounds->second));
}

// Of any integer, or of Permits. What is less than `least` is not written.
template <class S, class T>
Field<S> number(T S::*member, std::int64_t least, std::int64_t most) {
  Field<S> field = value(
      Kind::number, "whole number", member,
      [=](const Scalar& s) {
        return as<T>(parse_whole(s.text, {least, most}));
      },
      [=](T n) { return plain(n) < least ? "" : std::to_string(plain(n)); });
  set_bounds(field, least, most);
  return field;
}

// In hundredths, of any integer.
template <class S, class T>
Field<S> percent(T S::*member, std::int64_t least, std::int64_t most) {
  Field<S> field = value(
      Kind::share, "share", member,
      [=](const Scalar& s) {
        return as<T>(parse_percent(s.text, {least, most}));
      },
      [](T shown) { return std::to_string(shown) + "%"; });
  field.range = std::to_string(least) + "% to " + std::to_string(most) + "%";
  return field;
}

template <class S>
Field<S> truth(bool S::*member) {
  return value(
      Kind::truth, "true or false", member, [](const Scalar& s) { return parse_boolean(s.text); },
      [](bool yes) { return std::string(yes ? "true" : "false"); });
}

// Each word stands for the value at its index in the enumeration; of two, for false and true.
template <class S, class T>
Field<S> choice(T S::*member, std::vector<std::string_view> words) {
  Field<S> field = value(
      Kind::choice, either(words), member,
      [=](const Scalar& s) { return as<T>(parse_choice(s.text, words)); },
      [=](T one) { return std::string(words[static_cast<std::size_t>(one)]); });
  field.choices = std::move(words);
  return field;
}

template <class S>
Field<S> text(std::string S::*member, Parsed<std::string> (*parse)(const Scalar&) = parse_text) {
  return value(Kind::text, "text", member, parse, [](const std::string& t) { return t; });
}
template <class S>
Field<S> path(std::string S::*member) {
  return text(member).called("path");
}
// What Kafka takes for one.
template <class S>
Field<S> name(std::string S::*member) {
  return text(member, parse_kafka_name).called("name");
}

// NAME, or NAME_file, whose row is secret_file(). `trouble` says what is wrong with what was read,
// in words that do not have it.
template <class S>
Field<S> secret(FileSecret S::*member, std::string (*trouble)(const std::string&) = nullptr) {
  return custom<S>(
      Kind::secret, "secret",
      [=](Section& section, S& out) { read_secret(section, out.*member, trouble); },
      [=](PrintedPage& page, const S& from) { page.secret(from.*member); });
}
template <class S>
Field<S> secret_file() {
  return read_elsewhere<S>().called("path");
}
// One whose file is read anew whenever it is needed: what that holds by now is no change of the
// configuration.
template <class S>
Field<S> password(FileSecret S::*member, std::string (*trouble)(const std::string&) = nullptr) {
  Field<S> field = secret(member, trouble);
  field.print = [=](PrintedPage& page, const S& from) {
    const FileSecret& secret = from.*member;
    page.secret(secret.file.empty() ? secret : FileSecret{"", secret.file});
  };
  return field;
}

// A list of texts: `take` says what is wrong with one, or adds it. `none` is told of an empty list,
// if it is given.
template <class S>
Field<S> list(std::string_view type, std::vector<std::string> S::*member, std::size_t most,
              std::string (*take)(Section&, const Scalar&, S&), std::string_view none = "") {
  return custom<S>(
      Kind::list, type,
      [=](Section& section, S& out) {
        section.read_list(
            most, [&](const Scalar& s) { return take(section, s, out); }, none);
      },
      [=](PrintedPage& page, const S& from) { page.list(from.*member); });
}

// The name of what stands under one of the options at the top, as its index there: a std::size_t,
// or an optional one.
template <class S, class Index, class T>
Field<S> reference(Index S::*member, std::string_view what, std::vector<T> Config::*all) {
  const auto read = [=](Section& section, S& out) {
    std::vector<std::string_view> known;
    for (const T& one : section.reading().config.*all) known.push_back(one.name);
    std::size_t index = 0;
    const auto parse = [&](const Scalar& s) { return parse_reference(s, what, known); };
    if (section.read(index, parse)) out.*member = index;
  };
  const auto print = [=](PrintedPage& page, const S& from) {
    const std::optional<std::size_t> index = from.*member;
    if (index) page.text((page.config().*all)[*index].name);
  };
  return custom<S>(Kind::text, "name", read, print);
}

// Reads a section that stands in another one.
template <class T>
void read_below(Section& parent, const Node* node, const std::string& path, const Rows<T>& rows,
                Check<T> check, T& out) {
  Section& section = parent.open(node, path, names_in(rows));
  read(section, rows, out);
  if (check != nullptr) check(section, out);
}

// A section: `make` is where its options are read to, and `there` what they are printed from, null
// where there is none. With `always` they are read where it is not written, too.
template <class S, class T, class Make, class There>
Field<S> section_of(bool always, const Rows<T>& rows, Check<T> check, Make make, There there) {
  Field<S> field = custom<S>(
      Kind::section, "section",
      [=, &rows](Section& section, S& out) {
        const Node* node = section.find();
        if (always || node != nullptr) {
          read_below(section, node, section.path_of(), rows, check, make(out));
        }
      },
      [=, &rows](PrintedPage& page, const S& from) {
        if (const T* found = there(from)) page.section([&] { print(page, rows, *found); });
      });
  if (!always) field.default_words = "none";
  field.describe = [=, &rows](const std::string& path, std::vector<Option>& all) {
    const S fresh{};
    describe(rows, path, always ? *there(fresh) : T{}, all);
  };
  return field;
}
// One that is always there, with its defaults.
template <class S, class T>
Field<S> section(T S::*member, const Rows<T>& rows,
                 Check<std::type_identity_t<T>> check = nullptr) {
  return section_of<S>(
      true, rows, check, [=](S& out) -> T& { return out.*member; },
      [=](const S& from) { return &(from.*member); });
}
template <class S, class T>
Field<S> section(std::optional<T> S::*member, const Rows<T>& rows,
                 Check<std::type_identity_t<T>> check = nullptr) {
  return section_of<S>(
      false, rows, check, [=](S& out) -> T& { return (out.*member).emplace(); },
      [=](const S& from) { return from.*member ? &*(from.*member) : nullptr; });
}

// Several of them, `read` and `print` as lists or as maps have them; "[]" or ".NAME" stands for
// one.
template <class S, class T>
Field<S> sections(Kind kind, std::string_view type, std::string_view one, const Rows<T>& rows,
                  std::function<void(Section&, S&)> read,
                  std::function<void(PrintedPage&, const S&)> print) {
  Field<S> field = custom<S>(kind, type, std::move(read), std::move(print));
  field.default_words = "none";
  field.describe = [=, &rows](const std::string& path, std::vector<Option>& all) {
    describe(rows, path + std::string(one), T{}, all);
  };
  return field;
}

// Sections under names of the user's own.
template <class S, class T>
Field<S> by_name(std::vector<T> S::*member, const Rows<T>& rows,
                 Check<std::type_identity_t<T>> check = nullptr) {
  const auto read = [=, &rows](Section& section, S& out) {
    for (const Entry* entry : map_entries(section.reading(), section.find(), section.path_of())) {
      const std::string path = below(section.path_of(), entry->name);
      refuse_bad_key(section.reading(), *entry, path);
      T& one = (out.*member).emplace_back();
      name_of(one) = entry->name;
      read_below(section, entry->value, path, rows, check, one);
    }
  };
  const auto print_all = [=, &rows](PrintedPage& page, const S& from) {
    if ((from.*member).empty()) return;
    page.section([&] {
      for (const T& one : from.*member) {
        if (is_written(one)) page.section(name_of(one), [&] { print(page, rows, one); });
      }
    });
  };
  return sections<S>(Kind::sections, "map", ".NAME", rows, read, print_all);
}

// A list of sections. `none` is told of an empty one, if it is given.
template <class S, class T>
Field<S> list_of(std::string_view type, std::vector<T> S::*member, std::size_t most,
                 const Rows<T>& rows, Check<std::type_identity_t<T>> check = nullptr,
                 std::string_view none = "") {
  const auto read = [=, &rows](Section& section, S& out) {
    const auto items = section.items(most, none);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string path = section.path_of() + "[" + std::to_string(i) + "]";
      read_below(section, items[i], path, rows, check, (out.*member).emplace_back());
    }
  };
  const auto print_all = [=, &rows](PrintedPage& page, const S& from) {
    if ((from.*member).empty()) return;
    page.section([&] {
      for (std::size_t i = 0; i < (from.*member).size(); ++i) {
        const T& one = (from.*member)[i];
        page.item(item_name(one, i), [&] { print(page, rows, one); });
      }
    });
  };
  return sections<S>(Kind::list_of_sections, type, "[]", rows, read, print_all);
}

}  // namespace einlass::config
