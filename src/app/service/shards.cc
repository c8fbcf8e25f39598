#include "app/service/shards.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "app/setup/wiring.h"
#include "units/check.h"

namespace einlass::app {

struct Shards::Thread {
  Thread(ShardNumber number, const config::Config& config, ProcessLimits& limits,
         const KafkaLogins& logins, const Clock& clock, Notify notify)
      : shard(io, number, config, limits, logins, clock, std::move(notify)) {}

  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  Shard shard;
  std::thread thread;

  // The main thread's: what it knows of the shard.
  std::optional<ShardView> view;
  std::uint64_t asked = 0;     // How many views it was asked for,
  std::uint64_t answered = 0;  // and how many have come.
  std::chrono::steady_clock::time_point good_until{};  // The view, for who wants no other.
  bool ended = false;
};

namespace {

// Of its time a shard spends one part of so many on views, however often they are asked for.
constexpr int kPartsForOthers = 20;

}  // namespace

Shards::Shards(boost::asio::io_context& main, const config::Config& config,
               const KafkaLogins& logins, const Clock& clock, Notify notify,
               std::function<void(bool)> ended)
    : main_(main),
      drain_timeout_(process_options(config).drain_timeout),
      notify_(std::move(notify)),
      all_ended_(std::move(ended)),
      limits_(config),
      schedules_(main, config, limits_.values(), Clock::wall, notify_),
      config_(&config) {
  for (const ShardNumber number : shard_numbers(config)) {
    const std::string name = number.of == 1 ? "" : "shard " + std::to_string(number.value) + ": ";
    const auto with_name = [this, name](const Notice& notice) {
      notify_({notice.severity, notice.what, name + notice.detail, notice.example});
    };
    threads_.push_back(std::make_unique<Thread>(number, config, limits_, logins, clock, with_name));
  }
}

Shards::~Shards() {
  for (const auto& thread : threads_) {
    if (thread->thread.joinable()) thread->thread.join();
  }
}

void Shards::start() {
  started_ = true;
  for (const auto& thread : threads_) {
    thread->thread = std::thread([this, &it = *thread] { run(it); });
    const std::string name = "shard-" + std::to_string(thread->shard.number().value);
    pthread_setname_np(thread->thread.native_handle(), name.c_str());
  }
}

// The whole life of a shard's thread.
void Shards::run(Thread& thread) {
  bool drained = false;
  try {
    drained = thread.shard.run();
  } catch (const std::exception& error) {
    notify_({Severity::error, "shard_failed",
             "shard " + std::to_string(thread.shard.number().value) + ": " + error.what()});
  }
  boost::asio::post(main_, [this, &thread, drained, last = view_of(thread.shard)]() mutable {
    took_end(thread, drained, std::move(last));
  });
}

void Shards::took_end(Thread& thread, bool drained, ShardView last) {
  thread.thread.join();
  thread.ended = true;
  drained_ &= drained;
  took_view(thread, thread.asked, std::move(last));
  if (!drained) stop_the_others();
  const bool all =
      std::all_of(threads_.begin(), threads_.end(), [](const auto& one) { return one->ended; });
  if (all) all_ended_(drained_);
}

void Shards::stop_the_others() {
  if (stopping_) return;
  if (threads_.size() > 1) {
    notify_({Severity::error, "draining", "a shard has failed, so the others drain and leave too"});
  }
  stop(drain_timeout_);
}

void Shards::stop(Duration patience) {
  if (std::exchange(stopping_, true)) return;
  for (const auto& thread : threads_) {
    post(thread->shard.number().value, [patience](Shard& shard) { shard.stop(patience); });
  }
}

void Shards::post(int shard, std::function<void(Shard&)> work) {
  Thread& thread = *threads_[static_cast<std::size_t>(shard)];
  boost::asio::post(thread.io, [&it = thread.shard, work = std::move(work)] { work(it); });
}

void Shards::call(int shard, std::function<void()> answer) {
  post(shard, [this, answer = std::move(answer)](Shard&) { boost::asio::post(main_, answer); });
}

bool Shards::ended(int shard) const { return threads_[static_cast<std::size_t>(shard)]->ended; }

LoopPhase Shards::phase(int shard) const {
  return threads_[static_cast<std::size_t>(shard)]->shard.phase();
}

Duration Shards::slow_turns(int shard) const {
  return threads_[static_cast<std::size_t>(shard)]->shard.slow_turns();
}

void Shards::reconfigure(const std::shared_ptr<const config::Config>& config, Seen taken) {
  std::vector<std::shared_ptr<Targets::Made>> targets;  // Shared, as a function must be copyable.
  for (const auto& thread : threads_) {
    targets.push_back(
        std::make_shared<Targets::Made>(thread->shard.make_targets(*config_, *config)));
  }
  limits_.change(*config);
  schedules_.reconfigure(*config);
  for (const auto& thread : threads_) {
    const int number = thread->shard.number().value;
    post(number, [config, made = targets[static_cast<std::size_t>(number)]](Shard& shard) {
      shard.reconfigure(config, std::move(*made));
    });
  }
  drain_timeout_ = process_options(*config).drain_timeout;
  config_ = config.get();
  configured_ = config;
  view(std::move(taken), true);
}

void Shards::pause(const Pauses& pauses) {
  const auto shared = std::make_shared<const Pauses>(pauses);
  for (const auto& thread : threads_) {
    post(thread->shard.number().value, [shared](Shard& shard) { shard.pause(shared); });
  }
}

// ---- views ----

void Shards::view(Seen seen, bool anew) {
  const auto question =
      std::make_shared<Question>(Question{std::move(seen), boost::asio::steady_timer(main_)});
  questions_.push_back(question);
  for (const auto& thread : threads_) {
    question->missing.push_back(thread->ended ? 0 : ask(*thread, anew));
  }
  question->patience.expires_after(std::chrono::microseconds(kViewPatience.us));
  question->patience.async_wait([this, question](const boost::system::error_code& cancelled) {
    if (!cancelled) answer(question);
  });
  answer_complete_ones();
}

// Asks for one more, and returns its number, 0 where the last one is good still; of a shard that is
// stuck there are at most two missing, and those that were to be made anew. One that has not
// started has no thread yet, so this one may look.
std::uint64_t Shards::ask(Thread& thread, bool anew) {
  if (!anew && std::chrono::steady_clock::now() < thread.good_until) return 0;
  if (!anew && thread.asked - thread.answered > 1) return thread.asked;
  const auto look = [this, &thread, number = ++thread.asked] {
    const auto began = std::chrono::steady_clock::now();
    ShardView view = view_of(thread.shard);
    const auto took = std::chrono::steady_clock::now() - began;
    boost::asio::post(main_, [this, &thread, number, took, view = std::move(view)]() mutable {
      thread.good_until = std::chrono::steady_clock::now() + kPartsForOthers * took;
      took_view(thread, number, std::move(view));
    });
  };
  if (started_) {
    boost::asio::post(thread.io, look);
  } else {
    look();
  }
  return thread.asked;
}

void Shards::took_view(Thread& thread, std::uint64_t number, ShardView view) {
  thread.answered = number;
  thread.view = std::move(view);
  for (const auto& question : questions_) {
    std::uint64_t& missing = question->missing[static_cast<std::size_t>(thread.view->shard)];
    if (missing <= number) missing = 0;
  }
  answer_complete_ones();
}

void Shards::answer_complete_ones() {
  const auto all = questions_;  // Whoever is answered may ask again.
  for (const auto& question : all) {
    const bool complete = std::all_of(question->missing.begin(), question->missing.end(),
                                      [](std::uint64_t number) { return number == 0; });
    if (complete) answer(question);
  }
}

void Shards::answer(const std::shared_ptr<Question>& question) {
  // Its time may have run out just when the last view came.
  if (std::erase(questions_, question) == 0) return;
  question->patience.cancel();
  Views views;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    views.shards.push_back(threads_[i]->view);
    views.answered.push_back(question->missing[i] == 0);
  }
  question->seen(views);
}

}  // namespace einlass::app
