#include "adapters/kafka/client/wakeups.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace einlass::kafka {

namespace asio = boost::asio;

// Holds 16,384 keys, more than one for every queue that a gate can have. Should it ever be full,
// the key is lost and the owner's tick finds the queue.
struct Wakeups::Pipe : std::enable_shared_from_this<Pipe> {
  asio::posix::stream_descriptor reader;
  asio::steady_timer timer;
  std::function<void(Key)> fired;
  std::function<void()> tick;
  int writer = -1;
  bool closed = false;

  Pipe(asio::io_context& io, std::function<void(Key)> on_fired)
      : reader(io), timer(io), fired(std::move(on_fired)) {
    int ends[2];
    if (::pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "kafka: pipe");
    }
    reader.assign(ends[0]);
    writer = ends[1];
  }

  ~Pipe() { ::close(writer); }

  void wait() {
    reader.async_wait(asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](const boost::system::error_code& error) {
                        if (error || self->closed) return;
                        self->read();
                        self->wait();
                      });
  }

  void read() {
    std::array<Key, 512> keys;
    ssize_t size = 0;
    do {
      size = ::read(reader.native_handle(), keys.data(), sizeof keys);
      const std::size_t count = size > 0 ? static_cast<std::size_t>(size) / sizeof(Key) : 0;
      for (std::size_t i = 0; i < count; ++i) fired(keys[i]);
    } while (size == static_cast<ssize_t>(sizeof keys));
  }

  void wait_tick(Duration period) {
    timer.expires_after(std::chrono::microseconds(period.us));
    timer.async_wait([self = shared_from_this(), period](const boost::system::error_code& error) {
      if (error || self->closed) return;
      self->tick();
      self->wait_tick(period);
    });
  }
};

Wakeups::Wakeups(asio::io_context& io, std::function<void(Key)> fired)
    : pipe_(std::make_shared<Pipe>(io, std::move(fired))) {
  pipe_->wait();
}

Wakeups::~Wakeups() {
  pipe_->closed = true;
  boost::system::error_code ignored;
  pipe_->reader.close(ignored);
  pipe_->timer.cancel();
}

void Wakeups::watch(rd_kafka_queue_t* queue, Key key) {
  rd_kafka_queue_io_event_enable(queue, pipe_->writer, &key, sizeof key);
}

void Wakeups::unwatch(rd_kafka_queue_t* queue) {
  rd_kafka_queue_io_event_enable(queue, -1, nullptr, 0);
}

void Wakeups::tick_every(Duration period, std::function<void()> tick) {
  pipe_->tick = std::move(tick);
  pipe_->wait_tick(period);
}

}  // namespace einlass::kafka
