#include "app/inquiry.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace einlass::app {

// Shared by the shards' answers and the timer; whoever comes too late finds it ended.
struct Inquiry {
  Inquiry(boost::asio::io_context& main, std::function<void(const WhyAnswers&)> ends)
      : done(std::move(ends)), patience(main) {}

  void end() {
    over = true;
    patience.cancel();
    if (const auto ends = std::exchange(done, nullptr)) ends(answers);
  }

  std::function<void(const WhyAnswers&)> done;
  boost::asio::steady_timer patience;
  WhyAnswers answers;
  int missing = 0;
  std::atomic<bool> over = false;  // Nobody waits for an answer any more: shards look at it.
};

bool Inquiries::ask(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done) {
  std::erase_if(asked_, [](const auto& asked) { return asked.expired(); });
  if (asked_.size() >= kMost) return false;
  const auto inquiry = std::make_shared<Inquiry>(main_, std::move(done));
  asked_.push_back(inquiry);
  inquiry->answers.resize(static_cast<std::size_t>(shards_.size()));
  for (int i = 0; i < shards_.size(); ++i) {
    if (shards_.ended(i)) continue;
    ++inquiry->missing;
    shards_.post(i, [&main = main_, inquiry, question, i](Shard& shard) {
      if (inquiry->over) return;
      boost::asio::post(main, [inquiry, i, answer = why(shard, question)] {
        inquiry->answers[static_cast<std::size_t>(i)] = answer;
        if (--inquiry->missing == 0) inquiry->end();
      });
    });
  }
  if (inquiry->missing == 0) {
    inquiry->end();
    return true;
  }
  inquiry->patience.expires_after(std::chrono::microseconds(kViewPatience.us));
  inquiry->patience.async_wait([inquiry](const boost::system::error_code& cancelled) {
    if (!cancelled) inquiry->end();
  });
  return true;
}

}  // namespace einlass::app
