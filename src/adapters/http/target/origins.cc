#include "adapters/http/target/origins.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "text/ascii.h"
#include "units/check.h"
#include "units/fnv1a.h"

namespace einlass::http {
namespace {

// The same in every process, so that all instances send a key to the same server; with a last
// mixing, without which similar texts would prefer the same one.
std::uint64_t score(std::string_view key, std::string_view url) {
  std::uint64_t hash = fnv1a(url, fnv1a(key));
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

// Whether that is about the server, and not about the record: 502 to 504 are (RFC 9110, 15.6.3 to
// 15.6.5), any other 5xx may be either.
bool is_about_itself(const Answer& answer) {
  const bool unavailable = answer.status >= 502 && answer.status <= 504;
  return answer.status == 0 || unavailable || answer.needs_repair || answer.retry_after;
}

// As the breakers count time.
Instant instant_of(SteadyTime at) {
  return {std::chrono::floor<std::chrono::microseconds>(at.time_since_epoch()).count()};
}

}  // namespace

Origins::Origins(boost::asio::io_context& io, const TargetOptions& options, const TlsContext* tls,
                 KeptBody kept_body, OriginOwner& owner, const Notify& notify)
    : io_{io},
      options_{options},
      tls_{tls},
      kept_body_{kept_body},
      owner_{owner},
      notify_{notify},
      of_all_{options.name, notify} {
  if (options.host_of_record) return;
  add(options);
  for (const BackendOptions& other : options.others) {
    TargetOptions with = options;
    with.host = other.host;
    with.port = other.port;
    with.path = other.path;
    add(with);
  }
}

void Origins::add(const TargetOptions& options) {
  const bool alone = options_.others.empty();
  const std::string where = host_and_port(options.host, options.port);
  Backend backend{
      where + options.path,
      std::make_unique<Origin>(io_, options, tls_, kept_body_, suspects_, owner_, notify_),
      Health(alone ? options.name : options.name + " (" + where + ")", notify_),
      core::Breaker(options.breaker)};
  backend.origin->set_authorization(authorization_);
  backends_.push_back(std::move(backend));
}

// A single server is told of by the target's name, wherever it is; of several each by its own.
void Origins::take_over(const Origins& before) {
  of_all_.take_over(before.of_all_);
  const bool is_one = backends_.size() == 1 && before.backends_.size() == 1;
  for (Backend& backend : backends_) {
    const auto same = std::ranges::find_if(before.backends_, [&](const Backend& one) {
      return is_one || one.origin->peer() == backend.origin->peer();
    });
    if (same == before.backends_.end()) continue;
    backend.health.take_over(same->health);
    backend.origin->take_over(*same->origin);
  }
}

void Origins::set_authorization(std::string value) {
  authorization_ = std::move(value);
  for (Backend& backend : backends_) backend.origin->set_authorization(authorization_);
}

Origin* Origins::choose(const Request& request, SteadyTime now) {
  if (options_.host_of_record) return of_record(request.host, now);
  if (backends_.size() == 1) return backends_.front().origin.get();
  const bool by_key = options_.balance == Balance::by_key && !request.key.empty();
  Backend& chosen = by_key ? first_by_key(request.key, now) : next_in_turn(now);
  return chosen.origin.get();
}

// The higher it is, the sooner it gets a request: 2, it takes them; 1, only if nobody does; 0, only
// if all have asked to be left alone.
int Origins::preference(const Backend& backend, SteadyTime now) {
  if (now < backend.asked_until) return 0;
  if (rests(backend, now)) return 1;
  return backend.rest.count() == 0 || !backend.tried ? 2 : 1;
}

// The one with the highest score of those that stand best: where one is left alone, only its keys
// go elsewhere.
Origins::Backend& Origins::first_by_key(std::string_view key, SteadyTime now) {
  Backend* best = nullptr;
  int best_preferred = 0;
  std::uint64_t best_score = 0;
  for (Backend& backend : backends_) {
    const int preferred = preference(backend, now);
    const std::uint64_t score_of_it = score(key, backend.url);
    const bool better = std::tie(preferred, score_of_it) > std::tie(best_preferred, best_score);
    if (best != nullptr && !better) continue;
    best = &backend;
    best_preferred = preferred;
    best_score = score_of_it;
  }
  return *best;
}

Origins::Backend& Origins::next_in_turn(SteadyTime now) {
  std::size_t best = turn_;
  for (std::size_t i = 1; i < backends_.size(); ++i) {
    const std::size_t at = (turn_ + i) % backends_.size();
    if (preference(backends_[at], now) > preference(backends_[best], now)) best = at;
  }
  turn_ = (best + 1) % backends_.size();
  return backends_[best];
}

Origin* Origins::of_record(std::string_view host, SteadyTime now) {
  const auto same = [&](const Backend& backend) {
    const std::string_view peer = backend.origin->peer();
    return peer.starts_with(host) && peer.substr(host.size()).starts_with(':');
  };
  const auto known = std::find_if(backends_.begin(), backends_.end(), same);
  if (known != backends_.end()) return known->origin.get();
  if (backends_.size() == kMostHosts && !make_room(now)) return nullptr;
  TargetOptions with = options_;
  with.host = host;
  add(with);
  look(now);
  return backends_.back().origin.get();
}

// Forgets the one that was used least recently; one that is to be left alone only if all are.
bool Origins::make_room(SteadyTime now) {
  const auto rank = [&](const Backend& one) {
    const bool shut = left_alone_for(one, now) > Duration{} || !one.breaker.closed();
    return std::tuple(one.origin->in_flight() > 0, shut, one.origin->last_used());
  };
  const auto least = std::ranges::min_element(backends_, {}, rank);
  if (least->origin->in_flight() > 0) return false;
  backends_.erase(least);
  return true;
}

Origins::Backend& Origins::backend_of(const Origin& origin) {
  const auto found = std::find_if(backends_.begin(), backends_.end(),
                                  [&](const Backend& one) { return one.origin.get() == &origin; });
  CHECK(found != backends_.end());
  return *found;
}

void Origins::begins(const Origin& origin, core::RecordId record) {
  Backend& backend = backend_of(origin);
  // Not what is under way from before, which may hang for as long as an attempt may take.
  if (backend.rest.count() > 0) backend.tried = record;
  if (!backend.breaker.closed()) backend.breaker.sent(record);
}

void Origins::judged(const Origin& origin, const Exchange& exchange, core::Outcome outcome,
                     const Answer& answer, SteadyTime now) {
  Backend& backend = backend_of(origin);
  if (backend.tried == exchange.record) backend.tried.reset();
  core::Breaker& breaker = backend.breaker;
  if (!was_asked(answer)) return breaker.not_asked(exchange.record);
  core::Breaker::Ended attempt{.record = exchange.record, .began = instant_of(exchange.began)};
  attempt.outcome = outcome;
  if (exchange.failed_before) attempt.failed_before = instant_of(*exchange.failed_before);
  attempt.answered = has_answered(answer);
  breaker.ended(attempt, instant_of(now));
}

void Origins::works(const Origin& origin) {
  Backend& backend = backend_of(origin);
  backend.rest = {};
  backend.rests_until = {};
  backend.tried.reset();
  backend.takes_login = true;
  health_of(backend).works();
}

void Origins::fails(const Origin& origin, const Answer& answer, SteadyTime now) {
  Backend& backend = backend_of(origin);
  if (answer.refuses_login) backend.takes_login = false;
  health_of(backend).fails(answer);
  if (answer.retry_after) {
    const std::chrono::microseconds asked{answer.retry_after->us};
    backend.asked_until = std::max(backend.asked_until, now + asked);
  }
  if (!was_asked(answer) || answer.ends_connections) return;  // That is the request's trouble.
  const bool fails_a_record = answer.status / 100 == 5 && !is_about_itself(answer);
  if (fails_a_record && backend.breaker.closed()) return;
  if (!fails_a_record && !is_about_itself(answer)) {
    backend.rest = {};
    backend.rests_until = {};
    return;
  }
  if (now < backend.rests_until) return;  // Begun before its rest.
  backend.rest = std::clamp<std::chrono::microseconds>(backend.rest * 2, kFirstRest, kLongestRest);
  backend.rests_until = now + backend.rest;
}

bool Origins::others_work(const Origin& origin, SteadyTime now) const {
  return std::any_of(backends_.begin(), backends_.end(), [&](const Backend& one) {
    return one.origin.get() != &origin && !rests(one, now);
  });
}

std::optional<Duration> Origins::hold_after(const Origin& origin, Duration asked,
                                            SteadyTime now) const {
  if (others_work(origin, now)) return std::nullopt;
  for (const Backend& one : backends_) {
    // One that only rests for a while may work after that.
    const SteadyTime until = std::max(one.asked_until, one.rests_until);
    if (until > now) asked = std::min(asked, instant_of(until) - instant_of(now));
  }
  return asked;
}

std::optional<Origins::Pause> Origins::pause_of(const Origin& origin, bool failed_before,
                                                SteadyTime now) {
  if (!options_.host_of_record) return std::nullopt;
  const Backend& backend = backend_of(origin);
  const Duration asked = left_alone_for(backend, now);
  if (asked > Duration{}) return Pause{"its host asked for a pause (Retry-After)", asked};
  if (backend.breaker.closed()) return std::nullopt;
  // What failed before may be why the host fails: the others come first.
  const Duration later = failed_before ? kFreshFirst : Duration{};
  const Instant at = instant_of(now);
  const Duration shut = backend.breaker.open_until() + later - at;
  if (shut <= Duration{} && backend.breaker.lets_through(at)) return std::nullopt;
  return Pause{"its host has failed too often in a row, and is probed by one record at a time",
               std::max(shut, kWhileProbed + later)};
}

Duration Origins::left_alone_for(const Backend& backend, SteadyTime now) {
  const auto left = backend.asked_until - now;
  return {std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::microseconds>(left).count())};
}

bool Origins::others_refuse_login(const Origin& origin) const {
  bool some = false;
  for (const Backend& one : backends_) {
    if (one.origin.get() == &origin || !one.takes_login) continue;
    if (*one.takes_login) return false;
    some = true;
  }
  return some;
}

void Origins::look(SteadyTime now) {
  for (Backend& backend : backends_) backend.origin->look(now);
  if (!options_.host_of_record) return;
  std::erase_if(backends_, [&](const Backend& one) {
    return one.origin->last_used() != SteadyTime{} && one.origin->in_flight() == 0 &&
           now - one.origin->last_used() > kUnused && now >= one.asked_until &&
           instant_of(now) >= one.breaker.open_until();
  });
  close_surplus();
}

// Hosts that records name come and go: what they leave idle, beyond twice what may be in flight,
// would take the process's file descriptors from everybody else.
void Origins::close_surplus() {
  const std::size_t most = 2 * options_.max_in_flight;
  std::size_t open = connections();
  if (open <= most) return;
  std::vector<Origin*> longest_unused;
  for (const Backend& backend : backends_) longest_unused.push_back(backend.origin.get());
  std::ranges::sort(longest_unused, {}, &Origin::last_used);
  for (Origin* const origin : longest_unused) {
    if (open <= most) return;
    open -= origin->close_idle();
  }
}

std::size_t Origins::in_flight() const {
  std::size_t sum = 0;
  for (const Backend& backend : backends_) sum += backend.origin->in_flight();
  return sum;
}

std::size_t Origins::connections() const {
  std::size_t sum = 0;
  for (const Backend& backend : backends_) sum += backend.origin->connections();
  return sum;
}

// Of several each with its name.
std::string Origins::told(const std::string& (Health::*what)() const) const {
  if (options_.host_of_record) return (of_all_.*what)();
  if (backends_.size() == 1) return (backends_.front().health.*what)();
  std::string all;
  for (const Backend& backend : backends_) {
    const std::string& one = (backend.health.*what)();
    if (!one.empty()) all += (all.empty() ? "" : "; ") + backend.origin->peer() + ": " + one;
  }
  return all;
}

std::string Origins::trouble() const { return told(&Health::trouble); }

// One that can be used is enough.
std::string Origins::unusable() const {
  const bool all = std::all_of(backends_.begin(), backends_.end(), [](const Backend& backend) {
    return !backend.health.unusable().empty();
  });
  return all || options_.host_of_record ? told(&Health::unusable) : "";
}

std::string Origins::warning() const {
  return unusable().empty() ? told(&Health::unusable) : std::string();
}

}  // namespace einlass::http
