#include "app/replay/replay_trace.h"

#include <algorithm>
#include <array>

#include "config/model/reading.h"
#include "config/text/suggest.h"
#include "config/text/values.h"
#include "limits/contract/limit.h"
#include "limits/contract/permit_id.h"

namespace einlass::app {
namespace {

using Names = std::vector<std::string_view>;

constexpr std::int64_t kMostCost = 1'000'000'000;
constexpr std::size_t kMostCosts = 4'000;  // As many as one call to Redis takes.
constexpr std::int64_t kMostNumber = limits::kExactBelow;
constexpr std::int64_t kMostHorizon = 366LL * 86'400 * 1'000'000;

const Names kLineFields = {"at", "acquire", "release", "ended", "peek", "limit"};
const Names kAcquireFields = {"min", "max", "horizon", "cost", "keys", "id", "costs", "share"};
const Names kShareFields = {"limit", "gate", "levels", "keep", "idle_after",
                            "epoch", "time", "rest",   "wish", "flows"};
const Names kFlowFields = {"flow", "level", "weight", "records", "served"};
const Names kReleaseFields = {"id", "count"};
const Names kEndedFields = {"id"};
const Names kPeekFields = {"keys"};

}  // namespace

// The fields of one object, each known and there once.
class TraceReader::Fields {
 public:
  // `what` names the object: "a line", "acquire".
  Fields(JsonScanner& json, std::string_view what, const Names& known, std::string& name)
      : json_(json), what_(what), known_(known), name_(name) {
    open_ = json.open_object(what);
  }

  // The next field's index among the known ones.
  std::optional<std::size_t> next() {
    if (!open_) return std::nullopt;
    const bool first = first_;
    first_ = false;
    if (!json_.name(name_, first)) return std::nullopt;
    const auto found = std::find(known_.begin(), known_.end(), name_);
    const auto index = static_cast<std::size_t>(found - known_.begin());
    if (found == known_.end()) {
      json_.fail(
          json_.last_column(),
          config::in_quotes(name_) + " is not known in " + std::string(what_) + "; " +
              config::suggestion(name_, known_).value_or("known there: " + config::either(known_)));
      return std::nullopt;
    }
    if (seen_ >> index & 1) {
      json_.fail(json_.last_column(), config::in_quotes(name_) + " is there twice");
      return std::nullopt;
    }
    seen_ |= 1u << index;
    return index;
  }

  bool has(std::size_t index) const { return (seen_ >> index & 1) != 0; }

