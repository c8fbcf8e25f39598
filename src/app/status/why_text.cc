#include "app/status/why_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/record/extract.h"
#include "app/status/schedule_json.h"
#include "app/views/allowed.h"
#include "config/options/route_topics.h"
#include "text/partition_words.h"
#include "text/span_words.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;
using core::WaitsFor;
using core::Whereabouts;

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

const config::Route& route_of(const WaitingRecord& record, const config::Config& config) {
  return config.routes[record.standing.route.value];
}

const std::string& target_name(const WaitingRecord& record, const config::Config& config) {
  return config.targets[route_of(record, config).target].name;
}

const std::string& limit_name(const WaitingRecord& record, const config::Config& config) {
  const std::size_t index = record.standing.limit->value;
  return config.limits[route_of(record, config).limits[index]].limit.name;
}

// Of the limit that is short; empty where all share it.
std::string limit_key(const WaitingRecord& record) {
  const std::size_t index = record.standing.limit->value;
  return index < record.keys.size() ? valid_utf8(record.keys[index]) : "";
}

std::string limit_in_words(const WaitingRecord& record, const config::Config& config) {
  if (!record.standing.limit) {
    const auto& limits = route_of(record, config).limits;
    return limits.size() == 1 ? "limit " + config.limits[limits[0]].limit.name
                              : "the limits of route " + route_of(record, config).name;
  }
  const std::string key = limit_key(record);
  return "limit " + limit_name(record, config) + (key.empty() ? "" : ", key '" + key + "'");
}

std::string waits_without_time(const WaitingRecord& record, const config::Config& config) {
  const std::string& target = target_name(record, config);
  const std::string attempt = "attempt " + std::to_string(record.standing.attempt.value);
  switch (record.standing.waits) {
    case WaitsFor::order:
      return "waits behind " + counted(record.standing.before, "record") +
             " that must leave before it";
    case WaitsFor::permit:
      return "waits for a permit of " + limit_in_words(record, config);
    case WaitsFor::outage:
      return "waits for the limiter's store, which does not answer, or only with errors";
    case WaitsFor::turn:
      return "waits until target " + target +
             " has places: as many permits as it can use are given out";
    case WaitsFor::fresh_records:
      return "waits as a retry until fresh records of target " + target + " have gone";
    case WaitsFor::room:
      return "waits for a place at target " + target;
    case WaitsFor::company:
      return "waits for others that go to target " + target + " in the same request";
    case WaitsFor::hold:
      return "waits for target " + target +
             (record.unusable.empty() ? ", which is paused (Retry-After or an open circuit breaker)"
                                      : ", to which nothing can be delivered: " + record.unusable);
    case WaitsFor::probe:
      return "waits for the probe that shows whether target " + target + " is healthy again";
    case WaitsFor::pause:
      return "waits because its route, its target or its key is paused";
    case WaitsFor::retry:
      return "waits for its next attempt at target " + target +
             (record.standing.attempt == core::Attempt{} ? ", to which nothing of it was sent yet"
                                                         : ", after " + attempt);
    case WaitsFor::not_before:
      return "waits for its own time (not_before)";
    case WaitsFor::dead_letter:
      return "waits until its dead letter is written again";
    case WaitsFor::other_limits:
      return "costs more than its limits can ever grant, and waits until they change";
    case WaitsFor::answer:
      return "is at target " + target + ", " + attempt;
    case WaitsFor::acknowledgement:
      return "is on its way to the dead letter topic";
  }
  return "";
}

// Where its route has a share: of whom most of them are.
std::string flow_in_words(const WaitingRecord& record) {
  const std::optional<core::FlowStanding>& flow = record.standing.flow;
  if (!flow || flow->of_other == 0) return "";
  const std::string whose =
      record.other_flow.empty() ? "the flow without a name" : "'" + record.other_flow + "'";
  const std::string of = ", " + std::to_string(flow->of_other) + " of " + whose;
  if (flow->other_level) return of + ", which has a level before its own";
  return of + " by weight " + std::to_string(flow->other_weight) + ":" +
         std::to_string(flow->weight);
}

