// What goes wrong with it.
#include <algorithm>
#include <utility>

#include "whole_gate/redis_node.h"
#include "whole_gate/redis_world.h"

namespace einlass::whole {
void RedisWorld::strike() {
  const std::size_t servers = kind_ == RedisKind::sentinels ? nodes_.size() - 2 : nodes_.size();
  Node& any = node(kernel_.dice(nodes_.size()));
  switch (kernel_.dice(5)) {
    case 0:
      return kill(any);
    case 1:
      return cut_some(any);
    case 2:  // It still listens, and answers nobody for a while.
      for (const auto& wire : any.wires) {
        const auto open = wire.lock();
        if (open) open->stall_until(kernel_.now() + kernel_.between(1'000, 5'000'000));
      }
      return;
    case 3:
      for (std::size_t i = 0; i < servers; ++i) node(i).scripts.clear();
      return;
    default:
      if (kind_ == RedisKind::sentinels) return fail_over();
      if (kind_ == RedisKind::cluster) return move_slots();
      cut_some(any);
  }
}

void RedisWorld::cut_some(Node& node) {
  for (const auto& wire : std::exchange(node.wires, {})) {
    const auto open = wire.lock();
    if (open && kernel_.one_in(2)) {
      open->cut();
    } else {
      node.wires.push_back(wire);
    }
  }
}

void RedisWorld::kill(Node& node) {
  kernel_.trace("redis " + node.endpoint.host + " is down");
  for (const auto& wire : std::exchange(node.wires, {})) {
    if (const auto open = wire.lock()) open->cut();
  }
  node.up = false;
  node.silent = kernel_.one_in(3);
  node.scripts.clear();
  if (forgets_) redis_.ask({"FLUSHALL"}, kernel_.now());
  kernel_.after(kernel_.between(1'000, 4'000'000), [&node] { node.up = true; });
}

RedisWorld::Fate RedisWorld::draw_fate() {
  if (faulty_ == 0 || !kernel_.one_in(faulty_)) return Fate::well;
  return static_cast<Fate>(1 + kernel_.dice(5));
}

// The old primary goes on as a replica, and says so to whoever is still connected.
void RedisWorld::fail_over() {
  primary_ = 1 - primary_;
  kernel_.after(kernel_.between(0, 3'000'000), [this] { named_primary_ = primary_; });
  kernel_.trace("the primary is " + nodes_[primary_]->endpoint.host);
}

void RedisWorld::move_slots() {
  const std::size_t first = kernel_.dice(owner_.size());
  const std::size_t end = std::min(owner_.size(), first + 1 + kernel_.dice(owner_.size()));
  const auto to = static_cast<std::uint8_t>(kernel_.dice(nodes_.size()));
  for (std::size_t slot = first; slot < end; ++slot) {
    if (owner_[slot] != to) going_to_[slot] = to;
  }
  kernel_.after(kernel_.between(1'000, 2'000'000), [this, first, end] {
    for (std::size_t slot = first; slot < end; ++slot) {
      if (going_to_[slot] != kNowhere) owner_[slot] = std::exchange(going_to_[slot], kNowhere);
    }
  });
}

void RedisWorld::heal() {
  faulty_ = 0;
  weather_ = {};
  for (const auto& node : nodes_) {
    node->up = true;
    for (const auto& wire : node->wires) {
      if (const auto open = wire.lock()) open->heal();
    }
  }
}

}  // namespace einlass::whole
