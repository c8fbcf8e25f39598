// Whose turn it is to look a name up: who is too late, who is not wanted any more, and what a site
// is.
#include "adapters/http/resolver/lookup_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace einlass::http {
namespace {

struct Job {
  LookupJob of(const std::string& host, std::chrono::steady_clock::time_point until) {
    return {host,
            "target",
            until,
            [this] { return wanted.load(); },
            [this] { ++run; },
            [this] { ++late; }};
  }
  void wait_for(const std::atomic<int>& count, int number) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (count < number && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(count, number);
  }

  std::atomic<bool> wanted = true;
  std::atomic<int> run = 0, late = 0;
};

TEST(LookupTurns, one_that_is_too_late_is_told_so_and_does_not_run) {
  const auto now = std::chrono::steady_clock::now();
  Job job;
  take_turn(job.of("late.test", now));
  job.wait_for(job.late, 1);
  take_turn(job.of("in-time.test", now + std::chrono::seconds(10)));
  job.wait_for(job.run, 1);
  EXPECT_EQ(job.late, 1);
  // Nobody hears of what nobody wants any more.
  Job unwanted;
  unwanted.wanted = false;
  take_turn(unwanted.of("late.test", now));
  take_turn(unwanted.of("in-time.test", now + std::chrono::seconds(10)));
  take_turn(job.of("in-time.test", now + std::chrono::seconds(10)));
  job.wait_for(job.run, 2);
  EXPECT_EQ(unwanted.run + unwanted.late, 0);
}

TEST(LookupTurns, a_site_is_what_one_owner_names) {
  for (const auto& [host, site] :
       std::vector<std::pair<std::string, std::string>>{{"a.b.example.com", "example.com"},
                                                        {"example.com", "example.com"},
                                                        {"x.example.com.", "example.com"},
                                                        {"a.b.shop.co.uk", "shop.co.uk"},
                                                        {"shop.co.uk", "shop.co.uk"},
                                                        {"co.uk", "co.uk"},
                                                        {"a.example.de", "example.de"},
                                                        {"a.abc.de", "abc.de"},
                                                        {"localhost", "localhost"},
                                                        {"", ""},
                                                        {".", ""},
                                                        {"..", "."},
                                                        {"a..", "a."}}) {
    EXPECT_EQ(site_of(host), site) << host;
  }
}

}  // namespace
}  // namespace einlass::http
