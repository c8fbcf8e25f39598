#include "whole_gate/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace einlass::whole {
namespace {

// How long until a full buffer is tried again.
constexpr Micros kLookAgain = 500;

constexpr int kSmallPieces = 16;

using Room = std::array<char, 32'768>;

}  // namespace

Wire::~Wire() {
  if (server_end_ >= 0) ::close(server_end_);
}

void Wire::say(std::string_view bytes) {
  if (!is_open() || bytes.empty()) return;
  said_ += bytes.size();
  put(down_, bytes);
}

void Wire::when_arrived(std::function<void()> then) {
  awaited_.emplace_back(said_, std::move(then));
}

void Wire::finish() {
  if (!is_open()) return;
  ending_ = true;
  down_.pieces.emplace_back();
  move(down_, delay());
}

void Wire::cut() {
  if (!is_open()) return;
  kernel_.trace("wire " + std::to_string(number_) + " is cut");
  close_server_end();
}

// What is said in many small pieces would take as many turns: after some it goes in large ones.
void Wire::put(Way& way, std::string_view bytes) {
  std::size_t longest = weather_.longest_piece;
  for (int pieces = 1; !bytes.empty(); ++pieces) {
    if (pieces % kSmallPieces == 0) longest *= 8;
    const std::size_t most = std::min(longest, bytes.size());
    const bool all = most == bytes.size() && !kernel_.one_in(4);
    const std::size_t length = all ? most : 1 + static_cast<std::size_t>(kernel_.dice(most));
    way.pieces.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  move(way, delay());
}

void Wire::move(Way& way, Micros after) {
  if (std::exchange(way.moving, true)) return;
  const Micros when = std::max(kernel_.now() + after, stalled_until_);
  kernel_.at(when, [wire = weak_from_this(), &way] {
    if (const auto self = wire.lock()) self->move_on(way);
  });
}

void Wire::move_on(Way& way) {
  way.moving = false;
  if (!is_open()) return;
  if (stalled_until_ > kernel_.now()) return move(way, 0);
  if (!arrive(way)) return move(way, kLookAgain);
  if (is_open() && !way.pieces.empty()) {
    move(way, weather_.most_gap == 0 ? 0 : kernel_.between(0, weather_.most_gap));
  }
}

// Whether all of the first piece has arrived.
bool Wire::arrive(Way& way) {
  std::string piece = std::move(way.pieces.front());
  way.pieces.pop_front();
  if (&way == &up_) {
    if (peer_) peer_->received(piece);
    return true;
  }
  if (piece.empty()) {
    close_server_end();
    return true;
  }
  if (push_out(piece)) return true;
  if (is_open()) way.pieces.push_front(std::move(piece));
  return !is_open();
}

// Leaves what there is no room for.
bool Wire::push_out(std::string& piece) {
  while (!piece.empty()) {
    const ssize_t n = ::send(server_end_, piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return false;
    if (n < 0) {
      close_server_end();
      return false;
    }
    arrived_ += static_cast<std::uint64_t>(n);
    while (!awaited_.empty() && awaited_.front().first <= arrived_) {
      const auto then = std::move(awaited_.front().second);
      awaited_.pop_front();
      then();
    }
    piece.erase(0, static_cast<std::size_t>(n));
  }
  return true;
}

void Wire::carry() {
  if (!is_open() || connecting_) return;
  Room room;
  for (;;) {
    const ssize_t n = ::recv(server_end_, room.data(), room.size(), MSG_DONTWAIT);
    if (n > 0) {
      put(up_, {room.data(), static_cast<std::size_t>(n)});
      continue;
    }
    // What it had said before it closed still arrives, as far as the world is concerned at once.
    if (n == 0 || errno != EAGAIN) {
      while (is_open() && !up_.pieces.empty()) arrive(up_);
      close_server_end();
    }
    return;
  }
}

void Wire::close_server_end() {
  if (!is_open()) return;
  ::close(std::exchange(server_end_, -1));
  up_.pieces.clear();
  down_.pieces.clear();
}

void Wire::begin_connecting() {
  connecting_ = true;
  static const Room filling{};
  while (::send(gate_end_, filling.data(), filling.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
}

void Wire::end_connecting(int error) {
  if (!std::exchange(connecting_, false) || !is_open()) return;
  error_ = error;
  Room room;
  while (::recv(server_end_, room.data(), room.size(), MSG_DONTWAIT) > 0) {
  }
  if (error != 0) close_server_end();
}

int Wire::take_error() { return std::exchange(error_, 0); }

}  // namespace einlass::whole
