// What keeps a shard, or the process, from its work: since when, and until when it did.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "units/time.h"

namespace einlass::app {

class Shard;

struct Trouble {
  // Of a shard: "target", "redis", "kafka", "topic" or "dead_letters".
  std::string what;
  std::string name;             // Of the target or topic; else empty.
  bool bad = true;              // Nothing of it works; else some of it does, or it is a pause.
  std::string says;             // Half a sentence: "circuit breaker open: connection refused".
  std::optional<Instant> next;  // When it is tried again, where that is known.
  Instant since;                 // Instant{} where nobody knows.
  std::optional<Instant> ended;  // None while it lasts.
};

// What is wrong now. REQUIRES: called on the shard's thread, or when that has ended.
std::vector<Trouble> troubles_now(const Shard& shard);

// Keeps what was wrong at each look, so that each trouble has a beginning and an end.
class Troubles {
 public:
  // One that is over sooner is not worth saying, where somebody looks all the time.
  static constexpr Duration kWorthSaying = Duration::seconds(2);
  // So many that have ended are remembered, and for so long.
  static constexpr std::size_t kMostEnded = 8;
  static constexpr Duration kRemembered = Duration::seconds(600);

  explicit Troubles(Duration worth_saying = kWorthSaying) : worth_saying_(worth_saying) {}

  // Looks again, if it is time to: at most twice a second. One that does not say since when it is
  // there is there since the first look that saw it, and each until the first that does not.
  void look(const std::function<std::vector<Trouble>()>& now_wrong, Instant now);

  // Those that last, and then those that have ended lately, the last of them first.
  std::vector<Trouble> all(Instant now) const;

 private:
  void note(std::vector<Trouble> wrong, Instant now);

  const Duration worth_saying_;
  Instant next_look_;
  std::vector<Trouble>
      lasting_;  // One for each target and topic, and one of each other kind, at most.
  std::vector<Trouble> ended_;  // The oldest first; at most kMostEnded.
};

}  // namespace einlass::app
