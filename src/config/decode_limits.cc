#include <algorithm>
#include <optional>

#include "config/decode.h"
#include "config/names.h"
#include "config/pace.h"
#include "config/parameters.h"
#include "config/record_sources.h"
#include "limits/refusal.h"
#include "limits/share.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kHorizon{{0}, Duration::seconds(3600)};
// A permit must be given back while its limiter still knows what it is worth.
constexpr Bounds<Duration> kUseWithin{{1}, Duration::seconds(4)};

// Reads one limit and says what in it does not go together.
class LimitReader {
 public:
  // `instances` is how many gates there are, or 0 if the file does not say.
  LimitReader(Section& section, Limit& limit, int instances)
      : section_(section), limit_(limit), instances_(instances) {}

  // True if there was nothing wrong.
  bool read() {
    section_.refuse_unknown_keys();
    if (const auto parameters = read_parameters(section_)) {
      limit_.limit.parameters = *parameters;
      known_ = true;
    } else {
      sound_ = false;
    }
    read_store();
    read_boolean("shadow", limit_.shadow);
    read_record();
    read_burst();
    if (known_) limit_.horizon = default_horizon();
    section_.read_duration("horizon", limit_.horizon, kHorizon);
    section_.read_duration("use_within", limit_.use_within, kUseWithin);
    if (sound_) check_numbers();
    read_strict();
    return sound_;
  }

 private:
  template <class T, class Parse>
  bool read_option(std::string_view name, T& out, Parse parse) {
    const bool right = section_.read(name, out, parse);
    sound_ &= right || !section_.has(name);
    return right;
  }

  void read_boolean(std::string_view name, bool& out) {
    const bool right = section_.read_boolean(name, out);
    sound_ &= right || !section_.has(name);
  }

  void wrong(std::string_view name, std::string text) {
    section_.reading().wrong(section_.place_of(name), section_.path_of(name), std::move(text));
    sound_ = false;
  }

  void read_store() {
    read_option("store", limit_.store, one_of<Store>({"memory", "redis"}));
    if (!read_option("on_outage", limit_.on_outage,
                     one_of<OnOutage>({"hold", "pass", "local_share"})) ||
        limit_.on_outage == OnOutage::hold) {
      return;
    }
    if (limit_.store == Store::memory && sound_) {
      wrong("on_outage",
            "means nothing in store memory, which has no outages; write hold, or "
            "store: redis");
    } else if (limit_.on_outage == OnOutage::local_share && instances_ == 0) {
      wrong("on_outage",
            "this gate's share cannot be told without the number of gates; write "
            "instances: N at the top");
    }
  }

  void read_record() {
    read_option("key", limit_.key, parse_key);
    Cost cost;
    read_option("cost", cost, parse_cost);
    limit_.cost = cost.source;
    limit_.limit.cost = Permits{cost.number};
    limit_.limit.cost_from_record = cost.source.kind != CostSource::Kind::number;
    read_default_cost();
    read_option("bad_key", limit_.bad_key, one_of<BadKey>({"default", "dead_letter"}));
    if (sound_ && limit_.bad_key == BadKey::dead_letter && !can_be_bad()) {
      wrong("bad_key",
            "means nothing here, where neither key nor cost is read from the record; "
            "leave it out");
    }
    read_spread();
  }

  void read_default_cost() {
    const auto parse = [](const Scalar& s) -> Parsed<Cost> {
      auto cost = parse_whole(s.text, {1, kMostCost});
      if (refused(cost)) return std::get<Refusal>(cost);
      return Cost{{}, std::get<std::int64_t>(cost)};
    };
    Cost cost;
    if (!read_option("default_cost", cost, parse)) return;
    limit_.default_cost = Permits{cost.number};
    if (!limit_.limit.cost_from_record && sound_) {
      wrong("default_cost",
            "is for records whose cost cannot be read, but here all cost the same; "
            "leave it out");
    }
  }

  void read_spread() {
    read_boolean("spread", limit_.spread);
    if (!limit_.spread || !sound_) return;
    if (limit_.key.kind == KeySource::Kind::none) {
      wrong("spread", "one bucket for all records cannot be spread; write key, or leave it out");
    } else if (limit_.store == Store::memory) {
      wrong("spread", "means nothing in store memory; write store: redis, or leave it out");
    }
  }

  // Last, for what was refused until then was told in the numbers of the file.
  void read_strict() {
    read_boolean("strict", limit_.strict);
    if (!limit_.strict || !sound_) return;
    if (section_.has("use_within")) {
      wrong("use_within", "stands beside strict, which uses permits within 1ms; leave one out");
    } else if (std::holds_alternative<limits::ConcurrencyParameters>(limit_.limit.parameters)) {
      wrong("strict", "means nothing to concurrency, whose permits have no instant; leave it out");
    }
    limit_.use_within = kStrictUse;
    lengthen_window(limit_.limit.parameters, kStrictUse);
  }

