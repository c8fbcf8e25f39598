#include "app/service/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/service/shards.h"

namespace einlass::app {

Watchdog::Watchdog(boost::asio::io_context& io, Duration patience, Loops loops, Callbacks callbacks)
    : patience_(patience),
      loops_(std::move(loops)),
      callbacks_(std::move(callbacks)),
      watched_(static_cast<std::size_t>(loops_.count)),
      told_slow_(static_cast<std::size_t>(loops_.count)),
      timer_(io),
      looked_(std::chrono::steady_clock::now()) {
  look();
}

void Watchdog::heard(int loop) { watched_[static_cast<std::size_t>(loop)] = {}; }

void Watchdog::look() {
  const auto now = std::chrono::steady_clock::now();
  const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - looked_).count();
  looked_ = now;
  // Who comes late himself cannot say who else was there meanwhile.
  for (int i = 0; i < loops_.count; ++i) {
    count(i, std::min(Duration{passed}, kPeriod * 2));
    look_at_turns(i);
  }
  timer_.expires_after(std::chrono::microseconds(kPeriod.us));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) look();
  });
}

void Watchdog::count(int loop, Duration passed) {
  Watched& watched = watched_[static_cast<std::size_t>(loop)];
  if (loops_.ended(loop)) {
    watched = {};
    return;
  }
  if (!std::exchange(watched.called, true)) return loops_.call(loop);
  watched.silent = watched.silent + passed;
  if (watched.silent < unusual(loop)) return;
  if (!std::exchange(watched.told, true)) callbacks_.unusual(text(loop));
  if (patience_ > Duration{} && watched.silent >= patience_of(loop)) callbacks_.over(text(loop));
}

// Leaving the group has a bound of its own, and nothing else is done meanwhile.
Duration Watchdog::patience_of(int loop) const {
  return loops_.phase(loop) == LoopPhase::leave ? std::max(patience_, kLeaving) : patience_;
}

Duration Watchdog::unusual(int loop) const {
  if (loops_.phase(loop) == LoopPhase::leave) return kLeaving;
  return patience_ > Duration{} ? std::min(kUnusual, patience_) : kUnusual;
}

void Watchdog::look_at_turns(int loop) {
  const std::string text = slow_text(loop);
  const auto index = static_cast<std::size_t>(loop);
  if (!text.empty() && !told_slow_[index]) callbacks_.slow(text);
  told_slow_[index] = !text.empty();
}

std::string Watchdog::name(int loop) const {
  return loops_.count == 1 ? "the event loop" : "the event loop of shard " + std::to_string(loop);
}

std::string Watchdog::slow_text(int loop) const {
  const Duration slow = loops_.ended(loop) ? Duration{} : loops_.slow(loop);
  if (slow == Duration{}) return "";
  return name(loop) + " is slow: one iteration in a hundred or more takes a second, the longest " +
         std::to_string(slow.us / 1'000) + " ms";
}

std::string Watchdog::text(int loop) const {
  const Duration silent = watched_[static_cast<std::size_t>(loop)].silent;
  return name(loop) + " has been stuck for " + std::to_string(silent.us / 1'000'000) +
         " s, in the phase " + phase_name(loops_.phase(loop));
}

std::string Watchdog::trouble(int loop) const {
  return is_silent(loop) ? text(loop) : slow_text(loop);
}

bool Watchdog::is_silent(int loop) const {
  return watched_[static_cast<std::size_t>(loop)].silent >= unusual(loop);
}

std::string Watchdog::trouble() const {
  for (int i = 0; i < loops_.count; ++i) {
    if (is_silent(i)) return text(i);
  }
  return "";
}

std::string Watchdog::slowness() const {
  for (int i = 0; i < loops_.count; ++i) {
    if (std::string text = slow_text(i); !text.empty()) return text;
  }
  return "";
}

Watchdog::Loops loops_of(Shards& shards, Watchdog& watchdog) {
  return {
      .count = shards.size(),
      .call = [&](int shard) { shards.call(shard, [&watchdog, shard] { watchdog.heard(shard); }); },
      .ended = [&](int shard) { return !shards.started() || shards.ended(shard); },
      .phase = [&](int shard) { return shards.phase(shard); },
      .slow = [&](int shard) { return shards.slow_turns(shard); }};
}

}  // namespace einlass::app
