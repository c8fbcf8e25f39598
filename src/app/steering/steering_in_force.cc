// What of the fleet's table holds in this process, what is refused, and what has ended by itself.
#include <algorithm>
#include <utility>

#include "app/record/extract.h"
#include "app/steering/entry_check.h"
#include "app/steering/steering.h"

namespace einlass::app {

// What is wrong with it; empty: it holds from here on.
std::string Steering::put_in_force(const std::string& key, std::string_view text) {
  if (text.size() > kLongestTableValue) {
    return "is longer than " + std::to_string(kLongestTableValue) + " bytes";
  }
  const auto subject = subject_of(key);
  if (!subject) {
    return "its key is none of ours; write LIMIT/KEY, share:SHARE/FLOW or pause:route/NAME";
  }
  const auto read = read_steer(*subject, text);
  if (const auto* wrong = std::get_if<std::string>(&read)) return *wrong;
  const Steer& steer = std::get<Steer>(read);
  Meant meant;
  if (std::string why = refusal_of(*config_, *subject, steer, &meant); !why.empty()) return why;
  keep(key, text, steer);
  std::string scratch;
  switch (subject->kind) {
    case Subject::Kind::quota:
      values_.set(*limit_index(*config_, subject->name), subject->key, meant.value);
      return "";
    case Subject::Kind::weight:
      weights_.set(subject->name, subject->key, meant.weight);
      return "";
    case Subject::Kind::route:
      pauses_.routes[*index_of(config_->routes, subject->name)] = true;
      break;
    case Subject::Kind::target:
      pauses_.targets[*index_of(config_->targets, subject->name)] = true;
      break;
    case Subject::Kind::topic:
      pauses_.topics.insert(subject->name);
      break;
    case Subject::Kind::tenant:
      pauses_.keys[*limit_index(*config_, subject->name)].emplace(
          bounded_key(subject->key, scratch));
      break;
  }
  pauses_changed_ = true;
  return "";
}

// As it was read, which is how it is compared with the table.
void Steering::keep(const std::string& key, std::string_view text, const Steer& steer) {
  const auto at = entries_.find(key);
  if (at != entries_.end()) {
    if (at->text() == text) return;
    ends_no_more(*at);
    entries_.erase(at);
  } else if (has_values(subject_of(key)->kind)) {
    ++quotas_;
  }
  const std::int64_t until_ms = steer.until_ms.value_or(0);
  entries_.emplace(key, text, steer.since_ms, until_ms);
  if (until_ms != 0) ends_.emplace(until_ms, key);
}

void Steering::take_out_of_force(const Subject& subject) {
  const auto limit = limit_index(*config_, subject.name);
  if (subject.kind == Subject::Kind::quota) {
    if (limit) values_.set(*limit, subject.key, std::nullopt);
    return;
  }
  if (subject.kind == Subject::Kind::weight) {
    return weights_.set(subject.name, subject.key, std::nullopt);
  }
  pauses_changed_ = true;
  if (subject.kind == Subject::Kind::topic) pauses_.topics.erase(subject.name);
  if (subject.kind == Subject::Kind::tenant && limit) {
    std::string scratch;
    pauses_.keys[*limit].erase(std::string(bounded_key(subject.key, scratch)));
  }
  const auto route = index_of(config_->routes, subject.name);
  if (subject.kind == Subject::Kind::route && route) pauses_.routes[*route] = false;
  const auto target = index_of(config_->targets, subject.name);
  if (subject.kind == Subject::Kind::target && target) pauses_.targets[*target] = false;
}

void Steering::ends_no_more(const KnownEntry& entry) {
  const auto [begin, end] = ends_.equal_range(entry.until_ms());
  const auto found =
      std::find_if(begin, end, [&](const auto& one) { return one.second == entry.key(); });
  if (found != end) ends_.erase(found);
}

void Steering::forget(Entries::iterator at) {
  const auto subject = subject_of(at->key());
  take_out_of_force(*subject);
  if (has_values(subject->kind)) --quotas_;
  ends_no_more(*at);
  entries_.erase(at);
}

void Steering::end_over() {
  while (!ends_.empty() && ends_.begin()->first <= now_ms()) {
    const std::string key = ends_.begin()->second;
    const auto at = entries_.find(key);
    remember_over(key, at->seen());
    forget(at);
    callbacks_.notify(
        {Severity::info, "steering_over", to_text(*subject_of(key)) + ": its time is over"});
  }
}

// The table has it still.
void Steering::remember_over(const std::string& key, bool seen) {
  if (over_.size() < kMostOver) over_[key] = seen;
}

void Steering::refuse(const std::string& key, const std::string& why, std::string text) {
  const auto found = refused_.find(key);
  if (found == refused_.end() && refused_.size() >= kMostRefused) return;
  const bool told = found != refused_.end() && found->second.told && found->second.why == why;
  Refused& refused = refused_[key];
  refused = {why, text.size() <= kLongestTableValue ? std::move(text) : std::string(), true, told};
  if (!is_reading_) tell_of(key, refused);
}

void Steering::tell_of(const std::string& key, Refused& refused) {
  if (std::exchange(refused.told, true)) return;
  const auto subject = subject_of(key);
  std::string holds = "it does nothing: the limit's own values hold, nothing is paused";
  if (subject && subject->kind == Subject::Kind::weight) {
    holds = "it does nothing: the file's weight holds";
  }
  if (entries_.contains(key)) holds = "what it was before stays in force";
  callbacks_.notify({Severity::error, "quota_refused",
                     "an entry of the table of quotas and pauses is refused, and " + holds,
                     key + ": " + refused.why});
}

void Steering::refuse_no_more(const std::string& key) { refused_.erase(key); }

void Steering::tell_pauses() {
  if (std::exchange(pauses_changed_, false)) callbacks_.paused(pauses_);
}

}  // namespace einlass::app
