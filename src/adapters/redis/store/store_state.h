// The store's inside: the lines, which node each is asked of, and whether the store counts as up.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adapters/redis/calls/holds.h"
#include "adapters/redis/calls/line.h"
#include "adapters/redis/calls/script_calls.h"
#include "adapters/redis/nodes/cluster.h"
#include "adapters/redis/nodes/listener.h"
#include "adapters/redis/nodes/node.h"
#include "adapters/redis/nodes/sentinels.h"
#include "adapters/redis/store/store.h"

namespace einlass::redis {

// How often a cluster may send a call on before its ask fails.
inline constexpr int kMostRedirections = 5;

// Permits that wait to be given back; those of more calls are lost.
inline constexpr std::size_t kMostLateReleases = 10'000;

// Troubles of lines that are told until one of them recovers; more are not.
inline constexpr std::size_t kMostLineTroubles = 100;

struct Store::State final : std::enable_shared_from_this<Store::State>, NodeOwner {
  State(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
        std::function<void(Duration)> call_observed);

  // store.cc
  void start();
  void add_line(core::LineId id, std::span<const Bucket> buckets);
  void change_line(core::LineId id, std::span<const Bucket> buckets);
  void forget_line(core::LineId id);
  void ask(const core::Ask& ask);
  void give_back(Line& line, std::span<const PermitId> permits, Return why);
  void flush();
  void send_releases(Steady::time_point now);
  void send_release(const LinePtr& line, std::span<const PermitId> permits, Return why,
                    Steady::time_point now);
  void send_ask(const core::Ask& ask, Steady::time_point now);
  StoreStatus status() const;
  Line& line(core::LineId id);
  void close();

  // store_nodes.cc
  Node* node_of(const Line& line) const;
  void locate(Node& node) override;
  void watch_primary();
  void health_changed() override;
  void topology_changed() override;
  void redirected(const Node& from, Call call, std::span<const PermitId> permits,
                  const Redirection& to) override;
  void give_back_later(const LinePtr& line, std::span<const PermitId> permits, Return why) override;
  void end_later(const LinePtr& line, std::span<const PermitId> permits) override;
  void give_back_now();
  void line_failed(Line& line, const std::string& detail) override;
  void line_recovered(Line& line) override;
  void line_closed(const Line& line) override;
  void line_reopened(const LinePtr& line) override;
  void say_down();

  // fleet_holds.cc
  void hold(core::TargetId target, Duration length);
  Node* node_of_holds() const;
  void look_at_holds_in(Steady::duration wait);
  void watch_holds();
  void listen_for_holds();
  void look_soon();
  void holds_heard(const std::string& in_vain);
  void call_holds();
  void holds_answered(std::span<const std::int64_t> left_ms, const std::string& trouble) override;

  // What waits for its slot to arrive at another node, or for a node that is well.
  struct LateRelease {
    LinePtr line;
    std::vector<PermitId> permits;
    Return why = Return::unused;
  };

  const StoreOptions options_;
  core::Events& events_;
  const Notify notify_;
  const std::function<void(Duration)> call_observed_;
  ScriptCalls scripts_;
  StoreStatus counts_;
  ErrorRun errors_, confirmations_;
  std::minstd_rand random_;
  const NodeContext context_;

  Holds holds_;
  boost::asio::steady_timer holds_timer_;
  Listener listener_;           // To what is said of holds.
  bool holds_failing_ = false;  // And it was told.
  bool not_listening_told_ = false, not_publishing_told_ = false;
  bool look_is_due_ = false;  // Something was heard since they were looked at last, which was ...
  Steady::time_point looked_{};

  std::vector<LinePtr> lines_;  // By LineId; null where there is none.
  std::vector<core::Ask> asks_of_turn_;
  std::vector<LinePtr> lines_going_back_;  // Those with something in going_back.
  std::vector<LateRelease> late_releases_;
  boost::asio::steady_timer late_release_timer_;
  Steady::time_point gave_back_{};                  // When what waited so went last, ...
  std::chrono::milliseconds late_release_delay_{};  // ... and how long it had waited.

  std::vector<NodePtr> nodes_;
  std::unique_ptr<Sentinels> sentinels_;  // Null without them.
  boost::asio::steady_timer primary_timer_;
  std::shared_ptr<Cluster> cluster_;  // Null where there is one node.
  bool usable_ = false;               // Some node is well.
  bool down_ = false;                 // StoreDown was said, and not yet StoreUp.
  bool closed_ = false;
  std::set<std::string> line_troubles_;  // Those that were told.
  struct TooLong {
    std::string text;
    Steady::time_point heard;
  };
  std::map<std::string, TooLong> too_long_;  // By the names of a line's limits: closed too long.
};

}  // namespace einlass::redis
