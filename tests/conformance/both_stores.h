// The same buckets twice: with the arithmetic of src/limits, and on Redis through lua/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/redis_server.h"
#include "limits/permits/acquire.h"

namespace einlass::conformance {

struct Rule {
  limits::Parameters parameters;
  Permits cost{1};
};

// What lua/ calls the algorithm.
std::string name(const limits::Parameters& parameters);

struct Asked {
  std::int64_t min = 1;
  std::int64_t max = 1;
  std::int64_t horizon = 0;
  bool again = false;  // Sent before, with the same number.
};

enum class Mode : std::uint8_t { unused, ended };

// An ask's answer, or what else a script says, as Redis says it: see lua/README.md.
using Numbers = std::vector<std::int64_t>;

// An ask's answer by its parts.
struct Result {
  std::int64_t granted = 0;
  std::int64_t retry = 0;   // -1: never. -2: all were granted.
  std::int64_t reason = 0;  // -1: all were granted.
  Numbers remaining;
  Numbers due;

  bool operator==(const Result&) const = default;
};

// Ids count up from here; no two asks of a test share one.
limits::IdPrefix prefix(std::uint64_t number);
std::string bytes(const limits::PermitId& id);

// Each call answers what the script answers.
class MemorySide {
 public:
  // Keys as those of the RedisSide of this name.
  MemorySide(const std::string& name, std::vector<Rule> rules);
  void change(std::vector<Rule> rules) { rules_ = std::move(rules); }
  Numbers acquire(const Asked& asked, std::uint64_t number, std::int64_t now);
  Numbers release(std::span<const limits::Returned> permits, std::int64_t now);
  void ended(std::span<const limits::Returned> permits, std::int64_t now);
  Numbers peek(std::int64_t now) const;

 private:
  // What the last granted ask got, on the limiter's clock.
  struct Granted {
    std::uint64_t number = 0;
    std::int64_t now = 0;
    Numbers instants;
  };

  std::vector<limits::Charge> charges();
  Numbers answer(std::int64_t now, std::int64_t retry, std::int64_t reason,
                 const Numbers& instants) const;

  std::vector<Rule> rules_;
  std::vector<limits::State> states_;
  std::vector<Duration> due_;
  std::optional<Granted> remembered_;
};

class RedisSide {
 public:
  // Buckets of different names are different; `slack` keeps the state alive while now is invented.
  RedisSide(RedisServer& server, std::string name, std::vector<Rule> rules,
            std::int64_t slack_ms = 3'600'000);
  // REQUIRES: rules of the same algorithms.
  void change(std::vector<Rule> rules) { rules_ = std::move(rules); }

  // No `now`: the server's clock. An error of the script is a std::runtime_error.
  Result acquire(const Asked& asked, std::uint64_t number, std::optional<std::int64_t> now);
  std::int64_t release(std::span<const limits::Returned> permits, std::optional<std::int64_t> now,
                       Mode mode = Mode::unused);
  Numbers peek(std::optional<std::int64_t> now);
  std::int64_t last_now() const { return last_now_; }  // The now in the last reply.

  using Command = std::vector<std::string>;
  Command acquire_command(const Asked& asked, std::uint64_t number,
                          std::optional<std::int64_t> now) const;
  Command release_command(std::span<const limits::Returned> permits,
                          std::optional<std::int64_t> now, Mode mode) const;
  Command peek_command(std::optional<std::int64_t> now) const;

  std::string key(std::size_t bucket) const;
  std::string memo_key() const;
  void rename(std::string name) { name_ = std::move(name); }
  void remember(bool remember) { remember_ = remember; }  // Whether asks have a memo.

 private:
  Command command(const std::string& script, bool memo, const Command& rest) const;
  Numbers run(const Command& command);

  RedisServer& server_;
  std::string name_;
  std::vector<Rule> rules_;
  std::string slack_;
  std::string acquire_, release_, peek_;
  bool remember_ = true;
  std::int64_t last_now_ = 0;
};

// REQUIRES: the script's answer. An error is a std::runtime_error.
Numbers numbers(const redisReply* reply);

}  // namespace einlass::conformance
