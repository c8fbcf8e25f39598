// The same buckets twice: with the arithmetic of src/limits, and on Redis through lua/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "conformance/redis_server.h"
#include "limits/acquire.h"

namespace einlass::conformance {

struct Rule {
  limits::Parameters parameters;
  Permits cost{1};
};

// Everything an ask is answered with, in the form of the Lua reply.
struct Result {
  std::int64_t granted = 0;
  std::int64_t retry = 0;   // -1: never. -2: all were granted.
  std::int64_t reason = 0;  // -1: all were granted.
  std::vector<std::int64_t> remaining;
  std::vector<std::int64_t> due;

  bool operator==(const Result&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Result& result);

struct Asked {
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t horizon = 0;
  bool again = false;  // Sent before, with the same number.
};

// Ids count up from here; no two asks of a test share one.
limits::IdPrefix prefix(std::uint64_t number);
std::string bytes(const limits::PermitId& id);

class MemorySide {
 public:
  explicit MemorySide(std::vector<Rule> rules);
  void change(std::vector<Rule> rules) { rules_ = std::move(rules); }
  Result acquire(const Asked& asked, std::uint64_t number, std::int64_t now);
  std::int64_t release(std::span<const limits::PermitId> ids, std::int64_t now);
  std::vector<std::int64_t> peek(std::int64_t now) const;

 private:
  // What an ask was granted, on the limiter's clock.
  struct Granted {
    std::int64_t now = 0;
    std::vector<std::int64_t> instants;
  };

  std::vector<limits::Charge> charges();
  Result told_again(const Granted& granted, std::int64_t now) const;

  std::vector<Rule> rules_;
  std::vector<limits::State> states_;
  std::vector<Duration> due_;
  std::map<std::uint64_t, Granted> remembered_;  // Only the last one.
};

class RedisSide {
 public:
  // Buckets of different names are different; `slack` keeps the state alive while now is invented.
  RedisSide(RedisServer& server, std::string name, std::vector<Rule> rules,
            std::int64_t slack_ms = 3'600'000);
  void change(std::vector<Rule> rules) { rules_ = std::move(rules); }
  // No `now`: the server's clock.
  Result acquire(const Asked& asked, std::uint64_t number, std::optional<std::int64_t> now);
  std::int64_t release(std::span<const limits::PermitId> ids, std::optional<std::int64_t> now);
  std::vector<std::int64_t> peek(std::optional<std::int64_t> now);
  std::string key(std::size_t bucket) const;
  std::string memo_key() const;
  std::vector<std::string> acquire_command(const Asked& asked, std::uint64_t number,
                                           std::optional<std::int64_t> now) const;
  std::int64_t last_now() const { return last_now_; }  // The ask's now in the last reply.

 private:
  std::vector<std::string> command(const std::string& script, bool memo,
                                   const std::vector<std::string>& rest) const;
  std::vector<std::int64_t> run(const std::vector<std::string>& command);

  RedisServer& server_;
  std::string name_;
  std::vector<Rule> rules_;
  std::string slack_;
  std::string acquire_, release_, peek_;
  std::int64_t last_now_ = 0;
};

}  // namespace einlass::conformance
