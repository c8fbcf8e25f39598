// Which limits a route has, and what goes together with what.
#include <algorithm>

#include "config/model/names.h"
#include "config/tables/record_sources.h"
#include "config/tables/tables.h"
#include "core/contract/options.h"
#include "limits/permits/state.h"

namespace einlass::config {
namespace {

// Takes the limits of one route, each after it was seen to go together with those before it.
class RouteLimits {
 public:
  RouteLimits(Section& section, Route& route)
      : reading_(section.reading()), config_(section.reading().config), route_(route) {
    std::vector<std::string_view> known;
    for (const Limit& limit : config_.limits) {
      if (!limit.is_pace) known.push_back(limit.limit.name);
    }
    const auto read = [&](const Scalar& item) {
      const auto found = parse_reference(item, "limit", known);
      if (const auto* refusal = std::get_if<Refusal>(&found)) return refusal->text;
      take(item, std::get<std::size_t>(found));
      return std::string();
    };
    section.read_list(core::kMostLimits, read);
  }

  // What only the route as a whole can say of its limits. `target` is null if the route has none.
  void check_whole(const Target* target, bool dead_letter) {
    for (const auto& [scalar, limit] : taken_) {
      check_ahead(scalar, *limit);
      if (limit->bad_key == BadKey::dead_letter && !dead_letter) {
        reading_.wrong(scalar,
                       "has bad_key: dead_letter, but the route has no dead_letter; write "
                       "dead_letter: TOPIC");
      }
      if (target == nullptr) continue;
      check_lease(scalar, *limit, *target);
      check_linger(scalar, *limit, *target);
    }
  }

 private:
  void take(const Scalar& scalar, std::size_t index) {
    const Limit& limit = config_.limits[index];
    auto& list = limit.shadow ? route_.shadow_limits : route_.limits;
    if (std::find(list.begin(), list.end(), index) != list.end()) {
      return reading_.wrong(scalar, "is written twice; keep one of them");
    }
    list.push_back(index);
    if (limit.paced_by) list.push_back(*limit.paced_by);
    if (route_.limits.size() > core::kMostLimits) {
      reading_.wrong(scalar, "is one too many: with those that keep a burst a route has 8 at most");
    }
    // One that holds nobody up is asked alone.
    if (!reading_.sound_limits[index] || limit.shadow) return;
    taken_.emplace_back(scalar, &limit);
    const Limit& first = *taken_.front().second;
    check_store(scalar, limit, first);
    if (limit.store == first.store) check_spread(scalar, limit, first);
    check_cost(scalar, limit);
    check_flows(scalar, limit);
  }

  void check_store(const Scalar& scalar, const Limit& limit, const Limit& first) {
    if (limit.store == first.store) return;
    const auto store = [](const Limit& l) { return l.store == Store::redis ? "redis" : "memory"; };
    reading_.wrong(scalar, std::string("is in store ") + store(limit) + ", but " +
                               in_quotes(first.limit.name) + " is in " + store(first) +
                               "; the limits of a route are asked all or nothing in one call, so "
                               "they must be in one store");
  }

  // One call reaches one node of a cluster.
  void check_spread(const Scalar& scalar, const Limit& limit, const Limit& first) {
    if (!limit.spread && !first.spread) return;
    if (limit.spread && first.spread && limit.key == first.key) return;
    const auto how = [](const Limit& l) {
      return l.spread ? "is spread by " + to_text(l.key) : std::string("is not spread");
    };
    reading_.wrong(scalar, how(limit) + ", but " + in_quotes(first.limit.name) + " " + how(first) +
                               "; the limits of a route are asked in one call, so all must be "
                               "spread by the same key, or none");
  }

  // A record that waits carries one cost.
  void check_cost(const Scalar& scalar, const Limit& limit) {
    if (!limit.limit.cost_from_record) return;
    if (costed_ == nullptr) costed_ = &limit;
    const bool same = limit.cost == costed_->cost;
    if (same && limit.default_cost == costed_->default_cost) return;
    const auto how = [&](const Limit& l) {
      return same ? "has default_cost " + std::to_string(l.default_cost.value)
                  : "takes its cost from " + to_text(l.cost, {});
    };
    reading_.wrong(scalar, how(limit) + ", but " + in_quotes(costed_->limit.name) + " " +
                               how(*costed_) + "; one route has one cost from the record");
  }

