// The threads of the gate: one shard each, with an io_context of its own. The thread that made this
// (the main one) asks them by messages, and they answer it by messages.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/clock/clock.h"
#include "app/permits/process_limits.h"
#include "app/permits/schedules.h"
#include "app/shard/shard.h"
#include "app/views/shard_view.h"
#include "config/model/config.h"
#include "units/notice.h"

namespace einlass::app {

// How long a page waits for a shard that is busy.
inline constexpr Duration kViewPatience = Duration::seconds(1);

// What each shard was like when it last answered, by its number. None for one that never has.
struct Views {
  std::vector<std::optional<ShardView>> shards;
  std::vector<bool> answered;  // In time; else what stands above is older.
};

// REQUIRES: used on the thread that runs `main`; outlived by what the constructor is given.
class Shards {
 public:
  // Makes the shards; nothing runs yet. Throws ConfigRefused. `notify` is called on any thread,
  // with the shard's name in the detail where there are several. `ended` is called when the last
  // shard has ended, with whether all were drained.
  Shards(boost::asio::io_context& main, const config::Config& config, const KafkaLogins& logins,
         const Clock& clock, Notify notify, std::function<void(bool drained)> ended);
  ~Shards();
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  void start();
  bool started() const { return started_; }

  // All drain: what is in flight may end within `patience`. When one has had a fatal error, the
  // others are told to by themselves.
  void stop(Duration patience);
  bool stopping() const { return stopping_; }

  int size() const { return static_cast<int>(threads_.size()); }

  // All go on under another configuration; `taken` is called when they have, or after
  // kViewPatience. Throws std::runtime_error, and nothing has changed, if a target cannot be made.
  // REQUIRES: no change from the one before needs a restart.
  using Seen = std::function<void(const Views& views)>;
  void reconfigure(const std::shared_ptr<const config::Config>& config, Seen taken);

  // What people have paused, for all of them; also before they are started.
  void pause(const Pauses& pauses);

  // The numbers that limits have for single keys, and by their schedules.
  LimitValues& values() { return limits_.values(); }

  // The weights of flows that are set while the gate runs.
  FlowWeights& weights() { return limits_.weights(); }

  // Asks each shard for its view; `seen` is called when all have answered, or after kViewPatience.
  // A view that is on its way already will do, unless it is to be made `anew`: then it shows what
  // was posted before.
  void view(Seen seen, bool anew = false);

  // Calls `work` on the shard's thread, between two turns. One that has ended does it no more.
  void post(int shard, std::function<void(Shard&)> work);

  // Calls `answer` on the main thread, after the shard's thread has taken note of the call.
  void call(int shard, std::function<void()> answer);

  // For whoever watches over them.
  bool ended(int shard) const;
  LoopPhase phase(int shard) const;
  Duration slow_turns(int shard) const;

 private:
  struct Thread;
  struct Question {
    Seen seen;
    boost::asio::steady_timer patience;
    std::vector<std::uint64_t> missing{};  // By shard: the view that is waited for; 0: none is.
  };

  void run(Thread& thread);
  std::uint64_t ask(Thread& thread, bool anew);
  void took_view(Thread& thread, std::uint64_t number, ShardView view);
  void took_end(Thread& thread, bool drained, ShardView last);
  void answer_complete_ones();
  void answer(const std::shared_ptr<Question>& question);
  void stop_the_others();

  boost::asio::io_context& main_;
  Duration drain_timeout_;
  const Notify notify_;
  const std::function<void(bool)> all_ended_;
  ProcessLimits limits_;
  Schedules schedules_;
  const config::Config* config_;                      // What the shards run under.
  std::shared_ptr<const config::Config> configured_;  // Since a reload: what config_ points to.
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<std::shared_ptr<Question>> questions_;  // Shared with their timers.
  bool started_ = false;
  bool stopping_ = false;
  bool drained_ = true;
};

}  // namespace einlass::app
