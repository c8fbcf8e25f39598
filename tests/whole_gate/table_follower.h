// The gate's side of the fleet's table, as the process has it around its shards: what the table
// says is put in force, and whoever judges is told since when that is so.
#pragma once

#include <boost/asio/io_context.hpp>

#include "adapters/clock/clock.h"
#include "app/permits/pauses.h"
#include "app/permits/process_limits.h"
#include "app/setup/kafka_logins.h"
#include "app/shard/shard.h"
#include "app/steering/steering.h"
#include "config/model/config.h"
#include "units/notice.h"
#include "whole_gate/table_book.h"

namespace einlass::whole {

// REQUIRES: the configuration has quotas; outlived by what the constructor is given.
class TableFollower {
 public:
  TableFollower(boost::asio::io_context& io, const config::Config& config,
                app::ProcessLimits& limits, const app::KafkaLogins& logins, const Clock& clock,
                app::Shard& shard, TableBook& book, const Notify& notify);

  // The whole table was read: not before that does a gate begin.
  bool is_ready() const { return ready_; }

  void reconfigure(const config::Config& config) { steering_.reconfigure(config); }

  // Which quotas are in force by now, and what is so no more.
  void look_at_table();

 private:
  app::Steering::Callbacks told_by_steering(const Notify& notify);
  void pause(const app::Pauses& pauses);

  boost::asio::io_context& io_;
  app::Shard& shard_;
  TableBook& book_;
  bool ready_ = false;
  app::Steering steering_;
};

}  // namespace einlass::whole
