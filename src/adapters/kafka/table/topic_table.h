// A fleet's table in a compacted topic: a record is the newest text of its key, and one without a
// value takes the key out. It is read from its beginning, then followed, on a thread of its own; by
// no group, so every gate has all of it.
//
// The topic is somebody's to make: with `cleanup.policy=compact`, and one partition unless a table
// is very large (the order of one key's texts is that of its partition).
#pragma once

#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>

#include "adapters/kafka/client/login.h"
#include "units/fleet_table.h"
#include "units/notice.h"

namespace einlass::kafka {

struct TopicTableOptions {
  std::string brokers;
  std::string topic;
  std::map<std::string, std::string> properties;  // As for the source.
  std::shared_ptr<Login> login{};                 // As for the source.
};

class TopicFollower;

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `listener`.
class TopicTable final : public FleetTable {
 public:
  // Begins to read. Throws std::runtime_error, with the property at fault, if librdkafka refuses
  // the configuration.
  TopicTable(boost::asio::io_context& io, TopicTableOptions options, Listener& listener,
             Notify notify);

  // Does not wait: the thread ends by itself.
  ~TopicTable() override;

  // Ends when the brokers have it (acks=all), or after 3 to 4 s: then librdkafka has given it up,
  // and at most a request that was under way may still be taken.
  void write(const std::string& key, const std::optional<std::string>& text,
             Written written) override;

 private:
  struct Writer;
  std::unique_ptr<TopicFollower> follower_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace einlass::kafka
