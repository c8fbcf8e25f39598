// Several real servers together: a primary with its replica and Sentinels, and a cluster.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/redis_server.h"
#include "adapters/redis/store/store.h"

namespace einlass::redis::testing {

// The number behind `name:` in what INFO says.
inline std::int64_t info_number(const std::string& info, const std::string& name) {
  const std::size_t at = info.find("\n" + name + ":");
  return at == std::string::npos ? -1 : std::stoll(info.substr(at + name.size() + 2));
}

// A server that follows `primary`.
inline std::unique_ptr<RedisServer> replica_of(const RedisServer& primary,
                                               std::vector<std::string> arguments = {}) {
  arguments.insert(arguments.end(), {"--replicaof", "127.0.0.1", std::to_string(primary.port()),
                                     "--repl-diskless-sync-delay", "0"});
  auto replica = std::make_unique<RedisServer>(std::move(arguments));
  Control control(replica->port());
  const bool follows = eventually([&] {
    return control({"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
  });
  if (!follows) throw std::runtime_error("the replica does not follow");
  return replica;
}

// A primary, a replica, and three Sentinels that all know each other.
class SentinelGroup {
 public:
  explicit SentinelGroup(std::vector<std::string> arguments = {"--repl-diskless-sync-delay", "0"})
      : primary_(std::make_unique<RedisServer>(std::move(arguments))),
        replica_(replica_of(*primary_)) {
    for (int i = 0; i < 3; ++i) sentinels_.push_back(start_sentinel());
    for (const auto& sentinel : sentinels_) {
      Control control(sentinel->port());
      const bool ready = eventually([&] {
        return control({"SENTINEL", "CKQUORUM", "mymaster"}).starts_with("OK 3 usable") &&
               control.elements({"SENTINEL", "REPLICAS", "mymaster"}) == 1;
      });
      if (!ready) throw std::runtime_error("the Sentinels do not find each other");
    }
  }

  RedisServer& primary() { return *primary_; }
  RedisServer& replica() { return *replica_; }
  RedisServer& sentinel(std::size_t i) { return *sentinels_[i]; }

  StoreOptions options() const {
    StoreOptions options;
    options.store = core::StoreId{3};
    options.name_space = "test";
    options.port = 1;  // Nobody listens there, and nobody is to ask.
    for (const auto& one : sentinels_) options.sentinels.push_back({"127.0.0.1", one->port()});
    return options;
  }

  // Until all Sentinels name the replica. A vote that was split is held again after ten seconds.
  bool failed_over() {
    return eventually(
        [&] {
          for (const auto& one : sentinels_) {
            const std::string port =
                Control(one->port())
                    .element({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"}, 1);
            if (port != std::to_string(replica_->port())) return false;
          }
          return true;
        },
        std::chrono::seconds(60));
  }

 private:
  std::unique_ptr<RedisServer> start_sentinel() {
    const std::string file =
        directory_.file("sentinel-" + std::to_string(sentinels_.size()) + ".conf");
    std::ofstream(file) << "sentinel monitor mymaster 127.0.0.1 " << primary_->port() << " 2\n"
                        << "sentinel down-after-milliseconds mymaster 500\n"
                        << "sentinel failover-timeout mymaster 5000\n";
    return std::make_unique<RedisServer>(std::vector<std::string>{}, file);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<RedisServer> primary_, replica_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

// Three primaries with a third of the slots each; the servers added later have none.
class ClusterGroup {
 public:
  ClusterGroup() {
    for (int i = 0; i < 3; ++i) add_server();
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<std::string> add{"CLUSTER", "ADDSLOTS"};
      for (int slot = first_slot(i); slot < first_slot(i + 1); ++slot) {
        add.push_back(std::to_string(slot));
      }
      control(i)(add);
      control(i)({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    }
    for (std::size_t i = 1; i < 3; ++i) meet(i);
    wait_until_well();
  }

  std::size_t size() const { return servers_.size(); }
  RedisServer& server(std::size_t i) { return *servers_[i]; }
  Control control(std::size_t i) { return Control(servers_[i]->port()); }
  std::string id(std::size_t i) { return control(i)({"CLUSTER", "MYID"}); }
  static std::size_t owner_of(std::uint16_t slot) {
    return slot < first_slot(1) ? 0 : slot < first_slot(2) ? 1 : 2;
  }

  StoreOptions options() const {
    StoreOptions options;
    options.store = core::StoreId{3};
    options.name_space = "test";
    options.port = servers_.front()->port();
    options.cluster = true;
    return options;
  }

  // A primary without slots, known to all.
  std::size_t add_primary() {
    add_server();
    meet(size() - 1);
    wait_until_well();
    return size() - 1;
  }

  std::size_t add_replica_of(std::size_t primary) {
    const std::size_t index = add_primary();
    Control replica = control(index);
    const std::string of = id(primary);
    bool told = false;  // Each time it would begin anew.
    const bool follows = eventually([&] {
      told = told || replica({"CLUSTER", "REPLICATE", of}) == "OK";
      return replica({"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
    });
    if (!follows) throw std::runtime_error("the replica does not follow");
    wait_until_well();
    return index;
  }

  // The first half of moving a slot: calls are answered by ASK where its keys have gone.
  void begin_move(std::uint16_t slot, std::size_t from, std::size_t to) {
    const std::string number = std::to_string(slot);
    EXPECT_EQ(control(to)({"CLUSTER", "SETSLOT", number, "IMPORTING", id(from)}), "OK");
    EXPECT_EQ(control(from)({"CLUSTER", "SETSLOT", number, "MIGRATING", id(to)}), "OK");
  }
  void move_key(const std::string& key, std::size_t from, std::size_t to) {
    EXPECT_EQ(control(from)(
                  {"MIGRATE", "127.0.0.1", std::to_string(server(to).port()), key, "0", "5000"}),
              "OK");
  }
  void move_keys(std::uint16_t slot, std::size_t from, std::size_t to) {
    Control source = control(from);
    for (;;) {
      const std::string key =
          source.element({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), "1"}, 0);
      if (key.empty()) return;
      move_key(key, from, to);
    }
  }
  void end_move(std::uint16_t slot, std::size_t to) {
    const std::string owner = id(to);
    for (std::size_t i = 0; i < size(); ++i) {
      control(i)({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", owner});
    }
  }

  // A handshake that takes too long is given up, and so is begun anew now and then.
  void wait_until_well() {
    int round = 0;
    const bool well = eventually(
        [&] {
          for (std::size_t i = 0; i < size(); ++i) {
            const std::string info = control(i)({"CLUSTER", "INFO"});
            if (info.find("cluster_state:ok") == std::string::npos ||
                info_number("\n" + info, "cluster_known_nodes") != static_cast<int>(size())) {
              if (++round % 400 == 0) meet(i);
              return false;
            }
          }
          return true;
        },
        std::chrono::seconds(30));
    if (!well) throw std::runtime_error("the cluster does not come together");
  }

 private:
  static std::uint16_t first_slot(std::size_t i) {
    return static_cast<std::uint16_t>((kSlots * i + 2) / 3);
  }
  void add_server() {
    servers_.push_back(std::make_unique<RedisServer>(
        std::vector<std::string>{"--cluster-enabled", "yes", "--cluster-node-timeout", "1000",
                                 "--repl-diskless-sync-delay", "0"}));
  }
  void meet(std::size_t i) {
    control(i)({"CLUSTER", "MEET", "127.0.0.1", std::to_string(servers_[0]->port())});
  }

  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace einlass::redis::testing