 private:
  JsonScanner& json_;
  std::string_view what_;
  const Names& known_;
  std::string& name_;
  unsigned seen_ = 0;  // A bit for each known name; there are at most 32.
  bool open_ = false;
  bool first_ = true;
};

std::optional<JsonMistake> TraceReader::read(std::string_view text, TraceLine& out) {
  JsonScanner json(text);
  Fields fields(json, "a line", kLineFields, name_);
  std::size_t verbs = 0;
  while (const auto field = fields.next()) {
    if (*field == 0) {
      out.at_column = json.column();
      out.at = {json.integer(0, kLatestInTrace.us)};
    } else if (++verbs > 1) {
      json.fail(json.column(), "one line has one verb, this is the second");
    } else {
      read_verb(json, static_cast<TraceLine::Verb>(*field - 1), out);
    }
  }
  json.end();
  if (!json.failed() && !fields.has(0)) json.fail(1, "no `at`; write \"at\": MICROSECONDS");
  if (!json.failed() && verbs == 0) {
    json.fail(1, "nothing to do; write acquire, release, ended, peek or limit");
  }
  if (json.failed()) return json.mistake();
  return std::nullopt;
}

void TraceReader::read_verb(JsonScanner& json, TraceLine::Verb verb, TraceLine& out) {
  out.verb = verb;
  out.verb_column = json.column();
  out.id.clear();
  switch (verb) {
    case TraceLine::Verb::acquire:
      return read_acquire(json, out);
    case TraceLine::Verb::release:
      return read_release(json, true, out);
    case TraceLine::Verb::ended:
      return read_release(json, false, out);
    case TraceLine::Verb::peek:
      return read_peek(json, out);
    case TraceLine::Verb::limit:
      return read_limits(json, out);
  }
}

void TraceReader::read_acquire(JsonScanner& json, TraceLine& out) {
  out.horizon.reset();
  out.keys.assign(limits_.size(), {});
  out.costs.assign(limits_.size(), 0);
  out.each.clear();
  out.share.reset();
  out.min = 1;
  std::optional<std::int64_t> max;
  std::size_t max_column = 0;
  Fields fields(json, "acquire", kAcquireFields, name_);
  while (const auto field = fields.next()) {
    if (*field == 0) {
      out.min = json.integer(1, limits::kMostPermitsOfAnAsk);
    } else if (*field == 1) {
      max_column = json.column();
      max = json.integer(1, limits::kMostPermitsOfAnAsk);
    } else if (*field == 2) {
      out.horizon = Duration{json.integer(0, kMostHorizon)};
    } else if (*field == 3) {
      read_costs(json, out);
    } else if (*field == 4) {
      read_keys(json, out);
    } else if (*field == 5) {
      read_id(json, out);
    } else if (*field == 6) {
      read_each(json, out);
    } else {
      read_share(json, out);
    }
  }
  if (!out.each.empty()) {
    const auto count = static_cast<std::int64_t>(out.each.size());
    if (max && *max != count) {
      json.fail(max_column, "max " + std::to_string(*max) + " is not the number of `costs`, " +
                                std::to_string(count));
    }
    if (out.min > 1) json.fail(out.verb_column, "with `costs` min is 1");
    max = count;
  }
  out.max = max.value_or(out.min);
  if (out.max < out.min) {
    json.fail(max_column,
              "max " + std::to_string(out.max) + " is less than min " + std::to_string(out.min));
  }
}

void TraceReader::read_id(JsonScanner& json, TraceLine& out) {
  out.id_column = json.column();
  if (json.string(out.id, "an id") && out.id.empty()) {
    json.fail(out.id_column, "an id is not empty; leave it out");
  }
}

void TraceReader::read_release(JsonScanner& json, bool counted, TraceLine& out) {
  out.count.reset();
  Fields fields(json, counted ? "release" : "ended", counted ? kReleaseFields : kEndedFields,
                name_);
  while (const auto field = fields.next()) {
    if (*field == 0) {
      read_id(json, out);
    } else {
      out.count = json.integer(1, limits::kMostPermitsOfAnAsk);
    }
  }
  if (!fields.has(0)) json.fail(out.verb_column, "no id; write \"id\": that of an earlier acquire");
}

void TraceReader::read_peek(JsonScanner& json, TraceLine& out) {
  out.keys.assign(limits_.size(), {});
  Fields fields(json, "peek", kPeekFields, name_);
  while (fields.next()) read_keys(json, out);
}

void TraceReader::read_keys(JsonScanner& json, TraceLine& out) {
  Fields fields(json, "keys", limits_, name_);
  while (const auto limit = fields.next()) json.string(out.keys[*limit], "a key");
}

void TraceReader::read_costs(JsonScanner& json, TraceLine& out) {
  if (json.peek() != '{') {
    out.costs.assign(limits_.size(), json.integer(1, kMostCost));
    return;
  }
  Fields fields(json, "cost", limits_, name_);
  while (const auto limit = fields.next()) out.costs[*limit] = json.integer(1, kMostCost);
}

void TraceReader::read_each(JsonScanner& json, TraceLine& out) {
  for (bool first = true; json.element(first); first = false) {
    if (out.each.size() == kMostCosts) return json.fail(json.column(), "too many costs");
    out.each.push_back({json.integer(1, kMostCost)});
  }
  if (out.each.empty()) json.fail(json.column(), "no costs; leave them out");
}

void TraceReader::read_share(JsonScanner& json, TraceLine& out) {
  constexpr std::size_t kMostFlows = 1'000;
  TraceShare& share = out.share.emplace();
  const std::size_t column = json.column();
  Fields fields(json, "share", kShareFields, name_);
  while (const auto field = fields.next()) {
    if (*field == 0) {
      json.string(text_, "a limit");
      const auto found = std::find(limits_.begin(), limits_.end(), text_);
      share.limit = static_cast<std::size_t>(found - limits_.begin());
      if (found == limits_.end()) json.fail(json.last_column(), "no limit of this replay");
    } else if (*field == 1) {
      share.gate = {static_cast<std::uint64_t>(json.integer(0, kMostNumber))};
    } else if (*field == 2) {
      share.of.levels = static_cast<std::uint8_t>(json.integer(1, kMostShareLevels));
    } else if (*field == 3) {
      share.of.keep = json.integer(0, 100);
    } else if (*field == 4) {
      share.idle_after = {json.integer(0, kMostHorizon)};
    } else if (*field == 5) {
      share.of.epoch = json.integer(0, kMostNumber);
    } else if (*field == 6) {
      for (bool first = true; json.element(first); first = false) {
        share.of.time.push_back(json.integer(0, kMostNumber));
      }
    } else if (*field == 7) {
      for (bool first = true; json.element(first); first = false) read_rest(json, share);
    } else if (*field == 8) {
      share.of.wish = json.integer(0, kMostNumber);
    } else {
      for (bool first = true; json.element(first); first = false) read_flow(json, share);
    }
  }
  share.of.time.resize(share.of.levels);
  share.of.rest.resize(share.of.levels);
  const bool wrong = share.of.flows.empty() || share.of.flows.size() > kMostFlows ||
                     std::ranges::any_of(share.of.flows, [&](const AskingFlow& flow) {
                       return flow.level >= share.of.levels;
                     });
  if (wrong) json.fail(column, "a share has 1 to 1,000 flows, of one of its levels each");
}

void TraceReader::read_rest(JsonScanner& json, TraceShare& out) {
  std::array<std::int64_t, 3> numbers{};
  std::size_t count = 0;
  for (bool first = true; json.element(first); first = false) {
    if (count == numbers.size()) return json.fail(json.column(), "too many numbers");
    numbers[count++] = json.integer(-kMostNumber, kMostNumber);
  }
  out.of.rest.push_back({numbers[0], numbers[1], numbers[2]});
}

void TraceReader::read_flow(JsonScanner& json, TraceShare& out) {
  AskingFlow& flow = out.of.flows.emplace_back();
  Fields fields(json, "a flow", kFlowFields, name_);
  while (const auto field = fields.next()) {
    if (*field == 0) {
      flow.id = {static_cast<std::uint64_t>(json.integer(0, kMostNumber))};
    } else if (*field == 1) {
      flow.level = static_cast<std::uint8_t>(json.integer(0, kMostShareLevels - 1));
    } else if (*field == 2) {
      flow.weight = static_cast<std::uint16_t>(json.integer(1, 1'000));
    } else if (*field == 3) {
      flow.records = json.integer(0, kMostNumber);
    } else {
      flow.served = json.integer(-kMostNumber, kMostNumber);
    }
  }
}

void TraceReader::read_limits(JsonScanner& json, TraceLine& out) {
  constexpr std::size_t kMostChanges = 16;  // No algorithm has so many parameters.
  out.limits.clear();
  Fields fields(json, "limit", limits_, name_);
  while (const auto limit = fields.next()) {
    auto& changed = out.limits.emplace_back();
    changed.limit = *limit;
    changed.column = json.column();
    if (!json.open_object("parameters")) return;
    config::Change change;
    for (bool first = true;; first = false) {
      if (!json.name(change.name, first)) break;
      change.name_column = static_cast<int>(json.last_column());
      change.column = static_cast<int>(json.column());
      change.number = json.peek() != '"';
      if (change.number) {
        change.value = std::to_string(json.integer(0, kMostNumber));
      } else {
        json.string(change.value, "a value");
      }
      if (changed.changes.size() == kMostChanges) {
        json.fail(static_cast<std::size_t>(change.name_column), "too many parameters");
      }
      changed.changes.push_back(change);
    }
  }
}

}  // namespace einlass::app
