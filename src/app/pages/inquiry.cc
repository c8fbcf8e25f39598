#include "app/pages/inquiry.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <utility>

namespace einlass::app {

namespace {

// Between two parts of a look at a shard, for all else that it has to do.
constexpr std::chrono::milliseconds kPause{1};

// Whoever asks at a terminal waits for 5 s.
constexpr std::chrono::seconds kLongest{3};

}  // namespace

// Shared by the shards' answers and the timers; whoever comes too late finds it ended.
struct Inquiry : std::enable_shared_from_this<Inquiry> {
  struct Part {
    Part(boost::asio::io_context& main, const WhyQuestion& question)
        : look(question), pause(main) {}
    WhyLook look;  // The shard's alone until it answers.
    boost::asio::steady_timer pause;
  };

  Inquiry(boost::asio::io_context& main, std::function<void(const WhyAnswers&)> ends)
      : done(std::move(ends)), patience(main) {}

  void end() {
    over = true;
    patience.cancel();
    if (const auto ends = std::exchange(done, nullptr)) ends(answers);
  }

  // From here on there is kViewPatience for the next part of an answer.
  void be_patient() {
    patience.expires_after(std::chrono::microseconds(kViewPatience.us));
    patience.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (!cancelled) self->end();
    });
  }

  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::function<void(const WhyAnswers&)> done;
  boost::asio::steady_timer patience;
  WhyAnswers answers;
  std::deque<Part> parts;  // By the number of the shard.
  int missing = 0;
  std::atomic<bool> over = false;  // Nobody waits for an answer any more: shards look at it.
};

void Inquiries::ask(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done,
                    std::function<void()> refused) {
  std::erase_if(asked_, [](const auto& asked) { return asked.expired(); });
  if (asked_.size() >= kMost) return refused();
  if (!question.key) return begin(question, std::move(done));
  const auto ask_now = [this, question, done](std::function<void()> ended) {
    begin(question, [done, ended = std::move(ended)](const WhyAnswers& answers) {
      ended();
      done(answers);
    });
  };
  if (!for_keys_.take(ask_now, refused)) refused();
}

void Inquiries::begin(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done) {
  const auto inquiry = std::make_shared<Inquiry>(main_, std::move(done));
  asked_.push_back(inquiry);
  inquiry->answers.resize(static_cast<std::size_t>(shards_.size()));
  for (int i = 0; i < shards_.size(); ++i) {
    inquiry->parts.emplace_back(main_, question);
    if (!shards_.ended(i)) ++inquiry->missing;
  }
  if (inquiry->missing == 0) {
    return inquiry->end();
  }
  for (int i = 0; i < shards_.size(); ++i) {
    if (!shards_.ended(i)) look(inquiry, i);
  }
  inquiry->be_patient();
}

void Inquiries::look(const std::shared_ptr<Inquiry>& inquiry, int shard) {
  shards_.post(shard, [this, &main = main_, inquiry, shard](Shard& looked_at) {
    if (inquiry->over) return;
    auto answer = inquiry->parts[static_cast<std::size_t>(shard)].look.go_on(looked_at);
    boost::asio::post(main, [this, inquiry, shard, answer = std::move(answer)]() mutable {
      took(inquiry, shard, std::move(answer));
    });
  });
}

void Inquiries::took(const std::shared_ptr<Inquiry>& inquiry, int shard,
                     std::optional<WhyAnswer> answer) {
  if (inquiry->over) return;
  const auto index = static_cast<std::size_t>(shard);
  if (answer) {
    inquiry->answers[index] = std::move(answer);
    if (--inquiry->missing == 0) inquiry->end();
    return;
  }
  // A shard that has answered in part is no reason to give up, but whoever asked waits.
  if (std::chrono::steady_clock::now() - inquiry->began < kLongest) inquiry->be_patient();
  boost::asio::steady_timer& pause = inquiry->parts[index].pause;
  pause.expires_after(kPause);
  pause.async_wait([this, inquiry, shard](const boost::system::error_code& cancelled) {
    if (!cancelled && !inquiry->over) look(inquiry, shard);
  });
}

}  // namespace einlass::app
