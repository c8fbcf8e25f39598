// One server of the store: its connection, what was asked of it and not yet answered, and whether
// it is well. node.cc sends, node_answers.cc takes what comes back, node_health.cc connects and
// watches.
//
//   connecting --> well <--> doubted
//        ^          |           ^
//        |          v           |
//        |       refused -------+
//        +-- from everywhere, when the connection is lost
//   connecting: not open_; ends with the answer to the PING behind the login
//   well:       well_, may be asked; with unproven_ nothing was granted since the last error
//   refused:    waiting_ after an error reply; then a PING, or a new connection where
//               leave_after_wait_
//   doubted:    pinging_ since a call is late or too many are open; well once a PONG is in time
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/calls/line.h"
#include "adapters/redis/calls/open_calls.h"
#include "adapters/redis/calls/script_calls.h"
#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/client/store_options.h"
#include "adapters/redis/nodes/error_run.h"
#include "adapters/redis/wire/connection.h"
#include "adapters/redis/wire/reply_reader.h"
#include "core/contract/command.h"
#include "core/contract/event.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::redis {

inline constexpr std::size_t kMaxPermitsPerRelease = 512;

static_assert(kMaxPermitsPerAsk + 4 + kMaxBuckets <= kMaxReplyElements);

// Commands not yet written; more is not taken on.
inline constexpr std::size_t kMaxUnsentBytes = 4 << 20;

inline constexpr std::chrono::milliseconds kFirstReconnectDelay{50};
inline constexpr std::chrono::milliseconds kFirstRefusalDelay{100};

// Before an ask is made again: one whose slot is on its way to another node, one whose node is
// down or not known, and one whose line is in trouble of its own.
inline constexpr Duration kTryAgainWait = Duration::millis(20);
inline constexpr Duration kNodeDownWait = Duration::millis(200);
inline constexpr Duration kLineTroubleWait = Duration::seconds(1);

class Holds;
class Node;

// What the nodes of one store tell it.
class NodeOwner {
 public:
  // connect_to() or cannot_locate() is to be called, now or later.
  virtual void locate(Node& node) = 0;

  // The node is well, or is no longer; then its open asks fail after this.
  virtual void health_changed() = 0;

  // Slots or the primary may be elsewhere by now.
  virtual void topology_changed() = 0;

  // The call was not run, and belongs to another node.
  virtual void redirected(const Node& from, Call call, std::span<const PermitId> permits,
                          const Redirection& to) = 0;

  // The slot of the line is on its way: these are to be given back a little later.
  virtual void give_back_later(const LinePtr& line, std::span<const PermitId> permits,
                               Return why) = 0;

  // These could not be given back, or nobody knows: what limits that count attempts under way have
  // lost by that is told later.
  virtual void end_later(const LinePtr& line, std::span<const PermitId> permits) = 0;

  // To send_holds(): what it says, or nothing where there was no answer; then `trouble` says why,
  // if that is worth telling.
  virtual void holds_answered(std::span<const std::int64_t> left_ms,
                              const std::string& trouble) = 0;

  virtual void line_failed(Line& line, const std::string& detail) = 0;
  virtual void line_recovered(Line& line) = 0;

  // Its limits have told it to wait longer than they ever need; and what they had of a later time
  // is forgotten now.
  virtual void line_closed(const Line& line) = 0;
  virtual void line_reopened(const LinePtr& line) = 0;

 protected:
  ~NodeOwner() = default;
};

// What the nodes of one store have in common. Outlives them.
struct NodeContext {
  boost::asio::io_context& io;
  const StoreOptions& options;
  core::Events& events;
  const Notify& notify;
  const std::function<void(Duration)>& call_observed;
  const ScriptCalls& scripts;
  StoreStatus& counts;
  ErrorRun& errors;
  ErrorRun& confirmations;  // By replicas, as far as they are waited for.
  std::minstd_rand& random;
  NodeOwner& owner;

  void fail(const core::Ask& ask, Duration wait = core::PermitsFailed{}.wait) const {
    events.push_back(core::PermitsFailed{ask.line, ask.ask, wait});
  }
};

std::string to_string(const Address& address);

// Where a server is reached, with what the options say of TLS.
Endpoint endpoint(const StoreOptions& options, const Address& address);

// Between half of it and all of it, so that a fleet does not come back in step.
std::chrono::microseconds jittered(std::chrono::milliseconds delay, std::minstd_rand& random);

// Owned by a shared_ptr, which what is under way holds too.
class Node final : public std::enable_shared_from_this<Node>, Connection::Observer {
 public:
  Node(const NodeContext& context, Address address);

  // Starts to connect, and goes on with backoff until close().
  void connect();
  void connect_to(const Address& address);
  void cannot_locate(const std::string& why);

  // Leaves the server that it is connected to for this one. REQUIRES: well().
  void move_to(const Address& address);

  // Nothing more is heard of it.
  void close();

