#include "whole_gate/redis_world.h"

#include <stdexcept>
#include <utility>

#include "adapters/redis/client/hash_slot.h"
#include "net/digest.h"
#include "whole_gate/redis_node.h"

namespace einlass::whole {
namespace {

constexpr std::uint16_t kSentinelPort = 26'379;

std::string error(const std::string& text) { return "-" + text + "\r\n"; }

}  // namespace

// One connection.
struct RedisWorld::Session final : Peer {
  Session(RedisWorld& the_world, Node& the_node, Wire& the_wire)
      : world(the_world), node(the_node), wire(the_wire) {}

  void received(std::string_view bytes) override {
    reader.add(bytes);
    while (const auto words = wire.is_open() ? reader.next() : std::nullopt) call(*words);
  }

  void call(const Words& words) {
    const Fate fate = world.draw_fate();
    if (fate == Fate::error) return wire.say(world.some_error());
    if (fate == Fate::not_run) return wire.cut();
    const std::string reply = world.answer(node, words, asking);
    if (fate == Fate::not_told) return wire.cut();
    if (fate == Fate::told_late) {
      wire.stall_until(world.kernel_.now() + world.kernel_.between(100'000, 3'000'000));
    }
    if (fate != Fate::told_in_part) return wire.say(reply);
    wire.say(std::string_view(reply).substr(0, world.kernel_.dice(reply.size())));
    wire.finish();
  }

  RedisWorld& world;
  Node& node;
  Wire& wire;
  CommandReader reader;
  bool asking = false;
};

void RedisWorld::Node::accepted(const std::shared_ptr<Wire>& wire) {
  wire->set_weather(world.weather_);
  wire->attach(std::make_unique<Session>(world, *this, *wire));
  std::erase_if(wires, [](const std::weak_ptr<Wire>& one) { return one.expired(); });
  wires.push_back(wire);
}

RedisWorld::RedisWorld(Kernel& kernel, RealRedis& redis, RedisKind kind)
    : kernel_(kernel), redis_(redis), kind_(kind) {
  redis_.ask({"FLUSHALL"}, kernel_.now());
  const int nodes = kind == RedisKind::one ? 1 : kind == RedisKind::sentinels ? 2 : 3;
  for (int i = 1; i <= nodes; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, Endpoint{"10.0.0." + std::to_string(i), 6'379}));
  }
  if (kind == RedisKind::sentinels) {
    for (const char* host : {"10.0.0.11", "10.0.0.12"}) {
      nodes_.push_back(std::make_unique<Node>(*this, Endpoint{host, kSentinelPort}));
    }
  }
  if (kind != RedisKind::cluster) return;
  owner_.resize(redis::kSlots);
  going_to_.assign(redis::kSlots, kNowhere);
  for (std::size_t slot = 0; slot < owner_.size(); ++slot) {
    owner_[slot] = static_cast<std::uint8_t>(slot * 3 / owner_.size());
  }
}

RedisWorld::~RedisWorld() = default;

std::string RedisWorld::config() const {
  if (kind_ == RedisKind::sentinels) {
    return "{sentinel: {name: main, addresses: [\"10.0.0.11:26379\", \"10.0.0.12:26379\"]}}";
  }
  return "{url: \"redis://10.0.0.1:6379\"" +
         std::string(kind_ == RedisKind::cluster ? ", cluster: true}" : "}");
}

// ---- what a node answers ----

std::string RedisWorld::answer(Node& node, const Words& words, bool& asking) {
  const std::string& name = words[0];
  kernel_.trace("redis " + node.endpoint.host + " " + name + " " + std::to_string(words.size()));
  if (name == "SENTINEL") {
    return array({bulk(nodes_[named_primary_]->endpoint.host), bulk("6379")});
  }
  if (name == "PING") return "+PONG\r\n";
  // Nobody publishes here: a gate that listens looks now and then all the same.
  if (name == "SUBSCRIBE") return array({bulk("subscribe"), bulk(words.at(1)), integer(1)});
  if (name == "ROLE") return role(node);
  if (name == "WAIT") return integer(1);
  if (name == "INFO") return bulk("# Memory\r\nmaxmemory_policy:noeviction\r\n");
  if (name == "CLUSTER") return slots();
  if (name == "ASKING") {
    asking = true;
    return "+OK\r\n";
  }
  if (name == "EVAL" || name == "EVALSHA") {
    return run_script(node, words, std::exchange(asking, false));
  }
  if (name == "XRANGE" || name == "XREVRANGE" || name == "HSCAN") {
    return read_table(node, words, std::exchange(asking, false));
  }
  throw std::runtime_error("the world's Redis does not know " + name);
}

std::string RedisWorld::run_script(Node& node, const Words& words, bool asking) {
  if (kind_ == RedisKind::sentinels && &node != nodes_[primary_].get()) {
    return error("READONLY You can't write against a read only replica.");
  }
  if (kind_ == RedisKind::cluster) {
    const std::string redirection = elsewhere(node, words.at(3), asking);
    if (!redirection.empty()) return redirection;
  }
  const bool by_digest = words[0] == "EVALSHA";
  if (by_digest && !node.scripts.contains(words[1])) {
    return error("NOSCRIPT No matching script. Please use EVAL.");
  }
  if (!by_digest) node.scripts.insert(net::sha1_hex(words[1]));
  return redis_.ask(words, kernel_.now());
}

// Empty: here.
std::string RedisWorld::elsewhere(const Node& node, std::string_view key, bool asking) const {
  const std::uint16_t slot = redis::hash_slot(key);
  const std::uint8_t to = going_to_[slot];
  const bool is_owner = nodes_[owner_[slot]].get() == &node;
  const std::string where = std::to_string(slot) + " ";
  if (is_owner && to != kNowhere) {
    return error("ASK " + where + nodes_[to]->endpoint.host + ":6379");
  }
  if (is_owner || (asking && to != kNowhere && nodes_[to].get() == &node)) return {};
  return error("MOVED " + where + nodes_[owner_[slot]]->endpoint.host + ":6379");
}

std::string RedisWorld::slots() const {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < owner_.size();) {
    std::size_t end = first;
    while (end < owner_.size() && owner_[end] == owner_[first]) ++end;
    const Endpoint& endpoint = nodes_[owner_[first]]->endpoint;
    ranges.push_back(
        array({integer(static_cast<long long>(first)), integer(static_cast<long long>(end - 1)),
               array({bulk(endpoint.host), integer(endpoint.port)})}));
    first = end;
  }
  return array(ranges);
}

std::string RedisWorld::role(const Node& node) const {
  if (&node == nodes_[primary_].get()) return array({bulk("master"), integer(1), array({})});
  return array({bulk("slave"), bulk(nodes_[primary_]->endpoint.host), integer(6'379),
                bulk("connected"), integer(1)});
}

std::string RedisWorld::some_error() {
  static const char* const kErrors[] = {
      "LOADING Redis is loading the dataset in memory",
      "OOM command not allowed when used memory > 'maxmemory'.",
      "BUSY Redis is busy running a script.",
      "MISCONF Redis is configured to save RDB snapshots, but it is currently not able to.",
      "NOREPLICAS Not enough good replicas to write.",
  };
  return error(kErrors[kernel_.dice(std::size(kErrors))]);
}

}  // namespace einlass::whole
