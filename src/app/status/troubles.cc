#include "app/status/troubles.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/views/books.h"
#include "app/views/waits_view.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

using Shown = ShownTrouble;

// The same at several shards is one trouble: it lasts while some shard has it, and says what the
// worst of them says.
void add(std::vector<Shown>& all, const Trouble& one) {
  const Instant end = one.ended.value_or(kNever);
  const auto same = std::ranges::find_if(all, [&](const Shown& it) {
    const Trouble& to = it.trouble;
    return to.what == one.what && to.name == one.name && one.since <= to.ended.value_or(kNever) &&
           to.since <= end;
  });
  if (same == all.end()) return void(all.push_back({one}));
  Trouble& to = same->trouble;
  to.since = std::min(to.since, one.since);
  if (one.bad && !to.bad) to.says = one.says;
  to.bad |= one.bad;
  to.next = std::max(to.next, one.next);
  if (to.ended) to.ended = std::max(*to.ended, end);
}

void add_of_shards(std::vector<Shown>& all, const Views& views) {
  for (const bool ended : {false, true}) {
    for (const ShardView& view : known(views)) {
      for (const Trouble& one : view.troubles) {
        if (one.ended.has_value() == ended) add(all, one);
      }
    }
  }
}

Trouble trouble(std::string what, std::string name, bool bad, std::string says) {
  return {std::move(what), std::move(name), bad, std::move(says), {}, {}, {}};
}

std::optional<Trouble> of_table(const Steering::Status& status) {
  if (!status.has_table || (status.away.empty() && status.refused == 0)) return std::nullopt;
  const std::string refused = std::to_string(status.refused) + " refused: see /v1/status";
  if (status.away.empty()) return trouble("quotas", "entries", false, refused);
  Trouble away = trouble("quotas", "", !status.whole, "cannot be read: " + status.away);
  if (status.refused > 0) away.says += "; " + refused;
  away.since = status.away_since;
  return away;
}

// Of a topic, as far as it is known.
std::optional<std::uint64_t> lag_of(const std::string& topic, const metrics::Snapshot& sum) {
  std::optional<std::uint64_t> lag;
  for (const metrics::Partition& partition : sum.partitions) {
    if (partition.topic == topic && partition.lag) lag = lag.value_or(0) + *partition.lag;
  }
  return lag;
}

// Nothing more is read of what is paused, so most of the records wait in Kafka. Those of a key are
// not counted apart there.
std::optional<std::uint64_t> paused_by(const Subject& subject, const metrics::Snapshot& sum,
                                       const config::Config& config) {
  using Kind = Subject::Kind;
  if (subject.kind == Kind::topic) return lag_of(subject.name, sum);
  if (subject.kind != Kind::route && subject.kind != Kind::target) return std::nullopt;
  std::uint64_t waiting = 0;
  for (std::size_t i = 0; i < sum.routes.size(); ++i) {
    const metrics::Route& route = sum.routes[i];
    const std::string& target = config.targets[config.routes[i].target].name;
    if (subject.name != (subject.kind == Kind::route ? route.name : target)) continue;
    waiting += route.lag.value_or(route.waiting.records[core::Cause::paused]);
  }
  return waiting;
}

// Of the keys of a limit many may be paused: several are one trouble, so that others can be seen
// beside it. One alone joins `pauses`, which is to be without keys.
void add_paused_keys(std::vector<Shown>& all, const Steering& steering,
                     std::vector<Steering::Entry>& pauses) {
  for (Steering::PausedKeys& keys : steering.paused_keys()) {
    if (keys.number == 1) {
      pauses.push_back(std::move(keys.first));
      continue;
    }
    Trouble paused = trouble("paused", "limit " + keys.limit, false,
                             std::to_string(keys.number) + " of its keys are paused");
    paused.since = Instant{keys.since_ms * 1000};
    all.push_back({std::move(paused), std::nullopt});
  }
}

// What people have paused, and each knows its times.
void add_paused(std::vector<Shown>& all, const Steering& steering, const metrics::Snapshot& sum,
                const config::Config& config) {
  std::vector<Steering::Entry> pauses = steering.pauses();
  std::erase_if(pauses, [](const Steering::Entry& one) {
    return subject_of(one.key)->kind == Subject::Kind::tenant;
  });
  add_paused_keys(all, steering, pauses);
  for (const auto& [key, steer] : pauses) {
    const Subject subject = *subject_of(key);
    std::string says = "is paused";
    if (!steer.by.empty()) says += " by " + steer.by;
    if (!steer.note.empty()) says += ": " + steer.note;
    Trouble paused = trouble("paused", to_text(subject), false, std::move(says));
    paused.since = Instant{steer.since_ms * 1000};
    if (steer.until_ms) paused.next = Instant{*steer.until_ms * 1000};
    all.push_back({std::move(paused), paused_by(subject, sum, config)});
  }
}

