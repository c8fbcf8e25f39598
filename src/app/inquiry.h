// Puts a question to every shard and waits for the answers, but not for ever.
#pragma once

#include <boost/asio/io_context.hpp>
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

  Inquiries(boost::asio::io_context& main, Shards& shards) : main_(main), shards_(shards) {}

  // `done` is called once, on that thread. False, and nothing is asked, while too many are asked.
  bool ask(const WhyQuestion& question, std::function<void(const WhyAnswers&)> done);

 private:
  boost::asio::io_context& main_;
  Shards& shards_;
  std::vector<std::weak_ptr<Inquiry>> asked_;
};

}  // namespace einlass::app
