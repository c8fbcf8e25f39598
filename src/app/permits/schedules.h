// Puts in force what the limits' schedules say, each when it begins, and takes it out when it ends.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/permits/limit_values.h"
#include "app/permits/week_clock.h"
#include "config/model/config.h"
#include "config/model/time_zone.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

// By a timer that rings when the next span begins or ends, so that nobody has to look at the time
// for a record. REQUIRES: used on the thread that runs `io`; outlived by what the constructor is
// given.
class Schedules {
 public:
  // The system's clock is looked at so often at least: what follows from its having been set is
  // done so soon.
  static constexpr Duration kLook = Duration::seconds(1);

  // What holds now is in force when it is made. `wall` says what the system's clock shows.
  Schedules(boost::asio::io_context& io, const config::Config& config, LimitValues& values,
            std::function<Instant()> wall, Notify notify);

  // Other schedules from here on. REQUIRES: no change needs a restart, and `values` were
  // reconfigured; it outlives the next call.
  void reconfigure(const config::Config& config);

  // Puts in force what has begun, and sets the timer. The timer calls it; for tests.
  void look();

 private:
  // A limit that has one.
  struct Scheduled {
    std::size_t limit;
    const config::Limit* from;
    config::TimeZone zone;
    SpanNow now{};
  };

  void put_in_force(Scheduled& one, Instant now);

  LimitValues& values_;
  const std::function<Instant()> wall_;
  const Notify notify_;
  std::vector<Scheduled> scheduled_;
  std::vector<std::string> told_;  // By limit: the span that was told last; empty: its own numbers.
  Instant looked_;
  boost::asio::steady_timer timer_;
};

}  // namespace einlass::app
