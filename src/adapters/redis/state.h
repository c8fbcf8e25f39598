// The store's inside. Three files define it: store.cc (lines, asks and releases go out), answers.cc
// (replies come in) and health.cc (connecting, deadlines, and whether the store counts as up).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/connection.h"
#include "adapters/redis/error_reply.h"
#include "adapters/redis/line.h"
#include "adapters/redis/open_calls.h"
#include "adapters/redis/reply_reader.h"
#include "adapters/redis/script_calls.h"
#include "adapters/redis/store.h"

namespace einlass::redis {

inline constexpr std::size_t kMaxPermitsPerRelease = 512;

static_assert(kMaxPermitsPerAsk + 4 + kMaxBuckets <= kMaxReplyElements);

// Commands not yet written; more is not taken on.
inline constexpr std::size_t kMaxUnsentBytes = 4 << 20;

inline constexpr std::chrono::milliseconds kFirstReconnectDelay{50};
inline constexpr std::chrono::milliseconds kFirstRefusalDelay{100};

struct Store::State final : std::enable_shared_from_this<Store::State>, Connection::Observer {
  State(boost::asio::io_context& io, StoreOptions options, core::Events& events, Notify notify,
        std::function<void(Duration)> call_observed);

  // store.cc
  void add_line(core::LineId id, std::span<const Bucket> buckets);
  void forget_line(core::LineId id);
  void ask(const core::Ask& ask);
  void flush();
  void give_back(Line& line, PermitId permit);
  void send_releases(Steady::time_point now);
  void send_release(const LinePtr& line, std::span<const PermitId> permits, CallBy by,
                    Steady::time_point now);
  void send_acquire(const LinePtr& line, const core::Ask& ask, CallBy by, Steady::time_point now);
  void send_again(Call call, Steady::time_point now);
  void push(Call call, Steady::time_point now);
  void fail(const core::Ask& ask);
  bool room() const;
  Line& line(core::LineId id);

  // answers.cc
  void received(std::span<const char> bytes) override;
  void answered(Call call, const Reply& reply, Steady::time_point now);
  void acquire_answered(Call call, const Reply& reply, Steady::time_point now);
  void release_answered(Call call, const Reply& reply, Steady::time_point now);
  void ping_answered(const Call& call, const Reply& reply, Steady::time_point now);
  void answer(const Call& call, const Reply& reply);
  void give_back_all(const Call& call, const Reply& reply);
  void take_permits(const Call& call);

  // health.cc
  void connect();
  void opened() override;
  void lost(const std::string& why) override;
  void lose(Severity severity, std::string_view what, const std::string& detail);
  void disconnect();
  void fail_open_calls();
  void ping(Steady::time_point now);
  void refused(const Trouble& trouble);
  void refusal_is_over();
  void overloaded(Steady::time_point now);
  void proven();
  void say_down();
  void say_up_if_well();
  void tell(Severity severity, std::string_view what, const std::string& detail);
  void watch();
  Steady::time_point next_deadline();
  void deadlines_passed(Steady::time_point now);
  void time_over(Call& call, Steady::time_point now);
  std::chrono::microseconds silence_limit() const;
  std::chrono::microseconds jittered(std::chrono::milliseconds delay);
  void close();

  boost::asio::io_context& io_;
  const StoreOptions options_;
  core::Events& events_;
  const Notify notify_;
  const std::function<void(Duration)> call_observed_;
  const std::string where_;  // host:port, for notices.
  const std::chrono::microseconds timeout_;
  ScriptCalls scripts_;

  std::vector<LinePtr> lines_;  // By LineId; null where there is none.
  std::vector<core::Ask> asks_of_turn_;
  std::vector<LinePtr> lines_going_back_;  // Those with something in going_back.
  OpenCalls calls_;
  Ring<PermitId> permits_of_calls_;  // Of the open releases, in their order.
  std::vector<PermitId> permits_again_;
  std::uint64_t calls_made_ = 0;

  std::shared_ptr<Connection> connection_;  // Null between connections.
  std::unique_ptr<ReplyReader> reader_;     // Of this connection.
  bool open_ = false;                       // Connected, logged in, and a PING was answered.
  bool down_ = false;                       // StoreDown was said, and not yet StoreUp.
  bool pinging_ = false;                    // A PING is under way.
  bool waiting_ = false;                    // After an error reply, for the next attempt.
  bool unproven_ = false;                   // Since an error reply no call went well.
  bool reconnect_after_wait_ = false;
  bool closed_ = false;
  std::string trouble_ = "not connected yet";
  StoreStatus counts_;

  boost::asio::steady_timer deadline_timer_, reconnect_timer_, refusal_timer_;
  Steady::time_point watched_ = Steady::time_point::max();  // When deadline_timer_ fires.
  Steady::time_point last_read_;
  std::chrono::milliseconds reconnect_delay_, refusal_delay_;
  std::minstd_rand random_;
};

}  // namespace einlass::redis
