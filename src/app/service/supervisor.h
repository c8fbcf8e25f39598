// Tells the service manager that started the process how it stands, in systemd's protocol: one
// datagram a message, to the socket that NOTIFY_SOCKET names. Without that variable every call does
// nothing, so whoever runs the gate by hand notices nothing of it.
#pragma once

#include <optional>
#include <string>

#include "units/time.h"

namespace einlass::app {

// REQUIRES: used on one thread. What could not be sent is not sent again: nobody can be told, and
// the gate is as good without it. A send waits at most kPatience.
class Supervisor {
 public:
  static constexpr Duration kPatience = Duration::millis(100);

  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  Supervisor();
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // It has started, though its loops may wait for the fleet's table; or a reload is over. `status`
  // is one line for `systemctl status`.
  void ready(const std::string& status) const;

  // Another such line, of a process that is ready.
  void status(const std::string& status) const;

  // A reload begins; ready() ends it.
  void reloading() const;

  // The process leaves, and may take `longest` for it, whatever the unit's own timeout says.
  void stopping(Duration longest) const;

  // Still here. To be said once in each watchdog_period(), or the process is ended.
  void alive() const;

  // Half of what is allowed; nothing if nobody watches.
  std::optional<Duration> watchdog_period() const { return watchdog_period_; }

 private:
  void send(const std::string& message) const;

  int socket_ = -1;
  std::string address_;  // A path, or an abstract name that begins with a zero byte.
  std::optional<Duration> watchdog_period_;
};

}  // namespace einlass::app
