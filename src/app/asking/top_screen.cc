#include "app/asking/top_screen.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/asking/top_lines.h"
#include "text/shown.h"
#include "text/span_words.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

// Of those that are over: so many, for there is only so much room.
constexpr int kMostEnded = 3;

std::string count_text(const Json& json, const char* name) {
  return std::to_string(json.at(name).get<std::uint64_t>());
}

// The time of day in UTC, as in the log.
std::string clock_text(std::int64_t us) {
  const std::time_t seconds = us / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &utc);
  return text;
}

std::string span(std::int64_t from_us, std::int64_t to_us) {
  return span_in_words(Duration{std::max<std::int64_t>(to_us - from_us, 1'000'000)});
}

std::string name_of(const Json& trouble) {
  const std::string name = text_of(trouble, "name");
  return text_of(trouble, "what") + (name.empty() ? "" : " " + name);
}

TopLine lasting(const Json& trouble, std::int64_t now_us) {
  const bool bad = text_of(trouble, "severity") == "bad";
  std::string text = "! " + name_of(trouble) + ": " + text_of(trouble, "says");
  if (!trouble.at("since").is_null()) {
    const auto since = trouble.at("since").get<std::int64_t>();
    text += "; since " + clock_text(since) + " (" + span(since, now_us) + ")";
  }
  if (!trouble.at("next").is_null()) {
    text += (bad ? ", next try " : ", goes on ") + until_in_words(trouble.at("next"), now_us);
  }
  if (!trouble.at("waiting").is_null()) text += "; " + count_text(trouble, "waiting") + " wait";
  return {text, bad ? Colour::red : Colour::yellow};
}

TopLine over(const Json& trouble) {
  const auto since = trouble.at("since").get<std::int64_t>();
  const auto ended = trouble.at("ended").get<std::int64_t>();
  return {"  over: " + name_of(trouble) + " from " + clock_text(since) + " to " +
              clock_text(ended) + " (" + span(since, ended) + "): " + text_of(trouble, "says"),
          Colour::faint};
}

}  // namespace

std::string first_of(const std::string& text, std::size_t characters) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size() && used < characters; ++used) {
    end += std::max<std::size_t>(1, utf8_sequence(std::string_view(text).substr(end)));
  }
  return text.substr(0, end);
}

std::string until_in_words(const Json& at, std::int64_t now_us) {
  if (at.is_null()) return "";
  const std::int64_t left = at.get<std::int64_t>() - now_us;
  return left <= 0 ? "now" : "in " + span_in_words(Duration{left});
}

void add_head(TopLines& lines, const TopStatus& status, std::size_t most_lasting) {
  const Json& now = status.now;
  const bool ready = now.at("ready").get<bool>();
  lines.push_back({"einlass " + text_of(now, "instance") + "  " + text_of(now, "version") + "  " +
                       (ready ? "ready" : text_of(now, "why_not_ready")) + "  " +
                       clock_text(status.now_us) + " UTC",
                   ready ? Colour::bold : Colour::red});
  std::size_t lasts = 0;
  for (const Json& trouble : now.at("troubles")) {
    if (!trouble.at("ended").is_null() || ++lasts > most_lasting) continue;
    lines.push_back(lasting(trouble, status.now_us));
  }
  if (lasts > most_lasting) {
    lines.push_back({"! and " + std::to_string(lasts - most_lasting) + " more", Colour::yellow});
  }
  const Json& books = now.at("books");
  const bool closed = books.at("closed").get<bool>();
  std::string text = "received " + count_text(books, "received");
  const char* between = " = ";
  for (const char* name : {"delivered", "dead_lettered", "returned", "filtered", "inside"}) {
    if (std::string_view(name) == "filtered" && books.value(name, 0) == 0) continue;
    text += between + std::string(name) + " " + count_text(books, name);
    between = " + ";
  }
  lines.push_back({text, closed ? Colour::none : Colour::red});
  int ended = 0;
  for (const Json& trouble : now.at("troubles")) {
    if (!trouble.at("ended").is_null() && ++ended <= kMostEnded) lines.push_back(over(trouble));
  }
}

std::string top_picture(const std::string& now, const std::optional<std::string>& before,
                        TerminalSize size, bool colours) {
  const Json json = Json::parse(now);
  const Json earlier = before ? Json::parse(*before) : Json();
  const auto at = json.at("at").get<std::int64_t>();
  const bool same = before && earlier.at("started_at") == json.at("started_at");
  const double seconds =
      same ? static_cast<double>(at - earlier.at("at").get<std::int64_t>()) / 1e6 : 0;
  const TopStatus status{json, seconds > 0 ? &earlier : nullptr, seconds, at,
                         std::max<std::size_t>(12, size.columns / 3)};
  TopLines lines;
  add_head(lines, status, size.rows / 3);
  add_routes(lines, status);
  add_limits(lines, status);
  add_shares(lines, status);
  add_targets(lines, status);
  add_longest(lines, status);
  lines.resize(std::min(lines.size(), size.rows));
  std::string picture;
  for (const TopLine& line : lines) {
    std::string text = first_of(shown(line.text), size.columns);
    text.erase(text.find_last_not_of(' ') + 1);
    picture += coloured(text, line.colour, colours) + "\n";
  }
  return picture;
}

}  // namespace einlass::app
