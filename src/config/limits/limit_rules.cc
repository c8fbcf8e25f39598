// What the table cannot say of limits: numbers that do not go together, or that cannot be kept.
#include <algorithm>
#include <variant>

#include "config/limits/limit_values.h"
#include "config/limits/pace.h"
#include "config/limits/parameters.h"
#include "config/tables/record_sources.h"
#include "config/tables/tables.h"
#include "limits/fleet/acquire_shared.h"
#include "limits/fleet/local_share.h"
#include "limits/permits/refusal.h"
#include "limits/permits/state.h"
#include "limits/windows/sliding_log.h"

namespace einlass::config {
namespace {

bool takes_key_or_cost_from_record(const Limit& limit) {
  using Kind = KeySource::Kind;
  return limit.key.kind == Kind::record_key || limit.key.kind == Kind::header ||
         limit.key.kind == Kind::json || limit.cost.kind == CostSource::Kind::header ||
         limit.cost.kind == CostSource::Kind::json;
}

// Where nothing is said of it.
Duration default_horizon(const limits::Parameters& parameters) {
  return std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.timeout; }) return p.timeout;
        return limits::grants_ahead(parameters) ? Limit{}.horizon : Duration{};
      },
      parameters);
}

// A refusal begins with the name of what it is about.
std::string named_in(const std::string& refusal, const Limit& limit) {
  const std::string name = refusal.substr(0, refusal.find(' '));
  if (name == "cost") return limit.limit.cost_from_record ? "default_cost" : "cost";
  const Section::Names known = names_in(kLimit);
  return std::find(known.begin(), known.end(), name) == known.end() ? "algorithm" : name;
}

void check_store(Section& section, const Limit& limit) {
  const bool no_outages = limit.store == Store::memory && section.sound({"store"});
  if (limit.on_outage != OnOutage::hold && no_outages) {
    section.wrong("on_outage",
                  "means nothing in store memory, which has no outages; write hold, or "
                  "store: redis");
  } else if (limit.on_outage == OnOutage::local_share && section.reading().config.instances == 0) {
    section.wrong("on_outage",
                  "this gate's share cannot be computed without the number of gates; write "
                  "instances: N at the top");
  }
  if (!limit.spread || !section.sound({"store", "key", "spread"})) return;
  if (limit.key.kind == KeySource::Kind::none) {
    section.wrong("spread",
                  "one bucket for all records cannot be spread; write key, or leave it out");
  } else if (limit.store == Store::memory) {
    section.wrong("spread", "means nothing in store memory; write store: redis, or leave it out");
  }
}

using Wrong = std::optional<WrongNumber>;

// A burst that another limit keeps.
Wrong wrong_pace(const Limit& limit) {
  if (limit.burst.value == 0) return std::nullopt;
  const auto refusal = limits::refusal_of_spacing(counted_limit(limit.limit.parameters),
                                                  kDefaultEven, limit.burst, cost_of(limit));
  if (refusal) return WrongNumber{named_in(*refusal, limit), *refusal};
  const auto pace = pace_of(limit);
  if (!pace) return std::nullopt;
  if (limit.cost.kind == CostSource::Kind::bytes) {
    return WrongNumber{"burst",
                       "keeps an entry for each unit of cost, which is too much for each byte; "
                       "leave it out, or use token_bucket"};
  }
  if (cost_of(limit) > limits::most_cost(*pace) && cost_of(limit) <= limit.burst) {
    return WrongNumber{"burst", "keeps an entry for each unit of cost, " +
                                    std::to_string(limits::kMostLogCost) +
                                    " of a record at most; leave it out, or use token_bucket"};
  }
  if (pace->window.us > 0) return std::nullopt;
  return WrongNumber{"burst",
                     "bounds nothing here, for so many permits come in less than a microsecond; "
                     "leave it out"};
}

// A part of the rate needs larger numbers than the whole.
Wrong wrong_share(const Limit& limit, int instances) {
  if (limit.on_outage != OnOutage::local_share || instances == 0) return std::nullopt;
  const auto refusal =
      limits::refusal(limits::local_share(limit.limit.parameters, instances), Permits{1});
  if (refusal) {
    return WrongNumber{"on_outage", "the share of one of the instances: " + *refusal};
  }
  const auto* log = std::get_if<limits::SlidingLogParameters>(&limit.limit.parameters);
  const std::int64_t burst = (log != nullptr ? log->burst : limit.burst).value;
  const std::int64_t cost = cost_of(limit).value;
  if (burst == 0 || std::max<std::int64_t>(1, burst / instances) >= cost) return std::nullopt;
  return WrongNumber{"on_outage",
                     "the share of one of the instances has a burst of less than a record costs; "
                     "write a burst of at least " +
                         std::to_string(cost * instances)};
}

