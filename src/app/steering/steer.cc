#include "app/steering/steer.h"

#include <utility>

#include "units/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<Subject::Kind, std::string_view> kPauses[] = {
    {Subject::Kind::route, "pause:route/"},
    {Subject::Kind::target, "pause:target/"},
    {Subject::Kind::topic, "pause:topic/"},
    {Subject::Kind::tenant, "pause:limit/"},
};

bool has_key(Subject::Kind kind) {
  return kind == Subject::Kind::quota || kind == Subject::Kind::tenant;
}

std::optional<Subject> split(Subject::Kind kind, std::string_view rest) {
  if (!has_key(kind)) {
    if (rest.empty()) return std::nullopt;
    return Subject{kind, std::string(rest), {}};
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  return Subject{kind, std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1))};
}

// Reads what every entry may have; says what is wrong.
class SteerReader {
 public:
  SteerReader(const Subject& subject, Steer& steer) : subject_(subject), steer_(steer) {}

  std::string take(const std::string& name, const Json& value) {
    if (name == "note") return take_text(name, value, kLongestNote, steer_.note);
    if (name == "by") return take_text(name, value, kLongestBy, steer_.by);
    if (name == "since") return take_time(name, value, steer_.since_ms);
    if (name == "until") return take_time(name, value, steer_.until_ms.emplace());
    if (subject_.kind != Subject::Kind::quota) {
      if (name == "paused" && value == true) return "";
      return name + " means nothing here; a pause is {\"paused\": true}, with until, by, note";
    }
    if (!value.is_string() && !value.is_number()) return name + " is neither a number nor a text";
    steer_.values[name] = value;
    return "";
  }

 private:
  static std::string take_text(const std::string& name, const Json& value, std::size_t longest,
                               std::string& to) {
    if (!value.is_string()) return name + " is not a text";
    to = value.get<std::string>();
    if (to.size() <= longest) return "";
    return name + " is longer than " + std::to_string(longest) + " bytes";
  }

  static std::string take_time(const std::string& name, const Json& value, std::int64_t& to) {
    constexpr std::int64_t kLatest = 253'402'300'799'000;  // The end of the year 9999.
    if (value.is_number_integer()) to = value.get<std::int64_t>();
    if (value.is_number_integer() && to >= 0 && to <= kLatest) return "";
    return name + " is no time; write milliseconds since 1970";
  }

  const Subject& subject_;
  Steer& steer_;
};

}  // namespace

std::optional<Subject> subject_of(std::string_view table_key) {
  for (const auto& [kind, front] : kPauses) {
    if (table_key.starts_with(front)) return split(kind, table_key.substr(front.size()));
  }
  if (table_key.substr(0, table_key.find('/')).find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  return split(Subject::Kind::quota, table_key);
}

std::string table_key(const Subject& subject) {
  std::string key;
  for (const auto& [kind, front] : kPauses) {
    if (kind == subject.kind) key = front;
  }
  key += subject.name;
  if (has_key(subject.kind)) key.append("/").append(subject.key);
  return key;
}

std::string_view word_of(Subject::Kind kind) {
  for (const auto& [one, front] : kPauses) {
    if (one == kind) return front.substr(6, front.size() - 7);  // Of "pause:WORD/".
  }
  return "limit";
}

std::string to_text(const Subject& subject) {
  const std::string text = std::string(word_of(subject.kind)) + " " + subject.name;
  return valid_utf8(has_key(subject.kind) ? text + ", key " + subject.key : text);
}

std::variant<Steer, std::string> read_steer(const Subject& subject, std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::string("is no JSON object");
  Steer steer;
  SteerReader reader(subject, steer);
  std::string wrong;
  for (const auto& [name, value] : json.items()) {
    const std::string said = reader.take(name, value);
    if (!said.empty()) wrong += (wrong.empty() ? "" : "; ") + said;
  }
  if (wrong.empty() && subject.kind == Subject::Kind::quota && steer.values.empty()) {
    wrong = "has no value of the limit; write one, as {\"limit\": 500}";
  }
  if (!wrong.empty()) return wrong;
  return steer;
}

std::string text_of(const Subject& subject, const Steer& steer) {
  Json json = subject.kind == Subject::Kind::quota ? steer.values : Json{{"paused", true}};
  if (steer.since_ms > 0) json["since"] = steer.since_ms;
  if (steer.until_ms) json["until"] = *steer.until_ms;
  if (!steer.by.empty()) json["by"] = steer.by;
  if (!steer.note.empty()) json["note"] = steer.note;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace einlass::app
