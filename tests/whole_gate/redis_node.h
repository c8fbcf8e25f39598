// One server of a simulated Redis, or a Sentinel.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "whole_gate/redis_world.h"

namespace einlass::whole {

struct RedisWorld::Node final : Listener {
  Node(RedisWorld& the_world, Endpoint endpoint_of_it)
      : world(the_world), endpoint(std::move(endpoint_of_it)) {
    world.kernel_.listen(endpoint, *this);
  }

  Welcome welcome() override {
    if (!up) {
      return {silent ? Welcome::Kind::silent : Welcome::Kind::refused,
              world.kernel_.one_in(2) ? 0 : world.kernel_.between(1, 5'000)};
    }
    return {Welcome::Kind::accepted, world.kernel_.one_in(2) ? 0 : world.kernel_.between(1, 5'000)};
  }
  void accepted(const std::shared_ptr<Wire>& wire) override;

  RedisWorld& world;
  const Endpoint endpoint;
  bool up = true;
  bool silent = false;  // While it is not up: connections are not even refused.
  std::set<std::string> scripts;
  std::vector<std::weak_ptr<Wire>> wires;
};

}  // namespace einlass::whole
