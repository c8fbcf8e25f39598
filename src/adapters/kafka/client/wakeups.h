// Wakes the loop when one of librdkafka's queues is no longer empty, and says which.
//
// librdkafka writes a few bytes of our choice to a descriptor when a queue goes from empty to not
// empty, and not again before that queue was read. The bytes are the queue's key, and all queues
// share one pipe: one descriptor to wait for and one read for any number of queues.
#pragma once

#include <librdkafka/rdkafka.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "units/time.h"

namespace einlass::kafka {

// REQUIRES: used on the thread that runs `io`.
class Wakeups {
 public:
  using Key = std::uint32_t;

  // `fired` is called from `io` with the key of each queue that is no longer empty. A key may come
  // once too often, and for a queue that is not watched any more.
  // Throws std::system_error if no pipe can be had.
  Wakeups(boost::asio::io_context& io, std::function<void(Key)> fired);

  // REQUIRES: no queue is watched: librdkafka would write to whoever has the descriptor next.
  ~Wakeups();
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  // Says nothing of what the queue holds already: read it once until it is empty.
  void watch(rd_kafka_queue_t* queue, Key key);
  static void unwatch(rd_kafka_queue_t* queue);

  // Calls `tick` from `io` again and again.
  void tick_every(Duration period, std::function<void()> tick);

 private:
  struct Pipe;
  std::shared_ptr<Pipe> pipe_;  // Shared with the waits that `io` holds.
};

}  // namespace einlass::kafka
