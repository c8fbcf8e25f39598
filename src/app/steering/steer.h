// One entry of the fleet's table of quotas and pauses, as text and taken apart.
//
//   key                      text
//   LIMIT/KEY                {"limit": 500, "window": "1s", ...}   what KEY has of the limit
//   share:SHARE/FLOW         {"weight": 5, ...}                    by which the flow has its part
//   pause:route/NAME         {"paused": true, ...}                 so are target/NAME, topic/NAME,
//   pause:limit/LIMIT/KEY                                          and one key of a limit
//
// Beside the values there may be `until` (ends by itself), `since`, both in milliseconds since
// 1970, `by` and `note`. No limit has a colon in its name.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace einlass::app {

// What an entry is about.
struct Subject {
  enum class Kind : std::uint8_t { quota, weight, route, target, topic, tenant };
  Kind kind = Kind::quota;
  std::string name;  // Of the limit, share, route, target or topic.
  std::string key;   // Of a quota, or of a tenant that is paused; or the flow that has the weight.

  bool operator==(const Subject&) const = default;
};

// None where the table's key is none of the above.
std::optional<Subject> subject_of(std::string_view table_key);
std::string table_key(const Subject& subject);

// What a weight has in common with a quota: it is set to values, wherever quotas are, and instead
// of the limit's name stands `share:SHARE`.
bool has_values(Subject::Kind kind);

// How the table's keys of pauses begin: of routes, targets, topics, and keys of limits.
std::vector<std::string_view> pause_prefixes();

// Of that name and key; none where no limit and no share can be meant.
std::optional<Subject> quota_subject(std::string_view limit, std::string_view key);

// What stands instead of a limit's name. REQUIRES: has_values(subject.kind).
std::string quota_name(const Subject& subject);

// "route", "target", "topic", "share", and "limit" for a key of one.
std::string_view word_of(Subject::Kind kind);

// As people say it, in valid UTF-8: "limit per_tenant, key acme", "route results".
std::string to_text(const Subject& subject);

// That the table has nothing of it, as a sentence.
std::string not_there(const Subject& subject);

struct Steer {
  // Texts and numbers, of what has values.
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  std::int64_t since_ms = 0;  // 0: not said.
  std::optional<std::int64_t> until_ms;
  std::string by, note;

  bool over(std::int64_t now_ms) const { return until_ms && *until_ms <= now_ms; }
};

// A text as it is, anything else as JSON has it.
std::string value_text(const nlohmann::ordered_json& value);

// Longer ones are refused.
inline constexpr std::size_t kLongestNote = 200;
inline constexpr std::size_t kLongestBy = 100;

// Or what is wrong with the text. Whether the limit or the share takes the values is not looked at.
std::variant<Steer, std::string> read_steer(const Subject& subject, std::string_view text);
std::string text_of(const Subject& subject, const Steer& steer);

}  // namespace einlass::app