// A queue has no more booked than it takes, and what it leaves to others is lost before they ask.
void check_ahead(Section& section, const limits::Parameters& parameters, const std::string& when) {
  const Duration most = limits::most_ahead(parameters);
  if (most >= kLeastShared) return;
  const bool queue = std::holds_alternative<limits::LeakyBucketParameters>(parameters);
  section.wrong("share", when + "needs permits that are booked at least " + to_text(kLeastShared) +
                             " ahead, but these numbers allow " + to_text(most) +
                             "; write a larger " + (queue ? "capacity" : "timeout"));
}

// What flows share they take ahead: what one leaves is there until another asks.
void check_flows(Section& section, const Limit& limit) {
  if (!limit.share) return;
  if (limit.key.kind != KeySource::Kind::none) {
    section.wrong("share",
                  "divides one bucket among flows, but with a key each key has its own; leave out "
                  "key or share");
  } else if (limit.limit.cost_from_record) {
    section.wrong("share",
                  "divides permits of one cost, but here records bring their own; write cost: 1, "
                  "or leave share out");
  } else if (limit.shadow) {
    section.wrong("share", "means nothing to a shadow limit, which delays no record; leave it out");
  } else if (!limits::can_be_shared(limit.limit.parameters)) {
    section.wrong(
        "share",
        std::string(algorithm_name(limit.limit.parameters)) +
            " grants nothing ahead, so that nothing can be left for other gates; "
            "use sliding_log, token_bucket, gcra, smooth or leaky_bucket with mode: queue");
  } else if (limit.horizon < kLeastShared) {
    section.wrong("horizon",
                  "is too short for a share, which leaves to other gates what they are yet to ask "
                  "for; write at least " +
                      to_text(kLeastShared));
  } else {
    for_each_value(limit, [&](const limits::Parameters& parameters, const std::string& whose) {
      check_ahead(section, parameters, whose);
    });
  }
}

}  // namespace

void for_each_value(
    const Limit& limit,
    const std::function<void(const limits::Parameters& value, const std::string& whose)>& look) {
  look(limit.limit.parameters, "");
  for (const LimitOverride& one : limit.overrides) {
    look(one.value.parameters, "for key " + in_quotes(one.key) + " ");
  }
  for (const ScheduledValue& one : limit.schedule) {
    look(one.value.parameters, "at " + in_quotes(one.name) + " ");
  }
}

Field<Limit> limit_cost() {
  const auto read = [](Section& section, Limit& limit) {
    Cost cost;
    section.read(cost, parse_cost);
    limit.cost = cost.source;
    limit.limit.cost = Permits{cost.number};
    limit.limit.cost_from_record = cost.source.kind != CostSource::Kind::number;
  };
  return custom<Limit>(Kind::text, "text", read, [](PrintedPage& page, const Limit& limit) {
    page.text(to_text(limit.cost, limit.limit.cost));
  });
}

// A cost that the limit can never pay, and numbers that cannot be counted exactly.
std::optional<WrongNumber> wrong_number(const Limit& limit, int instances) {
  const limits::Parameters& parameters = limit.limit.parameters;
  if (limit.cost.kind == CostSource::Kind::bytes && limits::traits(parameters).keeps_entries) {
    return WrongNumber{"cost", std::string(algorithm_name(parameters)) +
                                   " keeps an entry for each unit of cost, which is too much for "
                                   "each byte; use token_bucket or counter"};
  }
  if (const auto refusal = limits::refusal(parameters, cost_of(limit))) {
    return WrongNumber{named_in(*refusal, limit), *refusal};
  }
  if (Wrong wrong = wrong_pace(limit)) return wrong;
  return wrong_share(limit, instances);
}

void check_limit(Section& section, Limit& limit) {
  if (!section.has("horizon")) limit.horizon = default_horizon(limit.limit.parameters);
  check_store(section, limit);
  if (section.sound({"algorithm", "key", "cost", "horizon", "share"})) check_flows(section, limit);
  limit.limit.by_flows = limit.share.has_value();
  if (limit.bad_key == BadKey::dead_letter && section.sound({"key", "cost"}) &&
      !takes_key_or_cost_from_record(limit)) {
    section.wrong("bad_key",
                  "means nothing here, where neither key nor cost is read from the record; "
                  "leave it out");
  }
  if (section.sound({"algorithm", "cost", "default_cost", "on_outage"})) {
    const auto wrong = wrong_number(limit, section.reading().config.instances);
    if (wrong) section.wrong(wrong->option, wrong->text);
  }
  // Last, for what was refused until then was told in the numbers of the file.
  if (limit.strict) {
    if (section.sound() && limits::traits(limit.limit.parameters).held) {
      section.wrong("strict", "means nothing to " +
                                  std::string(algorithm_name(limit.limit.parameters)) +
                                  ", whose permits have no instant; leave it out");
    }
    limit.use_within = kStrictUse;
    lengthen_window(limit.limit.parameters, kStrictUse);
  }
  for (LimitOverride& one : limit.overrides) complete(one.value, limit);
  for (ScheduledValue& one : limit.schedule) complete(one.value, limit);
  section.reading().sound_limits.push_back(section.sound());
}

}  // namespace einlass::config
