#include "whole_gate/world.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "whole_gate/gate_process.h"
#include "whole_gate/in_flight.h"
#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/plan.h"
#include "whole_gate/receiver.h"
#include "whole_gate/record_feed.h"
#include "whole_gate/redis_world.h"
#include "whole_gate/table_book.h"
#include "whole_gate/table_writer.h"
#include "whole_gate/wire.h"

namespace einlass::whole {
namespace {

// Once nothing goes wrong any more: the longest waits that somebody may still be in (of a retry, a
// breaker, a connection, a login), one after the other.
constexpr Micros kAllWaitsAreOver = 120 * kSecond;
constexpr Micros kDrained = 20 * kSecond;

class World {
 public:
  World(std::uint64_t seed, RealRedis& redis, bool verbose)
      : kernel_(seed),
        plan_(draw_plan(kernel_)),
        table_(kernel_, plan_),
        judge_(kernel_, plan_.ordered, plan_.promise, plan_.origins, table_),
        in_flight_(kernel_, plan_.redis_forgets ? 0 : plan_.attempts),
        redis_(kernel_, redis, plan_.redis),
        gate_(kernel_, judge_, in_flight_, table_, group_, plan_, redis_.config(), verbose),
        writer_(kernel_, table_, redis_, gate_) {
    if (verbose) kernel_.be_verbose();
    redis_.set_weather(plan_.weather);
    if (plan_.redis_forgets) redis_.forget_when_down();
    for (int i = 1; i <= plan_.servers; ++i) {
      receivers_.push_back(std::make_unique<Receiver>(kernel_, judge_, in_flight_, plan_.http2, i));
      receivers_.back()->set_weather(plan_.weather);
    }
    write_records();
  }

  Outcome run() {
    Outcome outcome;
    outcome.config = gate_.text();
    const Micros began = kernel_.now();
    try {
      arrange(began);
      gate_.run();
      judge_.look_at_limit();
      if (const std::size_t open = kernel_.open_sockets(); open > 0) {
        throw Broken(std::to_string(open) + " sockets are left open");
      }
    } catch (const std::exception& error) {
      outcome.broken = error.what();
    }
    outcome.hash = kernel_.hash();
    outcome.requests = judge_.requests();
    outcome.repeats = judge_.repeats();
    outcome.seconds = static_cast<double>(kernel_.now() - began) / 1e6;
    return outcome;
  }

 private:
  void write_records() {
    group_.partitions.resize(plan_.origins.size());
    for (std::int64_t i = 0; i < plan_.records; ++i) {
      const auto partition = static_cast<int>(kernel_.dice(plan_.origins.size()));
      judge_.expect(partition, draw_record(kernel_, plan_));
      Group::Partition& log = group_.partitions[static_cast<std::size_t>(partition)];
      if (kernel_.one_in(2)) {
        log.written = judge_.end(partition);
        continue;
      }
      const std::int64_t end = judge_.end(partition);
      kernel_.after(kernel_.between(0, plan_.bad_until), [this, &log, end] {
        log.written = std::max(log.written, end);
        gate_.wake();
      });
    }
    for (std::size_t i = 0; i < group_.partitions.size(); ++i) {
      Group::Partition& log = group_.partitions[i];
      const std::int64_t end = judge_.end(static_cast<int>(i));
      kernel_.after(plan_.bad_until, [this, &log, end] {
        log.written = end;
        gate_.wake();
      });
    }
  }

  // What goes wrong, when it ends, and by when all must be done.
  void arrange(Micros began) {
    const Micros good = began + plan_.bad_until;
    if (plan_.bad_until > 0) {
      for (const auto& one : receivers_) one->be_faulty(kernel_.dice(3) * kernel_.dice(30));
      if (kernel_.one_in(2)) redis_.be_faulty(3 + kernel_.dice(kernel_.one_in(2) ? 10 : 200));
      group_.commits_fail = kernel_.one_in(3);
    }
    for (std::uint64_t strikes = kernel_.dice(8); strikes > 0; --strikes) {
      kernel_.at(kernel_.between(began, good), [this] { strike(); });
    }
    if (kernel_.one_in(4)) {
      kernel_.at(kernel_.between(began, good), [this] {
        if (!gate_.is_stopping()) GateProcess::crash();
      });
    }
    kernel_.at(good, [this] { heal(); });
    writer_.arrange(began, good);
    arrange_end(std::max(good, writer_.all_known_at()));
    look_later();
  }

  // What outlasts all is taken out once all else is delivered; what it kept has as long once more.
  void arrange_end(Micros all_is_well) {
    const Micros patience = needed_for_all(plan_) + kAllWaitsAreOver;
    Micros end = all_is_well + patience;
    if (writer_.any_outlasts_all()) {
      kernel_.at(end, [this] {
        judge_.look_at_rest();
        writer_.end_all();
      });
      end += kKnowsAll + patience;
    }
    kernel_.at(end, [this] {
      if (!gate_.is_stopping())
        throw Broken("not all is delivered and committed long after all is well");
    });
  }

  void strike() {
    switch (kernel_.dice(5)) {
      case 0:
        return receivers_[kernel_.dice(receivers_.size())]->strike();
      case 1:
        return gate_.take_away(kernel_.dice(group_.partitions.size()));
      case 2:
        return gate_.reload();
      default:
        redis_.strike();
    }
  }

  void heal() {
    kernel_.trace("all is well");
    group_.commits_fail = false;
    for (const auto& one : receivers_) one->heal();
    redis_.heal();
  }

  void look_later() {
    kernel_.after(kSecond / 10, [this] {
      gate_.look_at_table();
      if (!judge_.is_through()) return look_later();
      gate_.stop();
      kernel_.after(kDrained, [] { throw Broken("it does not stop"); });
    });
  }

  Kernel kernel_;
  const Plan plan_;
  TableBook table_;
  Judge judge_;
  InFlight in_flight_;
  RedisWorld redis_;
  std::vector<std::unique_ptr<Receiver>> receivers_;
  Group group_;
  GateProcess gate_;
  TableWriter writer_;
};

}  // namespace

Outcome run_world(std::uint64_t seed, RealRedis& redis, bool verbose) {
  return World(seed, redis, verbose).run();
}

}  // namespace einlass::whole
