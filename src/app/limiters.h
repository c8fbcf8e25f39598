// The limiters of one shard: which line a record belongs to, and which store answers for it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/kafka/source.h"
#include "adapters/memory/store.h"
#include "adapters/redis/store.h"
#include "app/line_table.h"
#include "app/request.h"
#include "app/stand_in.h"
#include "config/config.h"
#include "core/gate.h"

namespace einlass::app {

// REQUIRES: one thread; outlived by what the constructor is given.
class Limiters {
 public:
  Limiters(boost::asio::io_context& io, const config::Config& config, const RunId& run,
           core::Events& events, const Notify& notify, core::Gate& gate);

  // The line for a record of the route; made known to the gate and to its store if it is new.
  core::LineId line_of(core::RouteId route, const kafka::Message& message);

  void ask(const core::Ask& ask, Instant now);
  void release(const core::Release& release, Instant now);
  void ended(const core::Ended& ended, Instant now);
  void forget(core::LineId line);

  // Redis answers no more, or again: as the store has said to the gate.
  void redis_down(bool down) { redis_down_ = down; }
  bool redis_is_down() const { return redis_down_; }

  // Sends what this turn has asked for.
  void flush();

  const memory::Store& memory() const { return memory_; }
  const redis::Store* redis() const { return redis_.get(); }
  const core::Histogram& redis_calls() const { return redis_calls_; }
  std::size_t lines() const { return table_.size(); }

 private:
  bool in_redis(core::LineId line) const;
  bool stands_in(const core::Ask& ask, core::RouteId route) const;
  void add(core::RouteId route, core::LineId line, bool keep);

  const config::Config& config_;
  core::Gate& gate_;
  LineTable table_;
  memory::Store memory_;
  StandIn stand_in_;
  core::Histogram redis_calls_;
  std::unique_ptr<redis::Store> redis_;
  std::vector<bool> keyed_;         // By RouteId: some limit has a key.
  std::vector<bool> may_stand_in_;  // By RouteId.
  bool redis_down_ = false;
  std::vector<core::LineId> only_line_;  // By RouteId: the line of a route without keys.
  std::vector<std::string> scratch_;     // By place in the route's list.
  std::vector<std::string_view> keys_;
};

}  // namespace einlass::app
