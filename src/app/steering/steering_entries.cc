// What holds, for those who ask Steering.
#include <algorithm>

#include "app/record/extract.h"
#include "app/steering/steering.h"

namespace einlass::app {
namespace {

// Where the pauses stand among the table's keys. No quota's key is between them.
constexpr std::string_view kPauses = "pause:";
constexpr std::string_view kBehindPauses = "pause;";

}  // namespace

std::optional<Steer> Steering::find(const Subject& subject) const {
  const auto found = entries_.find(table_key(subject));
  if (found == entries_.end()) return std::nullopt;
  return std::get<Steer>(read_steer(subject, found->text()));
}

std::optional<Steer> Steering::find_pause(const Subject& subject) const {
  if (auto steer = find(subject)) return steer;
  const bool hashed = subject.kind == Subject::Kind::tenant && subject.key.starts_with("sha256-");
  if (!hashed) return std::nullopt;
  const std::string front = table_key({subject.kind, subject.name, {}});
  std::string scratch;
  for (auto at = entries_.lower_bound(front); at != entries_.end(); ++at) {
    if (!at->key().starts_with(front)) break;
    const std::string_view key = at->key().substr(front.size());
    if (key.size() <= kLongestKey || bounded_key(key, scratch) != subject.key) continue;
    return std::get<Steer>(read_steer(subject, at->text()));
  }
  return std::nullopt;
}

std::vector<Steering::Entry> Steering::quotas(std::string_view limit, std::string_view after,
                                              std::size_t most) const {
  const std::string front = limit.empty() ? "" : std::string(limit) + "/";
  std::vector<Entry> some;
  auto at = after < front ? entries_.lower_bound(front) : entries_.upper_bound(after);
  while (at != entries_.end() && some.size() < most && at->key().starts_with(front)) {
    if (at->key().starts_with(kPauses)) {
      at = entries_.lower_bound(kBehindPauses);
    } else {
      some.push_back(entry_of(*at++));
    }
  }
  return some;
}

std::vector<Steering::Entry> Steering::pauses(std::size_t most) const {
  std::vector<Entry> some;
  for (const std::string_view front : pause_prefixes()) {
    for (auto at = entries_.lower_bound(front); at != entries_.end(); ++at) {
      if (some.size() == most || !at->key().starts_with(front)) break;
      some.push_back(entry_of(*at));
    }
  }
  return some;
}

// Those of a limit stand together, since its name and the slash begin each of their keys.
std::vector<Steering::PausedKeys> Steering::paused_keys() const {
  std::vector<PausedKeys> all;
  const std::string_view keys_of_limits = pause_prefixes().back();
  std::string front;
  for (auto at = entries_.lower_bound(keys_of_limits); at != entries_.end(); ++at) {
    if (!at->key().starts_with(keys_of_limits)) break;
    if (all.empty() || !at->key().starts_with(front)) {
      const std::string limit = subject_of(at->key())->name;
      front = std::string(keys_of_limits).append(limit).append("/");
      all.push_back({limit, entry_of(*at), at->since_ms()});
    }
    PausedKeys& keys = all.back();
    keys.since_ms = std::min(keys.since_ms, at->since_ms());
    ++keys.number;
  }
  return all;
}

Steering::Entry Steering::entry_of(const KnownEntry& known) {
  return {std::string(known.key()),
          std::get<Steer>(read_steer(*subject_of(known.key()), known.text()))};
}

Steering::Status Steering::status() const {
  return {.has_table = table_ != nullptr,
          .whole = whole_,
          .away = away_,
          .away_since = away_since_,
          .quotas = quotas_,
          .pauses = entries_.size() - quotas_,
          .refused = refused_.size()};
}

std::vector<std::pair<std::string, std::string>> Steering::refused(std::size_t most) const {
  std::vector<std::pair<std::string, std::string>> some;
  for (const auto& [key, refused] : refused_) {
    if (some.size() == most) break;
    some.emplace_back(key, refused.why);
  }
  return some;
}

}  // namespace einlass::app