// Where the limit that it waits for has other numbers for the time being.
std::string schedule_in_words(const WaitingRecord& record, Instant now) {
  if (!record.schedule || record.standing.waits != WaitsFor::permit) return "";
  const auto& [span, until, value] = *record.schedule;
  const bool ends = until > now && until != kNever;
  return ", which goes by " + span + (ends ? " for " + span_in_words(until - now) + " more" : "");
}

// Of these nobody here knows more.
bool others_are_elsewhere(const WaitingRecord& record, const config::Config& config) {
  return std::ranges::any_of(route_of(record, config).limits, [&](std::size_t limit) {
    return config.limits[limit].share.has_value();
  });
}

// Those behind others say themselves how many there are.
std::string others_in_words(const WaitingRecord& record, const config::Config& config) {
  const core::Standing& standing = record.standing;
  if (standing.before == 0 || standing.waits == WaitsFor::order) return "";
  return "; " + counted(standing.before, "record") + (standing.before == 1 ? " goes" : " go") +
         " before it" + flow_in_words(record) +
         (others_are_elsewhere(record, config) ? "; those of other gates have their part too" : "");
}

// What holds it up: behind others that is what the first of them waits for, unless that one is
// under way.
const WaitingRecord& held_up(const WaitingRecord& record,
                             const std::optional<WaitingRecord>& first) {
  const bool moves = !first || core::cause_of(first->standing.waits) == core::Cause::in_flight;
  return moves ? record : *first;
}

// As waits_in_words(), with what is known of the pause that it waits for.
std::string says_of(const WaitingRecord& record, const config::Config& config,
                    const FindPause& find, Instant now) {
  const auto pause = pause_of(record, config, find);
  if (!pause) return waits_in_words(record, config, now);
  return "waits because " + pause_in_words(*pause) + others_in_words(record, config);
}

Json record_json(const WaitingRecord& record, const std::optional<WaitingRecord>& first,
                 const config::Config& config, const FindPause& find, Instant now) {
  const core::Standing& standing = record.standing;
  const WaitingRecord& holder = held_up(record, first);
  const std::optional<core::LimitIndex> limit = holder.standing.limit;
  Json json{
      {"topic", valid_utf8(record.topic)},     {"partition", record.partition.value},
      {"offset", record.offset.value},         {"route", route_of(record, config).name},
      {"target", target_name(record, config)}, {"waits_for", reason_name(holder.standing.waits)}};
  json["limit"] = limit ? Json(limit_name(holder, config)) : Json(nullptr);
  json["limit_key"] = limit ? Json(limit_key(holder)) : Json(nullptr);
  json["schedule"] = schedule_json(holder.schedule);
  json["pause"] = pause_json(pause_of(holder, config, find));
  json["until"] = holder.standing.until ? Json(holder.standing.until->us) : Json(nullptr);
  json["before"] = standing.before;
  json["attempts"] = standing.attempt.value;
  json["since"] = standing.since.us;
  json["written"] = record.written.us;
  json["last_error"] = valid_utf8(record.last_error);
  json["says"] = valid_utf8(says_of(record, config, find, now));
  return json;
}

Json found_json(const WhyAnswer::Found& found, const config::Config& config, const FindPause& find,
                Instant now) {
  Json json = record_json(found.record, found.first, config, find, now);
  json["first"] =
      found.first ? record_json(*found.first, std::nullopt, config, find, now) : Json(nullptr);
  return json;
}

std::string_view state_name(Whereabouts where) {
  switch (where) {
    case Whereabouts::elsewhere:
      return "elsewhere";
    case Whereabouts::finished:
      return "finished";
    case Whereabouts::not_yet:
      return "not_taken_in";
    case Whereabouts::returned:
      return "returned";
    case Whereabouts::inside:
      break;
  }
  return "inside";
}

std::string partition_of(const WhyQuestion& question) {
  return question.topic + " partition " + std::to_string(question.partition.value);
}

