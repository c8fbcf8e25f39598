#include "app/inquiry.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace einlass::app {
namespace {

// Shared by the shards' answers and the timer; whoever comes too late finds it ended.
struct Inquiry {
  Inquiry(boost::asio::io_context& main, std::function<void(const WhyAnswers&)> ends)
      : done(std::move(ends)), patience(main) {}

  void end() {
    patience.cancel();
    if (const auto ends = std::exchange(done, nullptr)) ends(answers);
  }

  std::function<void(const WhyAnswers&)> done;
  boost::asio::steady_timer patience;
  WhyAnswers answers;
  int missing = 0;
};

}  // namespace

void ask_why(boost::asio::io_context& main, Shards& shards, const WhyQuestion& question,
             std::function<void(const WhyAnswers&)> done) {
  const auto inquiry = std::make_shared<Inquiry>(main, std::move(done));
  inquiry->answers.resize(static_cast<std::size_t>(shards.size()));
  for (int i = 0; i < shards.size(); ++i) {
    if (shards.ended(i)) continue;
    ++inquiry->missing;
    shards.post(i, [&main, inquiry, question, i](Shard& shard) {
      boost::asio::post(main, [inquiry, i, answer = why(shard, question)] {
        inquiry->answers[static_cast<std::size_t>(i)] = answer;
        if (--inquiry->missing == 0) inquiry->end();
      });
    });
  }
  if (inquiry->missing == 0) return inquiry->end();
  inquiry->patience.expires_after(std::chrono::microseconds(kViewPatience.us));
  inquiry->patience.async_wait([inquiry](const boost::system::error_code& cancelled) {
    if (!cancelled) inquiry->end();
  });
}

}  // namespace einlass::app