  void read_burst() {
    if (!known_ || !section_.has("burst")) return;
    if (counted_limit(limit_.limit.parameters) == Permits{0}) return;
    std::int64_t burst = 0;
    sound_ &= section_.read_whole("burst", burst, {1, limits::kMostLogEntries});
    limit_.burst = Permits{burst};
  }

  bool can_be_bad() const {
    using Kind = KeySource::Kind;
    return limit_.key.kind == Kind::record_key || limit_.key.kind == Kind::header ||
           limit_.key.kind == Kind::json || limit_.cost.kind == CostSource::Kind::header ||
           limit_.cost.kind == CostSource::Kind::json;
  }

  Duration default_horizon() const {
    const limits::Parameters& p = limit_.limit.parameters;
    if (const auto* smooth = std::get_if<limits::SmoothParameters>(&p)) return smooth->timeout;
    if (const auto* warm_up = std::get_if<limits::WarmUpParameters>(&p)) return warm_up->timeout;
    return grants_ahead(p) ? limit_.horizon : Duration{0};
  }

  // A cost that the limit can never pay, and numbers that cannot be counted exactly.
  void check_numbers() {
    const bool from_record = limit_.limit.cost_from_record;
    const limits::Parameters& parameters = limit_.limit.parameters;
    if (limit_.cost.kind == CostSource::Kind::bytes && keeps_entries(parameters)) {
      return wrong("cost", std::string(algorithm_name(parameters)) +
                               " keeps an entry for each unit of cost, which is too much for each "
                               "byte; use token_bucket or counter");
    }
    const auto refusal =
        limits::refusal(parameters, from_record ? limit_.default_cost : limit_.limit.cost);
    if (refusal) return wrong(named_in(*refusal), *refusal);
    check_pace();
    check_share();
  }

  // A burst that another limit keeps.
  void check_pace() {
    if (limit_.burst.value == 0) return;
    const Permits cost = limit_.limit.cost_from_record ? limit_.default_cost : limit_.limit.cost;
    const Permits limit = counted_limit(limit_.limit.parameters);
    const auto refusal = limits::refusal_of_spacing(limit, kDefaultEven, limit_.burst, cost);
    if (refusal) return wrong(named_in(*refusal), *refusal);
    const auto pace = pace_of(limit_);
    if (!pace) return;
    if (limit_.cost.kind == CostSource::Kind::bytes) {
      wrong("burst",
            "keeps an entry for each unit of cost, which is too much for each byte; leave it out, "
            "or use token_bucket");
    } else if (pace->window.us == 0) {
      wrong("burst",
            "bounds nothing here, for so many permits come in less than a microsecond; leave it "
            "out");
    }
  }

  // 0 where there is none.
  Permits burst_of_window() const {
    const auto* log = std::get_if<limits::SlidingLogParameters>(&limit_.limit.parameters);
    return log != nullptr ? log->burst : limit_.burst;
  }

  // A part of the rate needs larger numbers than the whole.
  void check_share() {
    if (limit_.on_outage != OnOutage::local_share || instances_ == 0) return;
    const limits::Parameters part = limits::share(limit_.limit.parameters, instances_);
    const auto refusal = limits::refusal(part, Permits{1});
    if (refusal) return wrong("on_outage", "the share of one of the instances: " + *refusal);
    const Permits cost = limit_.limit.cost_from_record ? limit_.default_cost : limit_.limit.cost;
    const Permits burst = burst_of_window();
    if (burst.value == 0 || std::max<std::int64_t>(1, burst.value / instances_) >= cost.value)
      return;
    wrong("on_outage",
          "the share of one of the instances has a burst of less than a record costs; "
          "write a burst of at least " +
              std::to_string(cost.value * instances_));
  }

  // A refusal begins with the name of what it is about.
  std::string_view named_in(const std::string& refusal) const {
    const std::string_view name = std::string_view(refusal).substr(0, refusal.find(' '));
    if (name == "cost") return limit_.limit.cost_from_record ? "default_cost" : "cost";
    for (const std::string_view known : option_names("limits.NAME")) {
      if (known == name) return known;
    }
    return "algorithm";
  }

  Section& section_;
  Limit& limit_;
  int instances_;
  bool sound_ = true;
  bool known_ = false;  // The algorithm and its parameters are.
};

}  // namespace

Sound decode_limits(Section& top, int instances, std::vector<Limit>& limits) {
  Reading& reading = top.reading();
  Sound sound;
  for (const Entry* entry : map_entries(reading, top.find("limits"), "limits")) {
    const std::string path = below("limits", entry->name);
    refuse_bad_key(reading, *entry, path);
    Limit& limit = limits.emplace_back();
    limit.limit.name = entry->name;
    Section section(reading, entry->value, path, "limits.NAME");
    sound.push_back(LimitReader(section, limit, top.has("instances") ? instances : 0).read());
  }
  add_paces(limits, sound);
  return sound;
}

}  // namespace einlass::config
