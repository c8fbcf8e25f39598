// The simulated world: Kafka, limiters, targets, a clock, some gates, and what goes wrong between
// them. All of it follows from a seed.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <vector>

#include "draw.h"
#include "faults.h"
#include "instance.h"
#include "kafka_world.h"
#include "limiter_world.h"
#include "target_world.h"
#include "timeline.h"
#include "trace.h"

namespace einlass::simulation {

// For one world, of a core's time: on a busy machine nothing else says that a gate hangs. The check
// that fails then is kHangs.
inline constexpr int kMostSeconds = 30;
inline constexpr const char* kHangs = "hangs";

struct Result {
  std::uint64_t steps = 0;
  std::uint64_t hash = 0;
};

// The limiter's clock is another one than the gates'.
inline constexpr Duration kLimiterAhead = Duration::seconds(7'777);

struct World {
  World(const Settings& drawn, Trace& trace_to);

  // Lets it all happen, and throws Failure where a gate breaks a promise. `steps`: how many events
  // gates may handle before the run just ends.
  Result run(std::optional<std::uint64_t> steps);

  // What gates do to the world around them.
  void partition_free(std::size_t partition);
  void instance_gone();
  PermitKey new_permits(std::int64_t count);
  // Throws Enough after the last one, and Failure where the world takes too long.
  void count_step();

  Settings settings;  // Gates keep the ones that they have heard of.
  Trace& trace;
  Timeline timeline;
  Faults faults;
  KafkaWorld kafka;
  LimiterWorld limiter;
  PermitBook book;
  TargetWorld target;
  Dice dice;
  std::uint64_t steps = 0;
  std::vector<std::unique_ptr<Instance>> instances;  // The dead ones too.

 private:
  struct Enough {};

  void let_happen();
  void drain();
  void stay_quiet();
  void stop_all();
  Duration drain_bound() const;
  void check_full_speed() const;
  std::string waiting() const;
  Duration wait_for_no_tickets() const;

  void start_instance();
  Instance* somebody(Dice& with);
  void give_away(std::size_t partition);
  void append_next(std::size_t partition, std::size_t index);
  void plan(Fault fault);
  void strike(Fault fault);
  void strike_partitions(Dice& with);
  void reload(Dice& with);
  void change_value(Dice& with);
  void delete_some(Dice& with);

  PermitKey next_permit_ = 1;
  std::uint64_t steps_left_ = 0;
  std::clock_t began_ = std::clock();  // Of a core's time.
  Instant drained_at_{};
  bool ending_ = false;
};

}  // namespace einlass::simulation
