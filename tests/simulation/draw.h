// What a seed stands for: dice, the faults that a run may see, and the settings of its world.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/options.h"
#include "units/id.h"
#include "units/time.h"

namespace einlass::simulation {

// A stream of numbers fixed by a seed and a name, so that what one part of the world draws does not
// move what another part draws.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  std::int64_t between(std::int64_t least, std::int64_t most);  // Both included.
  std::int64_t spread(std::int64_t least, std::int64_t most);   // The same for every magnitude.
  bool chance(double probability);
  Duration duration(Duration least, Duration most);  // As spread().

 private:
  std::uint64_t state_;
};

// What may go wrong. A run draws which kinds it sees at all, and how often.
enum class Fault : std::uint8_t {
  revoke,         // The group moves partitions.
  lost,           // The group drops a member; it hears of it late, its commits are fenced.
  crash,          // A gate disappears; what it had sent goes on.
  stop,           // A gate is told to drain and leaves.
  commit_failed,  // Applied or not.
  commit_slow,
  answer_lost,  // The limiter has booked, or not; the ask times out.
  answer_late,  // The same; the late answer is dropped, for the ask is asked again.
  answer_duplicate,
  release_lost,
  store_down,
  store_empty,  // The limiter restarts and has forgotten what it granted.
  target_retry,
  target_refused,
  retry_after,
  target_hangs,  // Until the adapter gives up; the target may have accepted all the same.
  target_slow,
  delivery_duplicate,  // The end of an attempt is told twice.
  dead_letter_failed,
  oversleep,            // The loop handles things up to 2 ms late.
  stall,                // The same, 150 ms.
  never,                // For some keys no waiting helps.
  target_fails,         // For a while the target fails whatever it is sent.
  target_held,          // Another gate was told to leave a target alone.
  target_unusable,      // A failed attempt does not count: the target could take nothing at all.
  target_says_which,    // Of several records in one request it tells each one's outcome.
  transaction_unknown,  // Nobody learns whether it has committed; its partitions are lost.
  target_answers,       // A failed attempt fails by an answer.
  record_fails,         // Some bursts of records fail at each attempt, by an answer.
  reload,               // The gates go on under other numbers, each when it hears of them.
  bad_key,              // A record has a key that cannot be read.
  too_large,            // What is refused, is so for its size.
  not_asked,            // An attempt ends without the target being asked.
  record_waits,         // A failed record may not be tried again before some time.
  commit_settled,       // Of a commit that failed some is done all the same, and is said to be.
  moved,                // Records are deleted before they are read.
  stand_in,             // Somebody answers an ask that failed before, instead of the limiter.
  value,                // A key's limit is another; each gate hears of it at another time.
  paused,               // People pause a route, a line or a partition for a while.
  filtered,             // A record is left out by its route.
  expires,              // A record may be delivered only until some instant,
  early,                // or only from some instant on.
  handed_on,            // A record goes by another route than its partition's.
  count,
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::count);
using FaultSet = std::bitset<kFaults>;

std::string_view name_of(Fault fault);
std::optional<Fault> fault_named(std::string_view name);

// What a command line may fix instead of the seed.
struct Overrides {
  std::optional<std::uint64_t> steps;    // Stop after so many events without a word.
  std::optional<std::int64_t> records;   // Most records of a partition.
  std::optional<std::size_t> instances;  // Most gates.
  FaultSet without;
};

struct LimitSettings {
  bool log = true;  // Sliding log, else token bucket.
  bool keyed = false;
  std::int64_t limit = 1;                         // Log: most in a window. Bucket: the burst.
  Duration window;                                // Log only.
  std::int64_t permits = 1, micros = 1;           // Bucket only: its rate.
  bool ahead = true;                              // May grant permits that are not due yet.
  Duration most_ahead = Duration::seconds(3600);  // But not later ones than this, as a queue.
  bool held = false;    // Most attempts under way; window is the lease. A log in all else.
  bool varies = false;  // Each record brings its own cost; else it is 1.
};

struct RouteSettings {
  core::RouteOptions options;
  std::vector<std::size_t> limits;
  bool keep_lines = false;
  std::int64_t keys = 1;
  std::int64_t most_cost = 3;  // Of a record that can ever be paid for.
};

// Everything that is fixed before the first event.
struct Settings {
  std::uint64_t seed = 0;
  core::GateOptions gate;
  std::vector<RouteSettings> routes;
  std::vector<LimitSettings> limits;
  std::vector<std::size_t> partitions;  // The route of each partition.
  std::int64_t records = 0;             // Per partition, at most.
  std::size_t instances = 1;
  bool store_in_process = false;  // Answers within the turn.
  Duration chaos;                 // Faults happen and records are appended until then.
  Duration answer_delay;          // One way between gate and limiter, at most.
  Duration ask_timeout;
  Duration latency;  // Of a healthy target, at most.
  Duration target_timeout;
  Duration revoke_timeout;
  Duration commit_delay;  // One way, at most.
  int poll_budget = 1;
  std::int64_t most_bad_together = 1;  // Records of a partition that come one after the other.
  // By limit and key: what `limit` is there, and the most that it ever was.
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> values, largest_values;
  bool well_targets = false;   // Whatever fails, fails for its record's sake.
  bool at_full_speed = false;  // Nothing fails, and all records are there: how long it takes.
  double rate[kFaults] = {};   // Probability per occasion, or occasions per second.

  bool has(Fault fault) const { return rate[static_cast<std::size_t>(fault)] > 0; }
  double of(Fault fault) const { return rate[static_cast<std::size_t>(fault)]; }
};

// Part of draw_settings(): which routes have shares, in one gate and in all.
void draw_shares(Settings& settings);

Settings draw_settings(std::uint64_t seed, const Overrides& overrides);

// Other numbers, as a reload may bring them.
void draw_reload(Settings& settings, Dice& dice);

// Another `limit` for one key of one of the limits, or for one without keys (-1): its own, or more.
// Null if there are none; else what was changed.
std::optional<std::pair<std::size_t, std::int64_t>> draw_value(Settings& settings, Dice& dice);

// The limit as it is for that key; and as it was when it allowed most.
LimitSettings of_key(const Settings& settings, std::size_t limit, std::int64_t key);
LimitSettings at_its_largest(const Settings& settings, std::size_t limit, std::int64_t key);

// One line for people.
std::string describe(const Settings& settings);

}  // namespace einlass::simulation