  // A permit of such a limit is one flow's.
  void check_flows(const Scalar& scalar, const Limit& limit) {
    if (limit.share && shared_ == nullptr) {
      shared_ = &limit;
    } else if (limit.share) {
      return reading_.wrong(scalar, "has a share, but " + in_quotes(shared_->limit.name) +
                                        " has one too; one limit of a route may have one");
    }
    if (shared_ == nullptr || costed_ == nullptr) return;
    reading_.wrong(scalar, "does not go together with " +
                               in_quotes((limit.share ? costed_ : shared_)->limit.name) +
                               ": where a limit has a share no other may take its cost from the "
                               "record");
  }

  void check_ahead(const Scalar& scalar, const Limit& limit) {
    if (shared_ == nullptr || &limit == shared_) return;
    for_each_value(limit, [&](const limits::Parameters& parameters, const std::string& whose) {
      const auto text = short_ahead(limit, parameters, *shared_);
      if (text) reading_.wrong(scalar, whose + *text);
    });
  }

  void check_lease(const Scalar& scalar, const Limit& limit, const Target& target) {
    for_each_value(limit, [&](const limits::Parameters& parameters, const std::string& whose) {
      const auto text = short_lease(config_, limit, parameters, target);
      if (text) reading_.wrong(scalar, whose + *text);
    });
  }

  // A permit must not lapse while its request fills.
  void check_linger(const Scalar& scalar, const Limit& limit, const Target& target) {
    if (target.http() == nullptr || !target.http()->batch) return;
    const Duration linger = target.http()->batch->linger;
    if (linger * 2 <= limit.use_within) return;
    reading_.wrong(scalar, "has use_within " + to_text(limit.use_within) +
                               ", but the batches of target " + in_quotes(target.name) +
                               " linger for " + to_text(linger) +
                               "; write a linger of at most half of it");
  }

  Reading& reading_;
  const Config& config_;
  Route& route_;
  std::vector<std::pair<Scalar, const Limit*>> taken_;  // The sound ones.
  const Limit* costed_ = nullptr;  // The first whose cost comes from the record.
  const Limit* shared_ = nullptr;  // The first that all gates share by flows.
};

void print_limits(PrintedPage& page, const Route& route) {
  std::vector<std::string> names;
  for (const auto* list : {&route.limits, &route.shadow_limits}) {
    for (const std::size_t index : *list) {
      const Limit& limit = page.config().limits[index];
      if (!limit.is_pace) names.push_back(limit.limit.name);
    }
  }
  page.list(names);
}

}  // namespace

// All are asked in one call, as far ahead as the one that allows least.
std::optional<std::string> short_ahead(const Limit& limit, const limits::Parameters& parameters,
                                       const Limit& shared) {
  const Duration ahead = std::min(limits::most_ahead(parameters), limit.horizon);
  if (ahead >= kLeastShared) return std::nullopt;
  return "grants permits " + to_text(ahead) + " ahead, but all gates divide " +
         in_quotes(shared.limit.name) +
         ", and what one leaves to others is lost to them if it is not booked at least " +
         to_text(kLeastShared) + " ahead; leave out its share, or take a limit that grants ahead";
}

// A permit must not come back while its attempt runs.
std::optional<std::string> short_lease(const Config& config, const Limit& limit,
                                       const limits::Parameters& parameters, const Target& target) {
  const auto* held = std::get_if<limits::ConcurrencyParameters>(&parameters);
  if (held == nullptr) return std::nullopt;
  // The limiter counts from its own answer, which may take as long as redis.timeout to come.
  const bool shared = limit.store == Store::redis;
  const Duration way = shared ? config.redis.timeout : Duration{};
  const Duration attempt = target.longest_attempt();
  const Duration least = way + limit.use_within + attempt;
  if (held->lease >= least) return std::nullopt;
  return "has a lease of " + to_text(held->lease) +
         ", so its permits would come back while attempts run; the shortest that works is " +
         to_text(least) +
         (attempt == target.timeout() ? ", the timeout of" : ", the longest attempt at") +
         " target " + in_quotes(target.name) +
         (shared ? ", use_within and redis.timeout together" : " and use_within together");
}

Field<Route> route_limits() {
  const auto read = [](Section& section, Route& route) {
    RouteLimits(section, route).check_whole(target_of(section, route), section.has("dead_letter"));
  };
  return custom<Route>(Kind::list, "list of names", read, print_limits);
}

}  // namespace einlass::config
