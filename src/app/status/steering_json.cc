#include "app/status/steering_json.h"

#include "app/steering/entry_json.h"
#include "text/utf8.h"

namespace einlass::app {

Json entries_json(const std::vector<Steering::Entry>& entries) {
  Json all = Json::array();
  for (const Steering::Entry& one : entries) {
    all.push_back(entry_json(*subject_of(one.key), one.steer));
  }
  return all;
}

Json pauses_json(const Steering& steering, std::size_t most) {
  const auto named = steering.pauses(most);
  Json json{{"pauses", entries_json(named)}};
  const std::size_t all = steering.status().pauses;
  if (all > named.size()) json["more_pauses"] = all - named.size();
  return json;
}

std::string why_not_steered(const Steering& steering) {
  const Steering::Status status = steering.status();
  if (!status.has_table || status.whole) return "";
  return "the quotas and pauses were not read yet: " + status.away;
}

metrics::Steering steering_metrics(const Steering& steering, Instant now) {
  const Steering::Status status = steering.status();
  metrics::Steering shown;
  if (!status.has_table) return shown;
  shown.has_table = true;
  shown.quotas = status.quotas;
  shown.refused = status.refused;
  if (!status.away.empty()) {
    shown.stale_seconds = static_cast<double>((now - status.away_since).us) / 1e6;
  }
  for (const auto& [key, steer] : steering.pauses()) {
    const Subject subject = *subject_of(key);
    const bool tenant = subject.kind == Subject::Kind::tenant;
    shown.paused.push_back(
        {word_of(subject.kind),
         tenant ? subject.name + "/" + escaped_utf8(subject.key) : valid_utf8(subject.name),
         valid_utf8(steer.by), valid_utf8(steer.note),
         static_cast<double>(steer.until_ms.value_or(0)) / 1e3});
  }
  return shown;
}

Json steering_json(const Steering& steering, std::size_t most_pauses) {
  const Steering::Status status = steering.status();
  Json json{{"quotas", status.quotas}, {"refused", status.refused}};
  json["table"] = status.has_table;
  json["whole"] = status.whole;
  json["stale_since"] = status.away.empty() ? Json(nullptr) : Json(status.away_since.us);
  json["trouble"] = valid_utf8(status.away);
  json.update(pauses_json(steering, most_pauses));
  json["refusals"] = Json::array();
  for (const auto& [key, why] : steering.refused(100)) {
    json["refusals"].push_back({{"key", valid_utf8(key)}, {"reason", valid_utf8(why)}});
  }
  return json;
}

}  // namespace einlass::app
