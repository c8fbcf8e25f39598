// The Redis that a world has: one server, a primary with its replica behind Sentinels, or a
// cluster.
//
// Who is primary, who holds which slot, who is up and who knows which script is simulated; what a
// script does is done by a real Redis, which all nodes share. So a failover loses nothing here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "whole_gate/kernel.h"
#include "whole_gate/real_redis.h"
#include "whole_gate/resp.h"
#include "whole_gate/table_plan.h"
#include "whole_gate/wire.h"

namespace einlass::whole {

enum class RedisKind : std::uint8_t { one, sentinels, cluster };

class RedisWorld {
 public:
  // REQUIRES: outlived by both; nothing is listened to there yet.
  RedisWorld(Kernel& kernel, RealRedis& redis, RedisKind kind);
  ~RedisWorld();

  // The section `redis` of a gate that uses it.
  std::string config() const;

  void set_weather(const Weather& weather) { weather_ = weather; }
  void forget_when_down() { forgets_ = true; }

  // Something goes wrong with it, or one call in so many goes wrong. Nothing does after heal().
  void strike();
  void be_faulty(std::uint64_t one_in) { faulty_ = one_in; }

  // Another gate, or a person, writes into the fleet's table; none takes the key out.
  void write_table(const std::string& key, const std::optional<std::string>& text,
                   TableEntry::Way way);
  void add_change_of_nothing();
  void heal();

 private:
  static constexpr std::uint8_t kNowhere = 255;

  struct Node;
  struct Session;

  // What becomes of a call.
  enum class Fate : std::uint8_t { well, error, not_run, not_told, told_in_part, told_late };

  Node& node(std::size_t i) { return *nodes_[i]; }
  Fate draw_fate();
  std::string answer(Node& node, const Words& words, bool& asking);
  std::string run_script(Node& node, const Words& words, bool asking);
  void cut_changes();
  std::string read_table(const Node& node, const Words& words, bool asking);
  std::string elsewhere(const Node& node, std::string_view key, bool asking) const;
  std::string slots() const;
  std::string role(const Node& node) const;
  std::string some_error();
  void kill(Node& node);
  void cut_some(Node& node);
  void fail_over();
  void move_slots();

  Kernel& kernel_;
  RealRedis& redis_;
  const RedisKind kind_;
  Weather weather_;
  std::vector<std::unique_ptr<Node>> nodes_;  // Sentinels last.
  std::size_t primary_ = 0;
  std::size_t named_primary_ = 0;       // By the Sentinels, which hear of a failover later.
  std::vector<std::uint8_t> owner_;     // By slot, in a cluster.
  std::vector<std::uint8_t> going_to_;  // Where a slot is on its way to; kNowhere for most.
  std::uint64_t faulty_ = 0;
  bool forgets_ = false;
};

}  // namespace einlass::whole
