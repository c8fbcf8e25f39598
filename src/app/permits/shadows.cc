#include "app/permits/shadows.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "app/process/run_id.h"
#include "app/setup/wiring.h"
#include "limits/contract/limit.h"
#include "limits/permits/state.h"
#include "units/check.h"

namespace einlass::app {
namespace {

// The most that one ask is about: what one answer of Redis can carry.
constexpr std::size_t kMostAsked = 4'000;

bool in_redis(const config::Limit& limit) { return limit.store == config::Store::redis; }

// Targets that the fleet leaves alone are no business of this connection.
redis::StoreOptions store_options(const config::Config& config) {
  // A run of its own, as the permits of two stores must not have the same names.
  redis::StoreOptions options = redis_options(config, random_run_id());
  options.targets.clear();
  return options;
}

Notify of_shadows(const Notify& notify) {
  return [notify](Notice notice) {
    notice.detail = "shadow limits: " + notice.detail;
    notify(notice);
  };
}

}  // namespace

Shadows::Shadows(boost::asio::io_context& io, const config::Config& config, ProcessLimits& shared,
                 const Notify& notify)
    : shared_(shared), memory_(events_, shared.memory()) {
  if (shadows_use_redis(config)) {
    redis_ = std::make_unique<redis::Store>(io, store_options(config), events_, of_shadows(notify),
                                            [](Duration) {});
  }
  for (const config::Route& route : config.routes) {
    first_watch_.push_back(watches_.size());
    watches_.resize(watches_.size() + route.shadow_limits.size());
  }
  first_watch_.push_back(watches_.size());
  read_limits(config);
}

void Shadows::read_limits(const config::Config& config) {
  std::size_t at = 0;
  fields_.clear();
  for (const config::Route& route : config.routes) {
    std::vector<const config::Limit*> limits;
    for (const std::size_t i : route.shadow_limits) {
      Watch& watch = watches_[at++];
      watch.limit = limits.emplace_back(&config.limits[i]);
      watch.in_memory = shared_.limit(i);
      watch.number = i;
      watch.holds = limits::traits(watch.limit->limit.parameters).held;
    }
    fields_.emplace_back(std::move(limits));
  }
}

void Shadows::reconfigure(const config::Config& config) {
  read_limits(config);
  ++reloads_;
}

std::span<Shadows::Watch> Shadows::of(core::RouteId route) {
  const std::size_t first = first_watch_[route.value];
  return std::span(watches_).subspan(first, first_watch_[route.value + 1] - first);
}

std::span<const Shadows::Watch> Shadows::of(core::RouteId route) const {
  return const_cast<Shadows*>(this)->of(route);
}

std::vector<ShadowCounts> Shadows::counts(core::RouteId route) const {
  std::vector<ShadowCounts> counts;
  for (const Watch& watch : of(route)) counts.push_back(watch.counts);
  return counts;
}

// ---- attempts ----

void Shadows::sent(const core::Send& send, const StoredRecord& record) {
  const std::span<Watch> watches = of(record.route);
  if (watches.empty()) return;
  const Extracted read = fields_[record.route.value].read(record);
  for (std::size_t index = 0; index < watches.size(); ++index) {
    Watch& watch = watches[index];
    if (leaving_ == kMostWaiting) {
      ++watch.counts.unanswered;
      continue;
    }
    const auto number = static_cast<std::size_t>(&watch - watches_.data());
    const core::LineId id = find_or_add(number, read.keys[index]);
    lines_[id.value].leaving.push_back({send.record, send.attempt, read.costs[index]});
    ++leaving_;
    if (watch.holds) under_way_[send.record].attempt = send.attempt;
    list(id);
  }
}

void Shadows::ended(const core::DeliveryEnded& ended, Instant now) {
  const auto found = under_way_.find(ended.record);
  if (found == under_way_.end() || found->second.attempt != ended.attempt) return;
  const UnderWay over = std::move(found->second);
  under_way_.erase(found);
  for (const UsedPermit& used : over.permits) give_back(used, now);
}

// ---- lines ----

core::LineId Shadows::find_or_add(std::size_t number, std::string_view key) {
  const std::string_view keys[] = {key};
  const auto [id, is_new] =
      table_.find_or_add(core::RouteId{static_cast<std::uint16_t>(number)}, keys);
  if (!is_new) return id;
  if (id.value >= lines_.size()) lines_.resize(id.value + 1);
  read_value(id, key);
  if (in_redis(*watches_[number].limit)) {
    redis_->add_line(id, redis_bucket(id, key));
  } else {
    memory_.add_line(id, memory_bucket(id, key));
  }
  return id;
}

void Shadows::read_value(core::LineId id, std::string_view key) {
  Line& line = lines_[id.value];
  const Watch& watch = watch_of(id);
  line.reloads = reloads_;
  line.values = shared_.values().version();
  line.value = shared_.values().find(watch.number, key);
}

std::vector<redis::Bucket> Shadows::redis_bucket(core::LineId id, std::string_view key) {
  const config::Limit& limit = *watch_of(id).limit;
  const LimitValues::Found& value = lines_[id.value].value;
  return {{value ? value.get() : &limit.limit, std::string(key), limit.spread, limit.horizon}};
}

std::vector<memory::Bucket> Shadows::memory_bucket(core::LineId id, std::string_view key) {
  return {{watch_of(id).in_memory, std::string(key), lines_[id.value].value}};
}

// One with places that are taken stays, for they go back through it.
void Shadows::forget_if_idle(core::LineId id) {
  Line& line = lines_[id.value];
  if (!line.leaving.empty() || line.held > 0) return;
  CHECK(line.asked == 0 && !line.listed);
  if (in_redis(*watch_of(id).limit)) {
    redis_->forget_line(id);
  } else {
    memory_.forget_line(id);
  }
  line.value = nullptr;
  table_.forget(id);
}

void Shadows::list(core::LineId id) {
  Line& line = lines_[id.value];
  if (line.asked > 0 || line.listed) return;
  line.listed = true;
  to_ask_.push_back(id);
}

// ---- asks ----

void Shadows::bring_up_to_date(core::LineId id) {
  const Line& line = lines_[id.value];
  if (line.reloads == reloads_ && line.values == shared_.values().version()) return;
  std::vector<std::string_view> keys;
  table_.read_keys(id, keys);
  read_value(id, keys[0]);
  if (in_redis(*watch_of(id).limit)) {
    redis_->change_line(id, redis_bucket(id, keys[0]));
  } else {
    memory_.change_line(id, memory_bucket(id, keys[0]));
  }
}

// What is over before the limit could be asked held nobody's place at the same time, as far as is
// known.
void Shadows::leave_out_ended(core::LineId id) {
  Watch& watch = watch_of(id);
  if (!watch.holds) return;
  const auto is_over = [this](const Leaving& leaving) {
    const auto found = under_way_.find(leaving.record);
    return found == under_way_.end() || found->second.attempt != leaving.attempt;
  };
  const std::size_t over = std::erase_if(lines_[id.value].leaving, is_over);
  watch.counts.unanswered += over;
  leaving_ -= over;
}

// Those that cost as much as the first; how many they are.
std::size_t Shadows::put_alike_first(Line& line) {
  const Permits cost = line.leaving.front().cost;
  const auto alike = [cost](const Leaving& leaving) { return leaving.cost == cost; };
  const auto others = std::stable_partition(line.leaving.begin(), line.leaving.end(), alike);
  return std::min(static_cast<std::size_t>(others - line.leaving.begin()), kMostAsked);
}

// As many as cost the same, at once: what it grants of them is what it would have let through now.
void Shadows::ask(core::LineId id, Instant now) {
  leave_out_ended(id);
  Line& line = lines_[id.value];
  line.listed = false;
  if (line.leaving.empty()) return forget_if_idle(id);
  bring_up_to_date(id);
  line.asked = put_alike_first(line);
  ++last_ask_.value;
  core::Ask ask{.line = id, .ask = last_ask_, .min = Permits{1}, .max = {}, .horizon = {}};
  ask.max = Permits{static_cast<std::int64_t>(line.asked)};
  ask.cost = line.leaving.front().cost;
  if (in_redis(*watch_of(id).limit)) {
    const std::size_t before = events_.size();
    redis_->ask(ask);
    line.sent = events_.size() == before;
  } else {
    memory_.ask(ask, now);
  }
}

void Shadows::flush(Instant now) {
  if (watches_.empty()) return;
  take_answers(now);
  std::vector<core::LineId> asking;
  while (!to_ask_.empty()) {
    asking.clear();
    asking.swap(to_ask_);
    for (const core::LineId id : asking) ask(id, now);
    take_answers(now);
  }
  if (redis_) redis_->flush();
}

void Shadows::take_answers(Instant now) {
  for (const core::Event& event : std::exchange(events_, {})) {
    if (const auto* answer = std::get_if<core::PermitsAnswered>(&event)) {
      answered(*answer, now);
    } else if (const auto* failed = std::get_if<core::PermitsFailed>(&event)) {
      unanswered(*failed);
    }
  }
}

// What was granted all the same is nobody's: it would stay taken until its lease is over.
void Shadows::unanswered(const core::PermitsFailed& failed) {
  const Line& line = lines_[failed.line.value];
  Watch& watch = watch_of(failed.line);
  watch.counts.unanswered += line.asked;
  if (in_redis(*watch.limit) && line.sent) {
    redis_->give_up({.line = failed.line,
                     .ask = failed.ask,
                     .min = Permits{1},
                     .max = Permits{static_cast<std::int64_t>(line.asked)},
                     .horizon = {},
                     .cost = line.leaving.front().cost});
  }
  done(failed.line);
}

void Shadows::answered(const core::PermitsAnswered& answer, Instant now) {
  // While they are in `leaving` the line stays, whatever goes back meanwhile.
  Line& line = lines_[answer.line.value];
  Watch& watch = watch_of(answer.line);
  const std::size_t granted = answer.due.size();
  watch.counts.admitted += granted;
  watch.counts.rejected += line.asked - granted;
  for (std::size_t i = 0; watch.holds && i < granted; ++i) {
    const core::Permit permit{.ask = answer.ask,
                              .index = static_cast<std::uint16_t>(i),
                              .stamp = answer.limiter_now + answer.due[i],
                              .cost = line.leaving[i].cost};
    ++line.held;
    use_permit(line.leaving[i], {answer.line, permit}, now);
  }
  done(answer.line);
}

// The attempt may have ended before its answer came.
void Shadows::use_permit(const Leaving& leaving, const UsedPermit& used, Instant now) {
  const auto found = under_way_.find(leaving.record);
  if (found == under_way_.end() || found->second.attempt != leaving.attempt) {
    return give_back(used, now);
  }
  found->second.permits.push_back(used);
}

void Shadows::give_back(const UsedPermit& used, Instant now) {
  const core::Ended ended{used.line, used.permit};
  if (in_redis(*watch_of(used.line).limit)) {
    redis_->ended(ended);
  } else {
    memory_.ended(ended, now);
  }
  --lines_[used.line.value].held;
  forget_if_idle(used.line);
}

// The ask is over, whatever it brought.
void Shadows::done(core::LineId id) {
  Line& line = lines_[id.value];
  line.leaving.erase(line.leaving.begin(),
                     line.leaving.begin() + static_cast<std::ptrdiff_t>(line.asked));
  leaving_ -= line.asked;
  line.asked = 0;
  if (!line.leaving.empty()) return list(id);
  forget_if_idle(id);
}

}  // namespace einlass::app
