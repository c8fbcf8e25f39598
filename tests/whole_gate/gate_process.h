// The gate's process: it may end on the spot and is started again, and its file may change.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/shard/shard.h"
#include "config/model/config.h"
#include "whole_gate/in_flight.h"
#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/plan.h"
#include "whole_gate/record_feed.h"
#include "whole_gate/table_follower.h"

namespace einlass::whole {

// REQUIRES: outlived by what the constructor is given.
class GateProcess {
 public:
  // `redis` is the section of that name. Whoever wants to see what the gate does has `debug`.
  GateProcess(Kernel& kernel, Judge& judge, InFlight& in_flight, TableBook& table, Group& group,
              const Plan& plan, std::string redis, bool debug);

  // The file as it is now.
  std::string text() const;

  // Until it has been told to stop and has done so. Throws Broken, and what the kernel throws.
  void run();

  // ---- for what happens while it runs ----
  void reload();  // The file has other numbers, and the gate goes on under them.
  void stop();
  bool is_stopping() const { return stopping_; }
  void take_away(std::size_t partition);
  void wake();           // There may be more to read.
  void look_at_table();  // What it knows of it by now.

  // Ends it on the spot; it is started again. Does not return.
  [[noreturn]] static void crash();

 private:
  bool live();
  bool lives_on();
  const config::Config& read();
  void look_at_books() const;
  void told(const Notice& notice);

  Kernel& kernel_;
  Judge& judge_;
  InFlight& in_flight_;
  TableBook& table_;
  Group& group_;
  const Plan& plan_;
  const std::string redis_;
  const bool debug_;
  int edition_ = 0;
  std::vector<std::shared_ptr<const config::Config>> configs_;  // The last one is in force.

  // Of the life that there is.
  boost::asio::io_context* io_ = nullptr;
  app::Shard* shard_ = nullptr;
  RecordFeed* feed_ = nullptr;
  TableFollower* follower_ = nullptr;  // Null where the gate has no table.

  bool stopping_ = false;
};

}  // namespace einlass::whole
