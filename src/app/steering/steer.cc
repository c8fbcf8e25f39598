#include "app/steering/steer.h"

#include <utility>

#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<Subject::Kind, std::string_view> kPauses[] = {
    {Subject::Kind::route, "pause:route/"},
    {Subject::Kind::target, "pause:target/"},
    {Subject::Kind::topic, "pause:topic/"},
    {Subject::Kind::tenant, "pause:limit/"},
};

constexpr std::string_view kShare = "share:";

bool has_key(Subject::Kind kind) { return has_values(kind) || kind == Subject::Kind::tenant; }

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
    if (!has_values(subject_.kind)) {
      if (name == "paused" && value == true) return "";
      return name + " means nothing here; a pause is {\"paused\": true}, with until, by, note";
    }
    if (subject_.kind == Subject::Kind::weight && name != "weight") {
      return name + " means nothing here; a weight is {\"weight\": 5}, with until, by, note";
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

std::vector<std::string_view> pause_prefixes() {
  std::vector<std::string_view> fronts;
  for (const auto& [kind, front] : kPauses) fronts.push_back(front);
  return fronts;
}

std::optional<Subject> subject_of(std::string_view table_key) {
  for (const auto& [kind, front] : kPauses) {
    if (table_key.starts_with(front)) return split(kind, table_key.substr(front.size()));
  }
  const std::size_t slash = table_key.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return quota_subject(table_key.substr(0, slash), table_key.substr(slash + 1));
}

std::string table_key(const Subject& subject) {
  std::string key;
  for (const auto& [kind, front] : kPauses) {
    if (kind == subject.kind) key = front;
  }
  key += has_values(subject.kind) ? quota_name(subject) : subject.name;
  if (has_key(subject.kind)) key.append("/").append(subject.key);
  return key;
}

bool has_values(Subject::Kind kind) {
  return kind == Subject::Kind::quota || kind == Subject::Kind::weight;
}

std::optional<Subject> quota_subject(std::string_view limit, std::string_view key) {
  const bool share = limit.starts_with(kShare);
  const std::string_view name = share ? limit.substr(kShare.size()) : limit;
  if (name.empty() || name.find(':') != std::string_view::npos) return std::nullopt;
  return Subject{share ? Subject::Kind::weight : Subject::Kind::quota, std::string(name),
                 std::string(key)};
}

std::string quota_name(const Subject& subject) {
  return subject.kind == Subject::Kind::weight ? std::string(kShare) + subject.name : subject.name;
}

std::string_view word_of(Subject::Kind kind) {
  if (kind == Subject::Kind::weight) return "share";
  for (const auto& [one, front] : kPauses) {
    if (one == kind) return front.substr(6, front.size() - 7);  // Of "pause:WORD/".
  }
  return "limit";
}

std::string to_text(const Subject& subject) {
  const std::string text = std::string(word_of(subject.kind)) + " " + subject.name;
  if (!has_key(subject.kind)) return valid_utf8(text);
  const std::string key = subject.kind == Subject::Kind::weight ? ", flow " : ", key ";
  return valid_utf8(text + key + subject.key);
}

std::string not_there(const Subject& subject) {
  const std::string what = to_text(subject);
  if (subject.kind == Subject::Kind::quota) return what + " has no quota of its own";
  if (subject.kind == Subject::Kind::weight) return what + " has no weight set; the file's holds";
  return what + " is not paused";
}

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
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
  if (wrong.empty() && has_values(subject.kind) && steer.values.empty()) {
    wrong = subject.kind == Subject::Kind::weight
                ? "has no weight; write one, as {\"weight\": 5}"
                : "has no value of the limit; write one, as {\"limit\": 500}";
  }
  if (!wrong.empty()) return wrong;
  return steer;
}

std::string text_of(const Subject& subject, const Steer& steer) {
  Json json = has_values(subject.kind) ? steer.values : Json{{"paused", true}};
  if (steer.since_ms > 0) json["since"] = steer.since_ms;
  if (steer.until_ms) json["until"] = *steer.until_ms;
  if (!steer.by.empty()) json["by"] = steer.by;
  if (!steer.note.empty()) json["note"] = steer.note;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace einlass::app
