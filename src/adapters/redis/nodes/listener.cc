#include "adapters/redis/nodes/listener.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/nodes/node.h"
#include "adapters/redis/wire/resp.h"

namespace einlass::redis {
namespace {

constexpr std::chrono::seconds kFirstDelay{1}, kLongestDelay{30}, kLongestOpening{5};

// A connection that is silent may be gone without a word, as after a firewall has forgotten it.
constexpr std::chrono::seconds kSilenceBeforePing{10}, kLongestSilence{20};

}  // namespace

Listener::Listener(boost::asio::io_context& io, const StoreOptions& options, std::string channel,
                   Heard heard)
    : io_(io),
      options_(options),
      channel_(std::move(channel)),
      heard_(std::move(heard)),
      delay_(kFirstDelay) {}

void Listener::listen_to(const Address& server, Steady::time_point now) {
  if (server != server_) hang_up();
  if (connection_) return watch_silence(now);
  if (now >= connect_at_) connect(server, now);
}

void Listener::hang_up() {
  if (connection_) connection_->close();
  connection_.reset();
  listening_ = false;
  connect_at_ = {};
  delay_ = kFirstDelay;
}

void Listener::connect(const Address& server, Steady::time_point now) {
  server_ = server;
  last_read_ = now;
  pinged_ = false;
  reader_ = std::make_unique<ValueReader>();
  Connection::Observer& observer = *this;
  connection_ = std::make_shared<Connection>(io_, endpoint(options_, server), observer);
  connection_->open(kLongestOpening);
}

void Listener::watch_silence(Steady::time_point now) {
  const auto silence = now - last_read_;
  if (silence > kLongestSilence) return end(listening_ ? "" : "no answer within 20 s");
  if (silence < kSilenceBeforePing || std::exchange(pinged_, true)) return;
  const std::string_view ping[] = {"PING"};
  append_command(connection_->out(), ping);
  connection_->send();
}

void Listener::opened() {
  connection_->out().clear();  // A PING may not come before the login.
  password_ = append_login(connection_->out(), options_.login);
  const std::string_view subscribe[] = {"SUBSCRIBE", channel_};
  append_command(connection_->out(), subscribe);
  connection_->send();
}

void Listener::received(std::span<const char> bytes) {
  last_read_ = Steady::now();
  pinged_ = false;
  reader_->feed(bytes);
  while (connection_) {
    const ValueReader::Result result = reader_->next();
    if (result == ValueReader::Result::more_needed) return;
    if (result == ValueReader::Result::broken) return end("it does not speak Redis' protocol");
    take(reader_->value());
  }
}

// The answers to the login and to PING say nothing more than that the server is there.
void Listener::take(const Value& value) {
  if (value.kind == Value::Kind::error) return end(harmless(value.text, password_));
  if (!value.is_array_of(3)) return;
  const std::string& what = value.elements.front().text;
  if (what != "subscribe" && what != "message") return;
  listening_ = true;
  delay_ = kFirstDelay;
  heard_("");
}

void Listener::lost(const std::string& why) { end(listening_ ? "" : why); }

void Listener::end(const std::string& in_vain) {
  connection_->close();
  connection_.reset();
  listening_ = false;
  connect_at_ = Steady::now() + delay_;
  delay_ = std::min<Steady::duration>(2 * delay_, kLongestDelay);
  heard_(in_vain);
}

}  // namespace einlass::redis
