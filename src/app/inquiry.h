// Puts a question to every shard and waits for the answers, but not for ever.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "app/shards.h"
#include "app/why.h"

namespace einlass::app {

// By the number of the shard; none for one that did not answer within kViewPatience.
using WhyAnswers = std::vector<std::optional<WhyAnswer>>;

// `done` is called once, on the thread that runs `main`. REQUIRES: called there; both live as long
// as `main` runs.
void ask_why(boost::asio::io_context& main, Shards& shards, const WhyQuestion& question,
             std::function<void(const WhyAnswers&)> done);

}  // namespace einlass::app
