// Delivers records to a Kafka topic, and commits the offsets that they were read at, in one
// transaction (KIP-98, KIP-447): a reader with isolation.level=read_committed sees each record
// once, whatever becomes of this process, of the group or of the brokers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/kafka/client/group_offsets.h"
#include "adapters/kafka/producing/target.h"
#include "core/contract/event.h"
#include "core/contract/ids.h"
#include "units/notice.h"

namespace einlass::kafka {

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `events`.
class TransactionalTarget {
 public:
  // Starts to connect. Throws as Target does. REQUIRES: options.transactional_id is set, and no
  // other living process or shard has the same one.
  TransactionalTarget(boost::asio::io_context& io, TargetOptions options, core::Events& events,
                      Notify notify);
  ~TransactionalTarget();
  TransactionalTarget(const TransactionalTarget&) = delete;
  TransactionalTarget& operator=(const TransactionalTarget&) = delete;

  // From here on records may come. Until a transaction can begin, and whenever none can, nothing is
  // sent there: core::TargetHold. Called once.
  void start(core::TargetId id);

  // Adds the record to the transaction, which begins with the first.
  // REQUIRES: transact() has not been called for this one, or its attempts have ended.
  void send(const TargetRecord& record);

  // Commits what was sent, with the offsets: without any the transaction is aborted. `ended` hears
  // of its end, and then each of its attempts ends as core::DeliveryEnded, all alike. REQUIRES:
  // something was sent since the last transaction ended.
  void transact(std::optional<GroupOffsets> offsets, std::function<void(TransactionEnd)> ended);

  // As Target's.
  void set_topic(std::string topic, bool same_partition);
  TargetStatus status() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::kafka
