// What the store is told, and what it shows of itself. The same options say to all others who ask
// Redis how a server is reached.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/redis/client/login.h"
#include "core/contract/ids.h"
#include "limits/contract/limit.h"
#include "net/tls.h"
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

}  // namespace einlass::redis