  const Address& address() const { return address_; }
  const std::string& trouble() const { return trouble_; }  // Empty while all goes well.
  bool connected() const { return open_; }                 // It may be slow, or refuse.
  bool well() const { return well_; }
  bool tried() const { return tried_; }  // Has been well, or has failed to be.
  bool idle() const { return calls_.empty(); }
  bool room() const;

  // What is sent leaves with the next flush(). REQUIRES: well() and room().
  void send_acquire(const LinePtr& line, const core::Ask& ask, Manner manner,
                    Steady::time_point now);
  void send_release(const LinePtr& line, std::span<const PermitId> permits, Manner manner,
                    Steady::time_point now);
  void send_holds(Holds& holds, Steady::time_point now);
  void flush(Steady::time_point now);

  // It does not keep up: counts as down until it has answered all.
  void overloaded(Steady::time_point now);

 private:
  // node.cc
  void send_again(Call call, Steady::time_point now);
  void push(Call call, Steady::time_point now);
  void command(std::initializer_list<std::string_view> words, Call::Kind kind,
               Steady::time_point now);
  void ping(Steady::time_point now);
  void reopen(const LinePtr& line, bool looks, Steady::time_point now);

  // node_answers.cc
  void received(std::span<const char> bytes) override;
  void answered(Call call, const Reply& reply, Steady::time_point now);
  void login_answered(const Reply& reply);
  void acquire_answered(Call call, const Reply& reply, Steady::time_point now);
  void acquire_refused(Call call, const Reply& reply, Steady::time_point now);
  void release_answered(Call call, const Reply& reply, Steady::time_point now);
  void wait_answered(const Call& call, const Reply& reply, Steady::time_point now);
  void holds_answered(const Reply& reply);
  void ping_answered(const Call& call, const Reply& reply, Steady::time_point now);
  void answer(const Call& call, const Reply& reply, Steady::time_point now);
  Duration wait_for_move(Line& line, Steady::time_point now);
  Duration closed(const LinePtr& line, Steady::time_point now);
  bool was_set_back(Instant server, Steady::time_point now);
  void reopen_answered(const Call& call, const Reply& reply);
  void fail_unconfirmed();
  void take_permits(const Call& call);
  Trouble trouble_in(const Reply& reply) const;
  bool goes_elsewhere(Call& call, const Reply& reply, Steady::time_point now);

  // node_health.cc
  void opened() override;
  void lost(const std::string& why) override;
  void lose(Severity severity, std::string_view what, const std::string& detail);
  void connect_later();
  void disconnect();
  void fail_open_calls();
  void refused(const Trouble& trouble);
  void refusal_is_over();
  void went_well(bool granted);
  void fall();
  void rise_if_well();
  void tell(Severity severity, std::string_view what, const std::string& detail);
  void watch();
  Steady::time_point next_deadline();
  void deadlines_passed(Steady::time_point now);
  void time_over(Call& call, Steady::time_point now);
  std::chrono::microseconds silence_limit() const;

  // A grant that too few replicas may have yet.
  struct Unconfirmed {
    LinePtr line;  // Keeps the due times.
    core::PermitsAnswered answer;
  };

  const NodeContext& context_;
  const std::chrono::microseconds timeout_;
  Address address_;
  std::string where_;     // The address, for notices.
  std::string password_;  // That was sent at the last login; empty: none.

  OpenCalls calls_;
  Ring<PermitId> permits_of_calls_;  // Of the open releases, in their order.
  std::vector<PermitId> permits_again_;
  std::uint64_t calls_made_ = 0;
  std::map<const Script*, std::uint64_t> brought_;  // The last call that carried the script's text.
  std::vector<Unconfirmed> unconfirmed_;            // Answered; the next WAIT's answer decides.
  bool wait_due_ = false;                           // Something was asked since the last WAIT.
  bool wait_open_ = false;                          // That one is not answered.
  std::size_t kept_back_ = 0;  // The last calls: they go when it is, or behind an open write.

  std::shared_ptr<Connection> connection_;  // Null between connections.
  std::unique_ptr<ReplyReader> reader_;     // Of this connection.
  bool open_ = false;                       // Connected, logged in, and a PING was answered.
  bool well_ = false;                       // May be asked.
  bool tried_ = false;
  bool pinging_ = false;   // A PING is under way.
  bool waiting_ = false;   // After an error reply, for the next attempt.
  bool unproven_ = false;  // Nothing was granted since an error reply, or a WAIT in vain.
  bool leave_after_wait_ = false;
  bool closed_ = false;
  std::string trouble_ = "not connected yet";

  boost::asio::steady_timer deadline_timer_, reconnect_timer_, refusal_timer_;
  Steady::time_point watched_ = Steady::time_point::max();  // When deadline_timer_ fires.
  Steady::time_point last_read_;
  std::optional<Duration> clock_ahead_;  // The furthest that the server's clock was before ours.
  Steady::time_point set_back_until_{};  // There may be state of a later time until then.
  std::chrono::milliseconds reconnect_delay_, refusal_delay_;
};

using NodePtr = std::shared_ptr<Node>;

}  // namespace einlass::redis
