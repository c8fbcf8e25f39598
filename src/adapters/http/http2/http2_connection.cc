#include "adapters/http/http2/http2_connection.h"

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "adapters/http/client/retry_after.h"

namespace einlass::http {

using boost::system::error_code;

void Http2Connection::start() {
  wait_read();
  flush_soon();
}

void Http2Connection::begin(Http2Exchange& exchange, SteadyTime now) {
  exchange.connection = this;
  session_.begin(exchange);
  if (session_.exchanges().size() == 1) watch(now);
  flush_soon();
}

void Http2Connection::cancel(Http2Exchange& exchange) {
  session_.cancel(exchange);
  if (++late_ >= kMostLate) retire();
  flush_soon();
  if (!session_.exchanges().empty()) return;
  // Where it has not answered for so long, the next exchange would only run into the same.
  is_dead_ = asked_for_life_;
  watch(std::chrono::steady_clock::now());
}

// A sign of life has come, or the connection has become busy or idle.
void Http2Connection::watch(SteadyTime now) {
  asked_for_life_ = false;
  const bool is_idle = session_.exchanges().empty();
  if (!is_idle) {
    settings_.silence.start(*this, now);
  } else if (!watched_idle_) {
    settings_.idle.start(*this, now);
  }
  watched_idle_ = is_idle;
}

void Http2Connection::expired() {
  const auto self = shared_from_this();
  if (watched_idle_) return end("idle");
  if (session_.exchanges().empty()) return watch(std::chrono::steady_clock::now());
  if (asked_for_life_) return end("nothing heard within " + settings_.connections.timeout);
  asked_for_life_ = true;
  session_.ping();
  settings_.silence.start(*this);
  flush_soon();
}

void Http2Connection::retire() {
  // Told again and again while something is under way, it is not to be looked at each time.
  const bool is_news = !std::exchange(is_retired_, true);
  if (is_news || session_.exchanges().empty()) flush_soon();
}

void Http2Connection::flush_soon() {
  if (flushes_) return;
  flushes_ = true;
  boost::asio::post(stream_.socket().get_executor(), [self = shared_from_this()] {
    self->flushes_ = false;
    if (!self->closed_) self->flush();
  });
}

void Http2Connection::flush() {
  if (is_dead_) return end("connection dead");
  if (is_retired_ && session_.exchanges().empty()) return end("retired");
  if (waits_write_ || reads_on_) return;
  bool goes_on = true;
  do {
    if (!write()) return;
    out_.clear();
    sent_ = 0;
    goes_on = session_.produce(out_, kMostUnsent);
  } while (!out_.empty());
  if (!goes_on) return end(session_.trouble(), session_.may_be_over_one());
  if (session_.is_over()) return end("connection closed");
  owner_.room_changed(*this);
}

// True if all that was rendered is written.
bool Http2Connection::write() {
  while (sent_ < out_.size()) {
    const IoResult result = stream_.write(std::string_view(out_).substr(sent_));
    switch (result.state) {
      case IoState::done:
        sent_ += result.bytes;
        break;
      case IoState::wait_read:
        return false;  // Reading goes on in any case, and writing after it.
      case IoState::wait_write:
        wait_write();
        return false;
      default:
        write_failed();
        return false;
    }
  }
  return true;
}

// The server may have answered, or said why it leaves, before it hung up, so what it sent is still
// read.
void Http2Connection::write_failed() {
  needs_repair_ = stream_.is_refused();
  const std::string trouble = stream_.reason();
  receive();
  if (closed_) return;
  const std::string farewell = session_.farewell();
  end(farewell.empty() ? trouble : farewell, kCut);
}

// False if the socket tells of what comes next. It would not of what TLS holds already.
bool Http2Connection::receive() {
  std::array<char, 16 * 1024> bytes;
  bool more = true;
  std::size_t taken = 0;
  for (int reads = 0; more && reads < kReadsPerTurn && taken < kBytesPerTurn; ++reads) {
    const IoResult result = stream_.read(bytes);
    if (result.state == IoState::wait_write) wait_write();
    more = result.state == IoState::done;
    if (result.state == IoState::closed) end_of_stream();
    if (result.state == IoState::failed) end_broken();
    if (closed_ || !more) break;
    taken += result.bytes;
    const bool goes_on = session_.receive({bytes.data(), result.bytes});
    watch(std::chrono::steady_clock::now());
    if (!goes_on) end(session_.trouble(), session_.may_be_over_one());
    // A short read has emptied the socket: asking again would only be told to wait.
    more = goes_on && (result.bytes == bytes.size() || stream_.buffered());
  }
  return more && stream_.buffered();
}

void Http2Connection::end_of_stream() {
  const std::string farewell = session_.farewell();
  if (!farewell.empty()) return end(farewell);
  end(session_.most_streams() ? "connection closed without an answer"
                              : "connection closed before a word of HTTP/2",
      kCut);
}

void Http2Connection::end_broken() {
  needs_repair_ = stream_.is_refused();
  const std::string farewell = session_.farewell();  // A cut after it says less.
  end(farewell.empty() ? stream_.reason() : farewell, kCut);
}

void Http2Connection::end(const std::string& trouble, bool cut) {
  session_.fail_all(trouble + " (" + settings_.connections.peer + ")", cut);
  close();
  owner_.closed(*this);
}

void Http2Connection::close() {
  stop_watch();
  closed_ = true;
  // Goodbye, if it can be said without waiting, and not in the middle of another word.
  if (sent_ == out_.size()) {
    session_.end();
    out_.clear();
    session_.produce(out_, kMostUnsent);
    stream_.write(out_);
  }
  stream_.close();
}

void Http2Connection::answered(Http2Exchange& exchange) {
  if (closed_) return;
  late_ = 0;
  Answer answer{.status = exchange.status, .retry_after = {}, .trouble = {}};
  answer.body = exchange.body;
  answer.location = exchange.location;
  answer.shown_certificate = stream_.shown_certificate();
  if (!exchange.retry_after.view().empty()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    answer.retry_after = parse_retry_after(
        exchange.retry_after.view(), exchange.date.view(),
        Instant{std::chrono::duration_cast<std::chrono::microseconds>(now).count()});
  }
  owner_.ended(exchange, answer);
}

void Http2Connection::unanswered(Http2Exchange& exchange, Why why) {
  if (closed_) return;
  if (why == Why::untouched) return owner_.untouched(exchange);
  Answer answer{.status = 0, .retry_after = {}, .trouble = exchange.trouble};
  answer.needs_repair = needs_repair_;
  answer.is_too_large = exchange.is_too_large;
  answer.shown_certificate = stream_.shown_certificate();
  if (why == Why::connection) return owner_.ended_with_connection(exchange, answer);
  owner_.ended(exchange, answer);
}

void Http2Connection::wait_read() {
  stream_.socket().async_wait(Socket::wait_read,
                              [self = shared_from_this()](error_code) { self->read_on(); });
}

void Http2Connection::read_on() {
  if (closed_) return;
  reads_on_ = receive();
  if (closed_) return;
  if (!reads_on_) {
    flush_soon();
    return wait_read();
  }
  boost::asio::post(stream_.socket().get_executor(),
                    [self = shared_from_this()] { self->read_on(); });
}

void Http2Connection::wait_write() {
  if (waits_write_) return;
  waits_write_ = true;
  stream_.socket().async_wait(Socket::wait_write, [self = shared_from_this()](error_code) {
    self->waits_write_ = false;
    if (!self->closed_) self->flush();
  });
}

}  // namespace einlass::http