std::string severity_of(const Trouble& trouble) { return trouble.bad ? "bad" : "warning"; }

// How many records wait for it; none where that cannot be said.
std::optional<std::uint64_t> waiting_for(const Trouble& trouble, const metrics::Snapshot& sum,
                                         const config::Config& config) {
  if (trouble.ended || (trouble.what != "target" && trouble.what != "redis")) return std::nullopt;
  std::uint64_t waiting = 0;
  for (std::size_t i = 0; i < sum.routes.size(); ++i) {
    const core::CauseCounts& records = sum.routes[i].waiting.records;
    if (trouble.what == "redis") waiting += records[core::Cause::outage];
    if (trouble.what != "target") continue;
    if (config.targets[config.routes[i].target].name != trouble.name) continue;
    waiting += records[core::Cause::target] + records[core::Cause::retry];
  }
  // Records of a limit that is closed wait for that limit, and are not counted apart.
  if (trouble.what == "redis" && waiting == 0) return std::nullopt;
  return waiting;
}

}  // namespace

std::vector<Trouble> process_troubles_now(const Views& views, const metrics::Snapshot& sum,
                                          const ReloadState& reload, const Steering& steering) {
  std::vector<Trouble> wrong;
  for (std::size_t i = 0; i < views.shards.size(); ++i) {
    if (!views.answered[i]) {
      wrong.push_back(trouble("shard", std::to_string(i), true, "does not answer"));
    }
  }
  if (!books_of(sum).closed()) {
    wrong.push_back(
        trouble("totals", "", true, "do not add up: a bug in Einlass; please report it"));
  }
  for (const metrics::Route& route : sum.routes) {
    if (route.stats.never == 0) continue;
    wrong.push_back(trouble(
        "route", route.name, true,
        std::to_string(route.stats.never) + " records cost more than their limits can ever grant"));
  }
  if (!reload.successful && reload.at) {
    wrong.push_back(
        trouble("reload", "", false, "refused: the gate runs the configuration before it"));
    wrong.back().since = *reload.at;
  }
  if (auto table = of_table(steering.status())) wrong.push_back(*std::move(table));
  return wrong;
}

std::vector<ShownTrouble> troubles_of(const Views& views, const metrics::Snapshot& sum,
                                      const config::Config& config,
                                      const std::vector<Trouble>& of_process,
                                      const Steering& steering) {
  std::vector<Shown> all;
  add_of_shards(all, views);
  for (const Trouble& one : of_process) all.push_back({one});
  for (Shown& one : all) one.waiting = waiting_for(one.trouble, sum, config);
  add_paused(all, steering, sum, config);
  std::ranges::stable_sort(all, {}, [](const Shown& it) {
    const Trouble& of = it.trouble;
    // Of what is over the last first, whichever shard it was.
    return std::pair(of.ended ? 2 : of.bad ? 0 : 1, of.ended.value_or(Instant{}).us * -1);
  });
  return all;
}

Json troubles_json(const std::vector<ShownTrouble>& troubles) {
  Json json = Json::array();
  for (const auto& [trouble, waiting] : troubles) {
    Json one{{"what", trouble.what},
             {"name", trouble.name},
             {"severity", severity_of(trouble)},
             {"says", valid_utf8(trouble.says)}};
    one["since"] = trouble.since == Instant{} ? Json(nullptr) : Json(trouble.since.us);
    one["ended"] = trouble.ended ? Json(trouble.ended->us) : Json(nullptr);
    one["next"] = trouble.next ? Json(trouble.next->us) : Json(nullptr);
    one["waiting"] = waiting ? Json(*waiting) : Json(nullptr);
    json.push_back(std::move(one));
  }
  return json;
}

// Only those that last; what they say may be anything, and is no label.
std::vector<metrics::Trouble> trouble_metrics(const std::vector<ShownTrouble>& troubles,
                                              Instant now) {
  std::vector<metrics::Trouble> shown;
  for (const auto& [trouble, waiting] : troubles) {
    if (trouble.ended) continue;
    const Instant since = trouble.since == Instant{} ? now : trouble.since;
    shown.push_back({trouble.what, trouble.name, severity_of(trouble),
                     static_cast<double>(since.us) / 1e6, waiting});
  }
  return shown;
}

}  // namespace einlass::app
