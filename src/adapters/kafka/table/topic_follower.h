// Reads all of a topic and follows it, on a thread of its own: what it asks the brokers waits for
// their answers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "adapters/kafka/table/topic_table.h"
#include "units/time.h"

namespace einlass::kafka {

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `listener`.
class TopicFollower {
 public:
  // How often the brokers are asked whether the topic is there and has as many partitions as are
  // read: so often it is known whether what is told here is of now.
  static constexpr Duration kLook = Duration::seconds(3);

  // Throws as TopicTable does.
  TopicFollower(boost::asio::io_context& io, const TopicTableOptions& options,
                FleetTable::Listener& listener);
  ~TopicFollower();
  TopicFollower(const TopicFollower&) = delete;
  TopicFollower& operator=(const TopicFollower&) = delete;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // With the thread.
};

}  // namespace einlass::kafka
