// Limits that the whole fleet shares: asks a Redis server through the scripts in lua/.
//
// One server; or the primary that Sentinels name; or the nodes of a Cluster, each line at the node
// that holds its keys. One connection a server, pipelined: everything asked in one turn of the loop
// leaves in one write. EVALSHA, and EVAL where the server does not know the script (expected after
// a restart or a failover). error_reply.h says what each error of Redis leads to.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <span>

#include "adapters/redis/client/store_options.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::redis {

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
