#include "app/asking/top_screen.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "units/shown.h"
#include "units/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

struct Line {
  std::string text;
  Colour colour = Colour::none;
};
using Lines = std::vector<Line>;

std::string text_of(const Json& json, const char* name) { return json.at(name).get<std::string>(); }
std::uint64_t count_of(const Json& json, const char* name) {
  return json.at(name).get<std::uint64_t>();
}

// Of so many characters, filled up with blanks or cut. One that takes two columns counts as one.
std::string column(const std::string& text, std::size_t width, bool right = false) {
  std::string shown;
  std::size_t used = 0;
  for (std::string_view rest = text; !rest.empty() && used < width; ++used) {
    const std::size_t size = std::max<std::size_t>(1, utf8_sequence(rest));
    shown += rest.substr(0, size);
    rest.remove_prefix(size);
  }
  const std::string blanks(width - used, ' ');
  return right ? blanks + shown : shown + blanks;
}

std::string number(std::uint64_t n, std::size_t width) {
  return column(std::to_string(n), width, true);
}

std::string in_about(std::int64_t us) {
  if (us <= 0) return "now";
  if (us < 1'000'000) return "in " + std::to_string((us + 999) / 1'000) + " ms";
  return "in " + std::to_string((us + 999'999) / 1'000'000) + " s";
}

std::string until(const Json& at, std::int64_t now_us) {
  return at.is_null() ? "" : in_about(at.get<std::int64_t>() - now_us);
}

std::string rate(const Json& now, const Json* before, const char* name, double seconds) {
  if (before == nullptr || seconds <= 0) return "-";
  const auto more =
      static_cast<double>(count_of(now, name)) - static_cast<double>(count_of(*before, name));
  if (more < 0) return "-";  // The gate has begun anew.
  return std::to_string(static_cast<std::int64_t>(more / seconds + 0.5));
}

void add_head(Lines& lines, const Json& status) {
  const bool ready = status.at("ready").get<bool>();
  lines.push_back({"einlass " + text_of(status, "instance") + "  " + text_of(status, "version") +
                       "  " + (ready ? "ready" : text_of(status, "why_not_ready")),
                   ready ? Colour::green : Colour::red});
  const Json& books = status.at("books");
  const bool closed = books.at("closed").get<bool>();
  std::string text = "received " + std::to_string(count_of(books, "received"));
  const char* between = " = ";
  for (const char* name : {"delivered", "dead_lettered", "returned", "inside"}) {
    text += between + std::string(name) + " " + std::to_string(count_of(books, name));
    between = " + ";
  }
  lines.push_back(
      {text + (closed ? "" : "   THE BOOKS DO NOT CLOSE"), closed ? Colour::none : Colour::red});
}

const Json* find_route(const Json* status, const std::string& name) {
  if (status == nullptr) return nullptr;
  for (const Json& route : status->at("routes")) {
    if (text_of(route, "name") == name) return &route;
  }
  return nullptr;
}

void add_routes(Lines& lines, const Json& status, const Json* before, double seconds) {
  lines.push_back({"", Colour::none});
  lines.push_back({column("ROUTE", 20) + "  deliv/s   inside    limit    order   target    retry   "
                                         "outage  in flight",
                   Colour::bold});
  for (const Json& route : status.at("routes")) {
    const Json& waits = route.at("waiting");
    std::string text =
        column(text_of(route, "name"), 20) +
        column(rate(route, find_route(before, text_of(route, "name")), "delivered", seconds), 9,
               true) +
        number(count_of(route, "inside"), 9);
    for (const char* reason : {"limit", "order", "target", "retry", "outage"}) {
      text += number(count_of(waits, reason), 9);
    }
    lines.push_back({text + number(count_of(waits, "in_flight"), 11), Colour::none});
  }
}

void add_targets(Lines& lines, const Json& status, std::int64_t now_us) {
  lines.push_back({"", Colour::none});
  lines.push_back({column("TARGET", 20) + "  in flight  state", Colour::bold});
  for (const Json& target : status.at("targets")) {
    std::string trouble = text_of(target, "unusable");
    if (trouble.empty()) trouble = text_of(target, "trouble");
    const Json& breaker = target.at("breaker");
    std::string state = trouble.empty() ? "well" : trouble;
    Colour colour = trouble.empty() ? Colour::none : Colour::red;
    if (text_of(breaker, "state") != "closed") {
      state = "breaker " + text_of(breaker, "state") + " " + until(breaker.at("until"), now_us) +
              (trouble.empty() ? "" : ": " + trouble);
      colour = Colour::yellow;
    } else if (!target.at("held_until").is_null()) {
      state = "left alone, goes on " + until(target.at("held_until"), now_us);
      colour = Colour::yellow;
    }
    lines.push_back({column(text_of(target, "name"), 20) +
                         number(count_of(target, "in_flight"), 11) + "  " + state,
                     colour});
  }
  for (const Json& store : status.at("stores")) {
    const bool up = store.at("up").get<bool>();
    if (up) continue;
    lines.push_back(
        {column(text_of(store, "name"), 20) + "             " + text_of(store, "trouble"),
         Colour::red});
  }
}

std::string keys_of(const Json& line) {
  std::string keys;
  for (const auto& [limit, key] : line.at("keys").items()) {
    keys += (keys.empty() ? "" : ", ") + key.get<std::string>();
  }
  return keys.empty() ? "(all records)" : keys;
}

void add_lines(Lines& lines, const Json& status, std::int64_t now_us) {
  const Json& longest = status.at("longest_lines");
  lines.push_back({"", Colour::none});
  lines.push_back({column("LONGEST LINES of " + std::to_string(count_of(status, "lines")), 34) +
                       "  waiting  for",
                   Colour::bold});
  for (const Json& line : longest) {
    const std::string reason = text_of(line, "waits_for") +
                               (line.at("limit").is_null() ? "" : " " + text_of(line, "limit"));
    lines.push_back({column(keys_of(line), 34) + number(count_of(line, "waiting"), 9) + "  " +
                         reason + "  " + until(line.at("until"), now_us),
                     Colour::none});
  }
}

void add_troubles(Lines& lines, const Json& status) {
  Lines troubles;
  for (const Json& one : status.at("recent")) {
    const std::string severity = text_of(one, "severity");
    if (severity == "info") continue;
    troubles.push_back({text_of(one, "what") + ": " + text_of(one, "detail"),
                        severity == "error" ? Colour::red : Colour::yellow});
  }
  if (troubles.empty()) return;
  lines.push_back({"", Colour::none});
  lines.push_back({"LAST TROUBLES", Colour::bold});
  constexpr std::ptrdiff_t kMost = 5;
  const auto count = std::min<std::ptrdiff_t>(kMost, std::ssize(troubles));
  lines.insert(lines.end(), troubles.end() - count, troubles.end());
}

}  // namespace

std::string top_picture(const TopLook& now, const std::optional<TopLook>& before,
                        std::int64_t now_us, TerminalSize size, bool colours) {
  const Json status = Json::parse(now.status);
  const Json earlier = before ? Json::parse(before->status) : Json();
  Lines lines;
  add_head(lines, status);
  add_routes(lines, status, before ? &earlier : nullptr,
             before ? now.seconds - before->seconds : 0);
  add_targets(lines, status, now_us);
  add_troubles(lines, status);
  add_lines(lines, status, now_us);
  lines.resize(std::min(lines.size(), size.rows));
  std::string picture;
  for (const Line& line : lines) {
    std::string text = column(shown(line.text), size.columns);
    text.erase(text.find_last_not_of(' ') + 1);
    picture += coloured(text, line.colour, colours) + "\n";
  }
  return picture;
}

}  // namespace einlass::app
