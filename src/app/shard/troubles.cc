#include "app/shard/troubles.h"

#include <algorithm>

#include "app/setup/wiring.h"
#include "app/shard/shard.h"
#include "config/options/route_topics.h"

namespace einlass::app {
namespace {

constexpr Duration kEach = Duration::millis(500);

Trouble trouble(std::string what, std::string says, bool bad = true) {
  return {std::move(what), "", bad, std::move(says), std::nullopt, Instant{}, std::nullopt};
}

std::string with_reason(std::string says, const std::string& reason) {
  return reason.empty() ? says : std::move(says) + ": " + reason;
}

// Whether some record of the target waits because an attempt has failed.
bool retries_wait(const Shard& shard, std::size_t target) {
  const std::vector<config::Route>& routes = shard.config().routes;
  for (std::uint16_t i = 0; i < routes.size(); ++i) {
    if (routes[i].target == target && shard.gate().backing_off(core::RouteId{i}) > 0) return true;
  }
  return false;
}

// One at most: what keeps most from going there.
std::optional<Trouble> of_target(const Shard& shard, std::size_t i) {
  const core::TargetId id{static_cast<std::uint16_t>(i)};
  const TargetStatus status = shard.target_status(i);
  const core::Breaker& breaker = shard.gate().breaker(id);
  const Instant held = shard.gate().held_until(id);
  if (!status.unusable.empty()) return trouble("target", status.unusable);
  if (!breaker.closed()) {
    const bool tries = shard.gate().records_may_go(id);
    const char* const says =
        tries ? "circuit breaker open" : "circuit breaker open, and no record may try it now";
    Trouble open = trouble("target", with_reason(says, status.trouble), tries);
    if (breaker.open_until() > shard.now()) open.next = breaker.open_until();
    return open;
  }
  if (held > shard.now()) {
    Trouble pause = trouble("target", with_reason("asked for a pause", status.trouble), false);
    pause.next = held;
    return pause;
  }
  // One that failed last, and had nothing to do since, may be as well as ever.
  if (status.trouble.empty() || !retries_wait(shard, i)) return std::nullopt;
  return trouble("target", with_reason("attempts fail", status.trouble), false);
}

// What the records of routes with limits there do meanwhile.
std::string policy(const config::Config& config) {
  bool waits = false, goes = false;
  for (const config::Route& route : config.routes) {
    waits |= waits_for_redis(config, route);
    goes |= may_stand_in(config, route);
  }
  return waits && goes ? "records of some routes wait" : waits ? "records wait" : "";
}

std::optional<Trouble> of_redis(const Shard& shard) {
  const redis::Store* store = shard.limiters().redis();
  if (store == nullptr) return std::nullopt;
  const redis::StoreStatus status = store->status();
  if (!status.closed.empty()) return trouble("redis", status.closed);
  if (status.up) return std::nullopt;
  const std::string waits = policy(shard.config());
  const std::string meanwhile = waits.empty() ? "limits go on as on_outage says" : waits;
  return trouble("redis", with_reason("does not answer, " + meanwhile, status.trouble));
}

// Topics that are not there: one that is read keeps its route from work, a dead letter topic only
// the record that needs it.
void add_missing_topics(std::vector<Trouble>& wrong, const Shard& shard,
                        const kafka::SourceStatus& source) {
  // Records wait for it already, which is said as that.
  const bool needed =
      shard.dead_letters() != nullptr && !shard.dead_letters()->status().unusable.empty();
  for (const std::string& topic : source.missing_topics) {
    const bool is_read = config::reader_of(shard.config().routes, topic) >= 0;
    if (!is_read && needed) continue;
    wrong.push_back(
        trouble("topic", "is not there; create it, or correct the configuration", is_read));
    wrong.back().name = topic;
  }
}

}  // namespace

std::vector<Trouble> troubles_now(const Shard& shard) {
  std::vector<Trouble> wrong;
  const kafka::SourceStatus source = shard.source().status();
  if (!source.trouble.empty()) wrong.push_back(trouble("kafka", source.trouble));
  add_missing_topics(wrong, shard, source);
  if (auto redis = of_redis(shard)) wrong.push_back(*std::move(redis));
  for (std::size_t i = 0; i < shard.config().targets.size(); ++i) {
    auto target = of_target(shard, i);
    if (!target) continue;
    target->name = shard.config().targets[i].name;
    wrong.push_back(*std::move(target));
  }
  if (shard.dead_letters() == nullptr) return wrong;
  const kafka::DeadLettersStatus dead_letters = shard.dead_letters()->status();
  if (!dead_letters.unusable.empty()) {
    wrong.push_back(trouble("dead_letters", dead_letters.unusable));
  } else if (!dead_letters.trouble.empty()) {
    wrong.push_back(trouble("dead_letters", dead_letters.trouble, false));
  }
  return wrong;
}

void Troubles::look(const std::function<std::vector<Trouble>()>& now_wrong, Instant now) {
  if (now < next_look_) return;
  next_look_ = now + kEach;
  note(now_wrong(), now);
}

void Troubles::note(std::vector<Trouble> wrong, Instant now) {
  const auto same = [](const Trouble& a) {
    return [&a](const Trouble& b) { return a.what == b.what && a.name == b.name; };
  };
  for (Trouble& one : wrong) {
    const auto known = std::ranges::find_if(lasting_, same(one));
    if (one.since != Instant{}) continue;  // It knows.
    one.since = known == lasting_.end() ? now : known->since;
  }
  for (Trouble& one : lasting_) {
    if (std::ranges::any_of(wrong, same(one)) || now - one.since < worth_saying_) continue;
    one.ended = now;
    ended_.push_back(std::move(one));
  }
  std::erase_if(ended_, [&](const Trouble& one) { return *one.ended + kRemembered < now; });
  if (ended_.size() > kMostEnded) ended_.erase(ended_.begin(), ended_.end() - kMostEnded);
  lasting_ = std::move(wrong);
}

std::vector<Trouble> Troubles::all(Instant now) const {
  std::vector<Trouble> all;
  for (const Trouble& one : lasting_) {
    if (now - one.since >= worth_saying_) all.push_back(one);
  }
  all.insert(all.end(), ended_.rbegin(), ended_.rend());
  return all;
}

}  // namespace einlass::app
