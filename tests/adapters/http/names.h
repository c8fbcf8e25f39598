// What names resolve to in tests: dns_test.cc has the C library's getaddrinfo() ask here.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace einlass::http::testing {

// What the names of these tests resolve to at the time; all others are the system's.
class Names {
 public:
  void set(const std::string& name, std::vector<std::string> addresses) {
    const std::lock_guard lock(mutex_);
    addresses_[name] = std::move(addresses);
  }
  bool find(const std::string& name, std::vector<std::string>& addresses) {
    std::unique_lock lock(mutex_);
    const auto found = addresses_.find(name);
    if (found == addresses_.end()) return false;
    addresses = found->second;
    ++asked;
    changed_.wait(lock, [&] { return !name.ends_with(silent_); });
    return true;
  }

  // The servers of the names that end so do not answer: "" for all.
  void silence(const std::string& ending) {
    {
      const std::lock_guard lock(mutex_);
      silent_ = ending;
    }
    changed_.notify_all();
  }
  void answer() { silence(kNone); }

  std::atomic<int> asked{0};

 private:
  static constexpr const char* kNone = ".";  // No name ends so.

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string silent_ = kNone;
  std::map<std::string, std::vector<std::string>> addresses_;
};

inline Names& names() {
  static Names names;
  return names;
}

}  // namespace einlass::http::testing
