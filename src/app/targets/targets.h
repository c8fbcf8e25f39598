// The targets of one shard: which kind each is, when a reload makes another one, and the old ones
// until their last attempts have ended.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "adapters/kafka/client/group_offsets.h"
#include "app/process/run_id.h"
#include "app/process/shard_number.h"
#include "app/setup/kafka_logins.h"
#include "app/targets/target.h"
#include "config/model/config.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: used on the shard's thread, but for what says otherwise; outlived by what the
// constructor is given.
class Targets {
 public:
  // By TargetId; null where the one that is there goes on.
  using Made = std::vector<std::unique_ptr<Target>>;

  Targets(boost::asio::io_context& io, ShardNumber shard, const RunId& run,
          const KafkaLogins& logins, core::Events& events, Notify notify);

  // Those to begin with. Throws std::runtime_error if one cannot be made. REQUIRES: called once.
  void start(const config::Config& config);

  // Those that another configuration needs. Throws as start() does. May be called from any thread
  // while these serve under `from`: nothing else is touched.
  Made make(const config::Config& from, const config::Config& to) const;

  // Goes on under the other configuration. REQUIRES: `made` was made for it.
  void reconfigure(const config::Config& config, Made made);

  // Lets go of old ones without attempts; called once a turn.
  void retire();

  Target& operator[](core::TargetId id) { return *served_[id.value].target; }

  // Ends the transaction that the records sent since the last one are in: `ended` hears of it, and
  // then their attempts end. Without offsets it comes to nothing. REQUIRES: the target has
  // exactly_once.
  void transact(core::TargetId id, std::optional<kafka::GroupOffsets> offsets,
                std::function<void(kafka::TransactionEnd)> ended);

  // With what the old ones still have under way.
  TargetStatus status(std::size_t i) const;

 private:
  struct Served {
    std::unique_ptr<Target> target;
    std::vector<std::unique_ptr<Target>> retiring;  // Under older settings, with attempts.
  };

  std::unique_ptr<Target> make(const config::Config& config, std::size_t index) const;
  bool goes_on(const config::Config& from, const config::Config& to, std::size_t index) const;

  boost::asio::io_context& io_;
  const ShardNumber shard_;
  const RunId& run_;
  const KafkaLogins& logins_;
  core::Events& events_;
  const Notify notify_;
  std::vector<Served> served_;  // By TargetId.
  bool retiring_ = false;       // Some target is.
};

}  // namespace einlass::app
