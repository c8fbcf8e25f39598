// A fleet's table in a Redis hash, with a stream of its last changes beside it:
//
//   <namespace>:quotas:{<namespace>}           the hash: text by key
//   <namespace>:quotas:{<namespace>}:changes   the stream: fields `key` and, unless it is out,
//   `text`
//
// Each gate looks at the stream every kLook, and reads the whole hash at the start, after each
// reconnection, where the stream has forgotten more than it had read, and every kWhole: so what
// somebody writes into the hash alone is seen too, if later. With each step through the hash it
// looks at the stream as well, so a large one far away delays no change.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/redis/client/store_options.h"
#include "adapters/redis/table/talk.h"
#include "units/fleet_table.h"

namespace einlass::redis {

// REQUIRES: used on the thread that runs `io`; outlived by `io` and `listener`.
class HashTable final : public FleetTable {
 public:
  static constexpr std::chrono::milliseconds kLook{200};
  static constexpr std::chrono::seconds kWhole{30};

  // Changes that the stream remembers, about.
  static constexpr int kRemembered = 10'000;

  // Begins to read. Of the options the store's number, run and targets are not used.
  HashTable(boost::asio::io_context& io, StoreOptions options, Listener& listener);
  ~HashTable() override;

  // Ends when Redis has it, and as many replicas as options.wait_replicas says.
  void write(const std::string& key, const std::optional<std::string>& text,
             Written written) override;

  // Ends as a write would now. Nothing is written, and nobody hears of it.
  void try_write(Written written);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace einlass::redis
