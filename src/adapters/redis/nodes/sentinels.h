// Who the primary is, according to the Sentinels.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/inquiry.h"
#include "adapters/redis/client/store_options.h"
#include "adapters/redis/wire/value.h"

namespace einlass::redis {

// The answer to SENTINEL GET-MASTER-ADDR-BY-NAME; none where it has another shape.
std::optional<Address> read_primary(const Value& answer);

// How often they are asked while all is well: a primary that was replaced while it lives goes on as
// one for about ten seconds, until a Sentinel has told it.
inline constexpr std::chrono::milliseconds kPrimaryPeriod{1'000};

class Sentinels {
 public:
  // Called once, unless it is cancelled before: the primary's address, or none and why, in a
  // sentence that holds no secret.
  using Done = std::function<void(const std::optional<Address>& primary, const std::string& why)>;

  // `options` outlive it. REQUIRES: options.sentinels is not empty.
  Sentinels(boost::asio::io_context& io, const StoreOptions& options);
  ~Sentinels() { cancel(); }

  // Asks one after the other, from the one that answered last; at first from one that the run
  // chooses, so that not all gates ask the same. REQUIRES: nothing is being asked.
  void find(Done done);

  // What the one that answered last has named is of no use: the next is the first to be asked.
  void pass_over() { current_ = (current_ + 1) % options_.sentinels.size(); }

  bool asking() const { return done_ != nullptr; }

  void cancel();

 private:
  void ask(std::size_t tried);
  void answered(std::size_t tried, const Value* answer, const std::string& why);
  std::string nobody_names_it() const;

  boost::asio::io_context& io_;
  const StoreOptions& options_;
  std::size_t current_;
  std::vector<std::string> why_not_;  // What each has said last where it named none.
  std::shared_ptr<Inquiry> inquiry_;
  Done done_;
};

}  // namespace einlass::redis
