#include "app/steering/entry_json.h"

#include "text/utf8.h"

namespace einlass::app {

using Json = nlohmann::ordered_json;

Json entry_json(const Subject& subject, const Steer& steer) {
  Json json;
  if (has_values(subject.kind)) {
    json = {{"limit", valid_utf8(quota_name(subject))},
            {"key", valid_utf8(subject.key)},
            {"values", steer.values}};
  } else {
    json = {{"what", word_of(subject.kind)}, {"name", valid_utf8(subject.name)}};
    if (subject.kind == Subject::Kind::tenant) json["key"] = valid_utf8(subject.key);
  }
  json["since"] = steer.since_ms > 0 ? Json(steer.since_ms) : Json(nullptr);
  json["until"] = steer.until_ms ? Json(*steer.until_ms) : Json(nullptr);
  json["by"] = steer.by;
  json["note"] = steer.note;
  return json;
}

}  // namespace einlass::app