std::optional<HoldingPause> pause_before(const WhyQuestion& question, const WhyAnswer& answer,
                                         const config::Config& config, const FindPause& find) {
  if (answer.where == Whereabouts::inside) {
    const auto& [record, first] = answer.found.front();
    return pause_of(held_up(record, first), config, find);
  }
  if (answer.where != Whereabouts::not_yet || !answer.paused) return std::nullopt;
  return pause_of_partition(question.topic, *answer.paused, config, find);
}

std::string not_yet_in_words(const WhyQuestion& question, const WhyAnswer& answer,
                             const std::optional<HoldingPause>& pause) {
  const std::string partition = partition_of(question);
  if (!answer.not_read.empty()) return answer.not_read;
  if (answer.paused) {
    return partition + " is read no further, because " +
           (pause ? pause_in_words(*pause) : "its route, its target or its topic is paused");
  }
  if (answer.held) {
    return "as many records as allowed are inside, so " + partition +
           " is paused until some have left";
  }
  return partition + " has not been read so far";
}

std::string state_in_words(const WhyQuestion& question, const WhyAnswer& answer,
                           const std::vector<TopicPartition>& own, const config::Config& config,
                           const FindPause& find) {
  const std::string partition = partition_of(question);
  switch (answer.where) {
    case Whereabouts::finished:
      return "it is finished: delivered, in the dead letter topic, or left out by its route's "
             "filter (or Kafka has no such record)";
    case Whereabouts::not_yet:
      return "it is not taken in yet: " +
             not_yet_in_words(question, answer, pause_before(question, answer, config, find));
    case Whereabouts::returned:
      return "it was given back to Kafka: " + partition + " is leaving this gate";
    case Whereabouts::inside:
      return says_of(answer.found.front().record, config, find, answer.now);
    case Whereabouts::elsewhere:
      break;
  }
  if (!config::is_read(config, question.topic)) {
    return "no route of this gate reads " + question.topic;
  }
  return partition + " is not this gate's now" +
         (own.empty() ? "" : " (it has " + partitions_in_words(own) + ")") +
         "; ask the other gates of group " + config.kafka.group;
}

bool all_answered(const std::vector<std::optional<WhyAnswer>>& answers) {
  return std::all_of(answers.begin(), answers.end(),
                     [](const auto& one) { return one.has_value(); });
}

constexpr char kSilent[] = "a shard of this gate did not answer, and the record may be there";

Json offset_json(const WhyQuestion& question, const std::vector<std::optional<WhyAnswer>>& answers,
                 const config::Config& config, const FindPause& find) {
  WhyAnswer found;
  std::vector<TopicPartition> own;
  for (const std::optional<WhyAnswer>& one : answers) {
    if (!one) continue;
    own.insert(own.end(), one->own.begin(), one->own.end());
    if (one->where != Whereabouts::elsewhere) {
      found = *one;
    } else if (found.where == Whereabouts::elsewhere) {
      found.now = one->now;
    }
  }
  const bool unknown = found.where == Whereabouts::elsewhere && !all_answered(answers);
  Json json{{"topic", valid_utf8(question.topic)},
            {"partition", question.partition.value},
            {"offset", question.offset.value}};
  json["at"] = found.now.us;
  json["state"] = unknown ? "unknown" : state_name(found.where);
  json["says"] = valid_utf8(unknown ? kSilent : state_in_words(question, found, own, config, find));
  json["pause"] = pause_json(pause_before(question, found, config, find));
  json["records"] = Json::array();
  for (const auto& one : found.found) {
    json["records"].push_back(found_json(one, config, find, found.now));
  }
  return json;
}

constexpr double kLongestShown = 1e10;  // Seconds: three hundred years.

// Whether all records with that key take from the bucket that this one waits for. The first of a
// lane may wait for another key's, and of several keys that they have each has a bucket.
bool is_of_all(const WaitingRecord& holder, const config::Limit& limit, const std::string& key) {
  if (limit.key.kind == config::KeySource::Kind::none) return true;
  std::string hashed;
  return holder.keys[holder.standing.limit->value] == bounded_key(key, hashed);
}

