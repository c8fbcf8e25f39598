// Puts a question to every shard and waits for the answers, but not for ever.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/shards.h"
#include "app/why.h"

namespace einlass::app {

// By the number of the shard; none for one that did not answer within kViewPatience.
using WhyAnswers = std::vector<std::optional<WhyAnswer>>;

struct Inquiry;

// REQUIRES: used on the thread that runs `main`; both live as long as that runs.
class Inquiries {
 public:
  // Questions that some shard has still to take note of, at most: one that does not turn takes note
  // of none, and has all of them before it when it turns again.
  static constexpr std::size_t kMost = 16;

  // One for a key looks at every record inside: there is one at a time, and none so soon after
  // another.
  static constexpr std::chrono::milliseconds kBetweenKeys{200};

  Inquiries(boost::asio::io_context& main, Shards& shards) : main_(main), shards_(shards) {}

  // `done` is called once, on that thread. False, and nothing is asked, while too many are asked,
  // or too soon.
  bool ask(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done);

 private:
  bool is_too_soon();
  void look(const std::shared_ptr<Inquiry>& inquiry, int shard);
  void took(const std::shared_ptr<Inquiry>& inquiry, int shard, std::optional<WhyAnswer> answer);

  boost::asio::io_context& main_;
  Shards& shards_;
  std::vector<std::weak_ptr<Inquiry>> asked_;
  std::weak_ptr<Inquiry> for_key_;  // The last one.
  std::chrono::steady_clock::time_point for_key_at_{};
};

}  // namespace einlass::app
