// The nodes of a Redis Cluster, and which of them holds which slot.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/nodes/node.h"

namespace einlass::redis {

struct SlotRange {
  std::uint16_t first = 0, last = 0;  // Both belong to it.
  Address primary;
};

// The answer to CLUSTER SLOTS; `asked` is who gave it, and stands in where it does not know its own
// name. None where the answer has another shape.
std::optional<std::vector<SlotRange>> read_slots(const Value& answer, const std::string& asked);

// Owned by a shared_ptr, which what is under way holds too.
class Cluster : public std::enable_shared_from_this<Cluster> {
 public:
  // Keeps its nodes in `nodes`. Both references live until close().
  Cluster(const NodeContext& context, std::vector<NodePtr>& nodes);

  // Asks who holds the slots, soon: of whichever node answers, or of the one that the options name,
  // and again until every slot is held by a node that is well.
  void learn();

  // The node that holds a slot; null where none is known to.
  Node* node_of(std::uint16_t slot) const;

  // A node that another one has named; connected if it is new. Null where there are too many.
  Node* node_at(const Address& address);
  void moved(std::uint16_t slot, const Address& to);

  // Why the slots are not known; empty where they are.
  const std::string& trouble() const { return trouble_; }

  void close();

 private:
  void ask(std::size_t tried, const std::string& why);
  void answered(const Address& asked, std::size_t tried, const Value* answer,
                const std::string& why);
  void apply(const std::vector<SlotRange>& ranges);
  void drop_nodes_without_slots();
  void learn_after(std::chrono::milliseconds delay);
  bool all_well() const;
  std::uint16_t index_of(const Address& address);
  Address candidate(std::size_t tried) const;
  void tell(Severity severity, std::string_view what, const std::string& detail);

  const NodeContext& context_;
  std::vector<NodePtr>& nodes_;
  std::vector<std::uint16_t> slots_;  // The index in nodes_ of who holds it.
  std::shared_ptr<Inquiry> inquiry_;
  boost::asio::steady_timer timer_;
  bool timer_set_ = false;
  bool closed_ = false;
  std::size_t next_candidate_ = 0;
  Steady::time_point learned_{};
  std::vector<Node*> named_;  // By a redirection, since the slots were last learned.
  std::string trouble_ = "who holds the slots of the cluster is not known yet";
};

}  // namespace einlass::redis