// How fast they can go at most, where all go one route, and the oldest waits for a bucket of all of
// them of which that is known.
std::string drain_in_words(const WhyAnswer& all, const std::string& key,
                           const config::Config& config) {
  if (all.found.empty() || all.routes.size() > 1) return "";
  const auto& [record, first] = all.found.front();
  const WaitingRecord& holder = held_up(record, first);
  if (!holder.standing.limit) return "";
  const config::Limit& limit =
      config.limits[route_of(holder, config).limits[holder.standing.limit->value]];
  if (!is_of_all(holder, limit, key)) return "";
  const std::optional<double> seconds = drain_seconds(all.with_key, holder.allowed);
  if (!seconds || *seconds > kLongestShown) return "";
  return "; at what limit " + limit.limit.name + " allows they need " +
         span_in_words(Duration{static_cast<std::int64_t>(*seconds * 1e6)}) + " at least";
}

// What all shards know of a key, as one answer.
WhyAnswer of_all(const std::vector<std::optional<WhyAnswer>>& answers) {
  WhyAnswer all;
  for (const std::optional<WhyAnswer>& one : answers) {
    if (!one) continue;
    all.with_key += one->with_key;
    all.now = std::max(all.now, one->now);
    all.oldest = std::min(all.oldest, one->oldest);
    all.own.insert(all.own.end(), one->own.begin(), one->own.end());
    all.partitions.insert(all.partitions.end(), one->partitions.begin(), one->partitions.end());
    all.routes.insert(one->routes.begin(), one->routes.end());
    all.found.insert(all.found.end(), one->found.begin(), one->found.end());
  }
  std::ranges::stable_sort(all.found, {}, [](const auto& one) { return one.record.written; });
  if (all.found.size() > kMostRecordsNamed) all.found.resize(kMostRecordsNamed);
  return all;
}

std::string key_in_words(WhyAnswer all, const std::string& key, bool complete,
                         const config::Config& config) {
  if (all.with_key == 0 && !complete) return kSilent;
  std::string says = all.with_key == 0
                         ? "no record with this key is in this gate, which has " +
                               (all.own.empty() ? "no partitions" : partitions_in_words(all.own))
                         : counted(all.with_key, "record") + " with this key " +
                               (all.with_key == 1 ? "is" : "are") +
                               " in this gate: " + partitions_in_words(std::move(all.partitions)) +
                               "; the oldest is " + span_in_words(all.now - all.oldest) + " old" +
                               drain_in_words(all, key, config);
  if (!complete) says += std::string("; ") + kSilent;
  return says;
}

Json key_json(const WhyQuestion& question, const std::vector<std::optional<WhyAnswer>>& answers,
              const config::Config& config, const FindPause& find) {
  const WhyAnswer all = of_all(answers);
  const bool complete = all_answered(answers);
  Json records = Json::array();
  for (const auto& found : all.found) {
    records.push_back(found_json(found, config, find, all.now));
  }
  return {{"key", valid_utf8(*question.key)},
          {"at", all.now.us},
          {"inside", all.with_key},
          {"complete", complete},
          {"says", valid_utf8(key_in_words(all, *question.key, complete, config))},
          {"records", std::move(records)}};
}

}  // namespace

std::string_view reason_name(WaitsFor waits) {
  return core::kCauseNames[static_cast<std::size_t>(core::cause_of(waits))];
}

std::string waits_in_words(const WaitingRecord& record, const config::Config& config, Instant now) {
  const core::Standing& standing = record.standing;
  std::string text = waits_without_time(record, config) + schedule_in_words(record, now);
  if (standing.until && *standing.until > now) {
    text += ", not before " + span_in_words(*standing.until - now) + " from now";
  }
  return text + others_in_words(record, config);
}

std::string why_json(const WhyQuestion& question,
                     const std::vector<std::optional<WhyAnswer>>& answers,
                     const config::Config& config, const FindPause& find) {
  const Json json = question.key ? key_json(question, answers, config, find)
                                 : offset_json(question, answers, config, find);
  return json.dump(2) + "\n";
}

}  // namespace einlass::app
