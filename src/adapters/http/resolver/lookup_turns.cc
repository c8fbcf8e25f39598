#include "adapters/http/resolver/lookup_turns.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace einlass::http {
namespace {

using Clock = std::chrono::steady_clock;

// Where the label begins that ends at `end`.
std::size_t label_before(std::string_view host, std::size_t end) {
  const std::size_t dot = end == 0 ? std::string_view::npos : host.rfind('.', end - 1);
  return dot == std::string_view::npos ? 0 : dot + 1;
}

class Turns {
 public:
  void take(LookupJob job) {
    const std::lock_guard lock(mutex_);
    try {
      if (!serves_) std::thread([this] { serve(); }).detach();
      serves_ = true;
    } catch (const std::system_error&) {  // The system has no thread for it now.
      return job.too_late();
    }
    waiting_.push_back(std::move(job));
    changed_.notify_one();
  }

 private:
  struct Running {
    std::string site, target;
    Clock::time_point since;
  };

  static bool takes_long(const Running& one, Clock::time_point now) {
    return now - one.since >= kLongLookup;
  }

  bool may_run(const LookupJob& job, Clock::time_point now) const {
    const std::string_view site = site_of(job.host);
    std::size_t counted = 0, of_site = 0, long_of_site = 0, of_target = 0, counted_of_target = 0;
    for (const Running& one : running_) {
      const bool counts = !takes_long(one, now);
      counted += counts;
      of_site += one.site == site;
      long_of_site += one.site == site && !counts;
      of_target += one.target == job.target;
      counted_of_target += one.target == job.target && counts;
    }
    return counted < kMostLookups && running_.size() < kMostLookupThreads &&
           of_site < kMostLookupsOfSite && long_of_site == 0 &&
           counted_of_target < kMostLookupsOfTarget && of_target < kMostLookupThreadsOfTarget;
  }

  // Its thread lives as long as the program.
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      begin_all(Clock::now());
      if (waiting_.empty()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, next_change(Clock::now()));
      }
    }
  }

  void begin_all(Clock::time_point now) {
    for (auto job = waiting_.begin(); job != waiting_.end();) {
      const bool late = now >= job->until;
      if (!late && job->wanted() && !may_run(*job, now)) {
        ++job;
        continue;
      }
      LookupJob one = std::move(*job);
      job = waiting_.erase(job);
      if (!one.wanted()) continue;
      late ? one.too_late() : begin(std::move(one), now);
    }
  }

  void begin(LookupJob job, Clock::time_point now) {
    running_.push_back({std::string(site_of(job.host)), job.target, now});
    const auto entry = std::prev(running_.end());
    try {
      std::thread([this, entry, job] {
        job.run();
        const std::lock_guard lock(mutex_);
        running_.erase(entry);
        changed_.notify_one();
      }).detach();
    } catch (const std::system_error&) {  // The system has no thread for it now.
      running_.erase(entry);
      job.too_late();
    }
  }

  // When one that runs is seen to take long, or one that waits is too late.
  Clock::time_point next_change(Clock::time_point now) const {
    auto next = now + kLongLookup;
    for (const Running& one : running_) {
      if (!takes_long(one, now)) next = std::min(next, one.since + kLongLookup);
    }
    for (const LookupJob& job : waiting_) next = std::min(next, job.until);
    return next;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<LookupJob> waiting_;  // At most one of each host of each target and shard.
  std::list<Running> running_;
  bool serves_ = false;
};

// Never destroyed, for what hangs in it at the end of the program is not waited for.
Turns& turns() {
  static auto* const made = new Turns;
  return *made;
}

}  // namespace

std::string_view site_of(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::size_t last = label_before(host, host.size());
  if (last == 0) return host;
  const std::size_t second = label_before(host, last - 1);
  if (second == 0) return host;
  static constexpr std::string_view kSuffixes[] = {"ac", "co",  "com", "edu", "gob", "gov",
                                                   "go", "mil", "ne",  "net", "or",  "org"};
  const std::string_view label = host.substr(second, last - 1 - second);
  const bool country =
      host.size() - last == 2 &&
      std::find(std::begin(kSuffixes), std::end(kSuffixes), label) != std::end(kSuffixes);
  return host.substr(country ? label_before(host, second - 1) : second);
}

void take_turn(LookupJob job) { turns().take(std::move(job)); }

}  // namespace einlass::http
