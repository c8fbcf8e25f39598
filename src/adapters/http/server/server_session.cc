#include "adapters/http/server/server_session.h"

#include <array>
#include <boost/asio/post.hpp>
#include <utility>

#include "adapters/http/server/response_writer.h"

namespace einlass::http {

using boost::system::error_code;

ServerSession::ServerSession(Socket socket, SessionOwner& owner)
    : owner_{owner},
      stream_{std::move(socket)},
      parser_{owner.options().max_header_bytes, owner.options().max_body_bytes},
      received_{RequestParser::buffer_bytes(owner.options().max_header_bytes)} {}

void ServerSession::start() {
  error_code ignored;
  stream_.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  owner_.request_deadlines().start(*this);
  if (auto tls = owner_.open_tls(stream_.socket().native_handle())) {
    stream_.start_tls(std::move(tls));
    phase_ = Phase::handshaking;
  }
  wait_read();
}

void ServerSession::wait_read() {
  if (waits_read_) return;
  waits_read_ = true;
  if (holds_more_) {
    return boost::asio::post(stream_.socket().get_executor(),
                             [self = shared_from_this()] { self->readable(); });
  }
  stream_.socket().async_wait(Socket::wait_read,
                              [self = shared_from_this()](error_code) { self->readable(); });
}

void ServerSession::readable() {
  waits_read_ = false;
  if (phase_ == Phase::handshaking) {
    handshake();
  } else if (phase_ == Phase::closing || open_body_) {
    throw_away();
  } else if (phase_ == Phase::open) {
    receive();
  }
  read_on();
}

void ServerSession::wait_write() {
  waits_write_ = true;
  stream_.socket().async_wait(Socket::wait_write, [self = shared_from_this()](error_code) {
    self->waits_write_ = false;
    if (self->phase_ == Phase::handshaking) {
      self->handshake();
    } else if (self->phase_ == Phase::open) {
      self->advance();
    } else {
      return;
    }
    self->read_on();
  });
}

// While an answer waits to be read, wait_write() goes on; while one is being made, answered().
void ServerSession::read_on() {
  if (phase_ != Phase::closed && !waits_write_ && !waits_answer_) wait_read();
}

IoResult ServerSession::read(std::span<char> room) {
  const IoResult result = stream_.read(room);
  holds_more_ = result.state == IoState::done && stream_.buffered();
  return result;
}

void ServerSession::handshake() {
  switch (stream_.handshake().state) {
    case IoState::done:
      phase_ = Phase::open;
      return receive();  // The first request may have come with it.
    case IoState::wait_read:
      return;
    case IoState::wait_write:
      return wait_write();
    default:
      return end();
  }
}

void ServerSession::receive() {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    const std::span<char> room = received_.room();
    const IoResult result = read(room);
    if (result.state == IoState::wait_read) return;
    if (result.state != IoState::done) return end();
    if (!parser_.started()) owner_.request_deadlines().start(*this);
    received_.added(result.bytes);
    advance();
    if (phase_ != Phase::open || waits_write_ || waits_answer_) return;
    if (result.bytes < room.size() && !holds_more_) return;  // Nothing more is there.
  }
}

// Answers what has come and sends the answers, until one of the two has to wait.
void ServerSession::advance() {
  bool more = true;
  while (more) {
    more = answer_received();
    if (!flush()) return;
    if (last_ && !open_body_) return close_gracefully();
  }
}

// False: all that has come is answered. True: there may be more, but first the answers must go.
bool ServerSession::answer_received() {
  while (!last_ && !waits_answer_ && !received_.unread().empty()) {
    if (unsent().size() > kMostUnsent) return true;
    switch (parser_.feed(received_)) {
      case Progress::more:
        if (parser_.take_continue()) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
        return false;
      case Progress::failed:
        refuse(parser_.refusal());
        return false;
      case Progress::done:
        answer_one();
    }
  }
  return false;
}

void ServerSession::answer_one() {
  waits_answer_ = asking_ = true;
  stop_watch();  // The client is not to blame for how long the answer takes.
  owner_.answer(parser_.request(), [self = shared_from_this()](const ServerResponse& response) {
    self->answered(response);
  });
  asking_ = false;
}

void ServerSession::answered(const ServerResponse& response) {
  if (phase_ != Phase::open || !waits_answer_) return;
  waits_answer_ = false;
  if (response.open_body && !parser_.is_head()) return open(response);
  last_ = !parser_.keep_alive();
  const std::string_view connection = last_ ? "close" : parser_.is_http10() ? "keep-alive" : "";
  write_response(response, parser_.is_head(), connection, out_);
  parser_.start();
  owner_.request_deadlines().start(*this);
  if (asking_) return;  // Whoever asked goes on.
  advance();
  read_on();
}

// It takes as long as it takes, so nobody watches over it but write_open().
void ServerSession::open(const ServerResponse& response) {
  open_body_ = last_ = true;
  write_response(response, false, "close", out_);
  response.open_body->to_ = [weak = weak_from_this()](std::string_view bytes) {
    const auto self = weak.lock();
    return self && self->write_open(bytes);
  };
  response.open_body->end_ = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->end_open();
  };
  if (asking_) return;
  advance();
  read_on();
}

bool ServerSession::write_open(std::string_view bytes) {
  if (phase_ != Phase::open) return false;
  if (unsent().size() > kMostUnsentOpen) {
    end();
    return false;
  }
  out_ += bytes;
  flush();
  return phase_ == Phase::open;
}

void ServerSession::end_open() {
  if (phase_ != Phase::open || !open_body_) return;
  open_body_ = false;
  owner_.request_deadlines().start(*this);  // Whoever does not read the rest goes without it.
  advance();
  read_on();
}

void ServerSession::refuse(unsigned status) {
  last_ = true;
  write_response(plain_response(status), false, "close", out_);
}

// False: the client has to read first, or the connection is gone.
bool ServerSession::flush() {
  while (!unsent().empty()) {
    const IoResult result = stream_.write(unsent());
    if (result.state == IoState::wait_write) {
      drop_sent();
      if (!waits_write_) wait_write();
      return false;
    }
    if (result.state != IoState::done) {
      end();
      return false;
    }
    sent_ += result.bytes;
  }
  sent_ = 0;
  if (out_.capacity() > 2 * kMostUnsent) std::string().swap(out_);
  out_.clear();
  return true;
}

// Behind a client that reads on and on, and never all, there is always something unsent.
void ServerSession::drop_sent() {
  if (sent_ < unsent().size()) return;  // Else more would be moved than was sent.
  out_.erase(0, sent_);
  sent_ = 0;
}

void ServerSession::close_gracefully() {
  stream_.end_writing();
  phase_ = Phase::closing;
  owner_.closing_deadlines().start(*this);
  throw_away();
}

void ServerSession::throw_away() {
  std::array<char, 16 * 1024> bytes;
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    const IoResult result = read(bytes);
    if (result.state == IoState::wait_read) return;
    if (result.state != IoState::done) return end();
  }
}

void ServerSession::expired() {
  const auto self = shared_from_this();
  const bool hears = phase_ == Phase::open && !last_ && unsent().empty() && parser_.started();
  if (!hears || owner_.is_full()) return end();
  owner_.request_deadlines().start(*this);  // Whoever does not read the refusal either goes too.
  refuse(408);
  if (flush()) close_gracefully();
}

void ServerSession::close() {
  open_body_ = false;
  stop_watch();
  phase_ = Phase::closed;
  stream_.close();
}

void ServerSession::end() {
  const auto self = shared_from_this();
  close();
  owner_.session_ended(*this);
}

}  // namespace einlass::http
