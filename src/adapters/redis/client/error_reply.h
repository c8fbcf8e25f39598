// What Redis' error replies lead to, and what an operator is told.
//
// clang-format off
// | error | what the store does |
// |---|---|
// | NOSCRIPT | sends the call again with the whole script, once per connection |
// | MOVED | in a cluster: notes who holds the slot, sends the call there, learns all slots anew |
// | ASK | in a cluster: sends this one call to where the slot is going |
// | TRYAGAIN | the slot is on its way: the ask fails and is made again after 20 ms |
// | CROSSSLOT, WRONGTYPE, any unknown error, an answer of another shape | only this line
//   fails and is tried each second; said once, with the names of its limits |
// | CLUSTERDOWN "Hash slot not served" | only this line fails, the slots are learned anew |
// | CLUSTERDOWN, LOADING, BUSY, OOM, MISCONF, NOREPLICAS, NOPERM | the server counts as down; it is
//   tried again after 100 ms, then, until it grants something, after up to 2 s, by a PING and then
//   by the calls themselves; with Sentinels or a cluster as in the next row, for another may have
//   its place by then |
// | READONLY, MASTERDOWN, NOAUTH, UNBLOCKED, MOVED without a cluster | as before, but on a new
//   connection, since another server may stand behind the name; who is the primary is asked anew |
// | WRONGPASS, ERR AUTH, ERR DB index and all others while logging in | a new connection, with
//   delays of 50 ms up to 1 s |
// clang-format on
//
// A server is down, too, while a call has been without an answer for redis.timeout and no PING came
// back since. A connection that stays silent for four timeouts, at least 2 s, is given up. While
// the only server or all nodes are down the store is down and is not asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/client/store_options.h"

namespace einlass::redis {

enum class Reaction : std::uint8_t {
  fail_line,  // Only this line's keys are in trouble.
  pause,      // The server refuses for now.
  leave,      // Another server may be the right one by now, or this one wants a new login.
};

struct Trouble {
  std::string detail;  // One sentence that says what to do; holds nothing of keys or secrets.
  Reaction reaction = Reaction::fail_line;
};

// The server does not know the script's digest; the script did not run.
bool is_unknown_script(std::string_view error);

// The keys of the call are not all at one node for a moment.
bool is_try_again(std::string_view error);

// Nobody has this slot of the cluster, or this node does not know who.
bool is_unserved_slot(std::string_view error);

// Where a node of a cluster sends a call that it has not run.
struct Redirection {
  bool once = false;  // ASK: only this call. MOVED: the slot lives there now.
  std::uint16_t slot = 0;
  Address to;  // The host is empty where it is the one that answered.
};

std::optional<Redirection> redirection(std::string_view error);

// The words of an error up to where it may quote an argument, which may be a record's key or a
// password; and without the password that was sent, wherever it stands.
std::string harmless(std::string_view error, std::string_view password = {});

// `error` is the reply's text, `where` the server's address.
Trouble explain(std::string_view error, std::string_view where, const StoreOptions& options = {},
                std::string_view password = {});

}  // namespace einlass::redis
