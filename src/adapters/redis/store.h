// Limits that the whole fleet shares: asks a Redis server through the scripts in lua/.
//
// One connection, pipelined: everything asked in one turn of the loop leaves in one write. EVALSHA,
// and EVAL where the server does not know the script (expected after a restart or a failover).
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/command.h"
#include "core/event.h"
#include "core/ids.h"
#include "limits/limit.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::redis {

struct StoreOptions {
  core::StoreId store;
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  bool tls = false;
  std::string ca_file;      // Empty: the system's authorities.
  std::string server_name;  // Empty: the host.
  std::string username;     // Empty: the default user.
  std::string password;     // Empty: no AUTH.
  int database = 0;
  std::string name_space = "einlass";        // First part of every key.
  Duration timeout = Duration::millis(500);  // A call without an answer by then has failed.
  std::array<std::uint8_t, 8> run{};  // Random, this process's own: first half of permit ids.
};

// One bucket of a line: a limit and the key taken from the record (empty for a limit without key).
struct Bucket {
  const limits::Limit* limit = nullptr;  // Outlives the store.
  std::string key;
};

// What the metrics and /v1/status show of the store. Durations go to `call_observed` as they come.
struct StoreStatus {
  bool up = false;
  std::string trouble;                                              // Why not; empty while up.
  std::uint64_t granted = 0, denied = 0, errors = 0, timeouts = 0;  // Calls by their result.
};

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class Store {
 public:
  // Starts to connect, and goes on trying with backoff for ever. Says StoreDown at once if the
  // first connection is not there yet at the first ask, and StoreUp when it is.
  Store(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
        std::function<void(Duration)> call_observed);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // What a line stands for. REQUIRES: 1 to 8 buckets; the id is not in use.
  void add_line(core::LineId line, std::span<const Bucket> buckets);
  void forget_line(core::LineId line);

  // Ends as PermitsAnswered or PermitsFailed, at once while the store is down. Permits of an answer
  // that comes after its ask has failed are given back here. One answer carries at most 4,000
  // permits; who wants more may ask again at once. REQUIRES: the line is known; min <= 4,000.
  void ask(const core::Ask& ask);

  // Without a connection the permit is lost: the limit grants one less until it would have expired.
  // REQUIRES: the line is known.
  void release(const core::Release& release);

  // Sends what this turn has asked for and given back, the latter first. Called once at the end of
  // each turn.
  void flush();

  StoreStatus status() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace einlass::redis
