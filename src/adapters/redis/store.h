// Limits that the whole fleet shares: asks a Redis server through the scripts in lua/.
//
// One server; or the primary that Sentinels name; or the nodes of a Cluster, each line at the node
// that holds its keys. One connection a server, pipelined: everything asked in one turn of the loop
// leaves in one write. EVALSHA, and EVAL where the server does not know the script (expected after
// a restart or a failover). error_reply.h says what each error of Redis leads to.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adapters/redis/login.h"
#include "core/command.h"
#include "core/event.h"
#include "core/ids.h"
#include "limits/contract/limit.h"
#include "net/tls.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::redis {

struct Address {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Address&) const = default;
};

// A target that the whole fleet leaves alone when one gate is told to.
struct SharedTarget {
  core::TargetId id;
  std::string name;
};

struct StoreOptions {
  core::StoreId store;
  // Of the server, or of one node of the cluster. With a slash in front: a Unix socket's path.
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;

  // Not empty: these say which server is the primary, and host and port are not used. They are
  // asked over TLS if `tls`, with a login of their own.
  std::vector<Address> sentinels;
  std::string sentinel_name = "mymaster";
  Login sentinel_login;

  bool cluster = false;   // The nodes are learned, each is connected.
  int wait_replicas = 0;  // A grant counts once so many replicas have confirmed it.

  bool tls = false;
  net::TlsFiles tls_files;
  std::string server_name;  // Empty: the host.
  Login login;
  int database = 0;
  std::string name_space = "einlass";        // First part of every key.
  Duration timeout = Duration::millis(500);  // A call without an answer by then has failed.
  std::vector<SharedTarget> targets;
  std::array<std::uint8_t, 8> run{};  // Random, this process's own: first half of permit ids.
};

// One bucket of a line: a limit and the key taken from the record (empty for a limit without key).
struct Bucket {
  const limits::Limit* limit = nullptr;  // Lives until the line is forgotten or changed.
  std::string key;
  bool spread = false;  // The key is the hash tag, so that a cluster spreads the limit's buckets.
  Duration horizon{};   // The longest for which the fleet asks of it ahead.
};

// What the metrics and /v1/status show of the store. Durations go to `call_observed` as they come.
struct StoreStatus {
  bool up = false;      // It answers, and not with errors alone.
  std::string trouble;  // Why not; empty while up.
  std::string closed;   // Which limit is closed for longer than it ever needs; empty: none.
  std::size_t nodes = 0, nodes_up = 0;                              // Servers that are in use.
  std::uint64_t granted = 0, denied = 0, errors = 0, timeouts = 0;  // Calls by their result.
};

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class Store {
 public:
  // Starts to connect, and goes on trying with backoff for ever. Says StoreDown at once if the
  // first connection is not there yet at the first ask, and StoreUp when it is. Of several nodes
  // one is enough; what is asked of another that is down ends as PermitsFailed.
  Store(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
        std::function<void(Duration)> call_observed);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // What a line stands for. REQUIRES: 1 to 8 buckets; the id is not in use.
  void add_line(core::LineId line, std::span<const Bucket> buckets);
  void forget_line(core::LineId line);

  // The line's limits have other parameters or costs from here on. REQUIRES: the line is known and
  // has no open ask; the same limits and keys, and algorithms of the same state.
  void change_line(core::LineId line, std::span<const Bucket> buckets);

  // Ends as PermitsAnswered or PermitsFailed, at once while the store is down. An answer that comes
  // after its ask has failed is dropped: the same ask, made again, is told the same permits. One
  // answer carries at most 4,000 permits; who wants more may ask for them at once.
  // REQUIRES: the line is known; min <= 4,000.
  void ask(const core::Ask& ask);

  // Without a connection the permit is lost: the limit grants one less until it would have expired.
  // One that counts attempts under way has its place back as by ended(). REQUIRES: the line is
  // known.
  void release(const core::Release& release);

  // Of use to limits that count attempts under way; nothing happens in the others. What cannot be
  // told now is told later, up to 10,000 calls: what is beyond, and what is of a line whose own key
  // is at fault, frees its places only when the leases have run out. REQUIRES: the line is known.
  void ended(const core::Ended& ended);

  // The ask has failed and is not made again, for somebody else answers it: the places that it was
  // granted all the same, or still is, are free as by ended(). REQUIRES: the line is known.
  void give_up(const core::Ask& ask);

  // The target has told this gate to leave it alone for so long: the other gates learn of it, as
  // this one learns of theirs by TargetHold. Nothing for a target that is not shared.
  void hold(core::TargetId target, Duration length);

  // Sends what this turn has asked for and given back, the latter first. Called once at the end of
  // each turn.
  void flush();

  StoreStatus status() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace einlass::redis
