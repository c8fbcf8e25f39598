// Puts a question to every shard and waits for the answers, but not for ever.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/pages/one_at_a_time.h"
#include "app/service/shards.h"
#include "app/views/why.h"

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

  // One for a key looks at every record inside: there is one at a time, and none begins so soon
  // after another. As many as above wait for their turn; who asks at a terminal is gone after 5 s.
  static constexpr std::chrono::milliseconds kBetweenKeys{200};
  static constexpr std::chrono::milliseconds kLongestWait{5000};

  Inquiries(boost::asio::io_context& main, Shards& shards)
      : main_(main), shards_(shards), for_keys_(main, kBetweenKeys, kMost, kLongestWait) {}

  // `done` is called once, on that thread; or `refused`, and no shard is asked: while too many are
  // asked, or once its turn came too late.
  void ask(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done,
           std::function<void()> refused);

 private:
  void begin(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done);
  void look(const std::shared_ptr<Inquiry>& inquiry, int shard);
  void took(const std::shared_ptr<Inquiry>& inquiry, int shard, std::optional<WhyAnswer> answer);

  boost::asio::io_context& main_;
  Shards& shards_;
  std::vector<std::weak_ptr<Inquiry>> asked_;
  OneAtATime for_keys_;
};

}  // namespace einlass::app
