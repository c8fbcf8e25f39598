#include "adapters/http/client/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "adapters/http/wire/words.h"
#include "units/check.h"

namespace einlass::http {

using boost::system::error_code;

namespace {

// This process, or its machine, can open no socket: no address is to blame, nor any record.
bool is_without_socket(error_code error) {
  namespace errc = boost::system::errc;
  return error == errc::too_many_files_open || error == errc::too_many_files_open_in_system ||
         error == errc::no_buffer_space || error == errc::not_enough_memory;
}

}  // namespace

void Connection::begin(Exchange exchange, SteadyTime now) {
  exchange_ = exchange;
  last_used_ = now;
  response_.start(/*bodyless=*/false, settings_.kept_body);
  if (phase_ != Phase::idle) return;
  phase_ = Phase::sending;
  send();
}

void Connection::connect(const std::vector<Endpoint>& addresses) {
  CHECK(phase_ == Phase::resolving);
  phase_ = Phase::connecting;
  addresses_.assign(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                               addresses.size(), kMostAddresses)));
  connect_next();
}

void Connection::connect_next() {
  stream_.socket().async_connect(addresses_[next_address_],
                                 [self = shared_from_this()](error_code error) {
                                   if (self->phase_ != Phase::closed) self->connected(error);
                                 });
}

void Connection::connected(error_code error) {
  if (is_without_socket(error)) return refuse("no socket to connect with: " + in_words(error));
  if (error) {
    const Endpoint address = addresses_[next_address_++];
    owner_.connect_failed(address);
    stream_.close();
    if (next_address_ < addresses_.size()) return connect_next();
    const std::string who = settings_.proxy.empty() ? " (" : " (proxy ";
    return fail(in_words(error) + who + in_words(address) + ")");
  }
  error_code ignored;
  stream_.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (settings_.tunnel.empty()) {
    secure();
  } else {
    phase_ = Phase::tunneling;
    response_.start(/*bodyless=*/true);
    open_tunnel();
  }
  if (phase_ != Phase::closed) wait_read();
}

void Connection::open_tunnel() {
  while (tunnel_sent_ < settings_.tunnel.size()) {
    const auto unsent = std::string_view(settings_.tunnel).substr(tunnel_sent_);
    const IoResult result = stream_.write(unsent);
    if (result.state == IoState::wait_write) return wait_write();
    if (result.state != IoState::done) return fail_stream();
    tunnel_sent_ += result.bytes;
  }
}

// Only the head of the answer is the proxy's: what comes behind it is the server's, which says
// nothing before it is spoken to.
void Connection::tunnel_answered() {
  const std::string who = hop_in_words();
  const IoResult result = stream_.read(received_.room());
  if (result.state == IoState::wait_read) return;
  if (result.state == IoState::closed) return fail("connection closed by the proxy" + who);
  if (result.state != IoState::done) return fail_stream();
  received_.added(result.bytes);
  const auto progress = response_.feed(received_);
  if (progress == Progress::more) return;
  if (progress == Progress::failed) return fail(response_.trouble() + who);
  const unsigned status = response_.status();
  if (status / 100 != 2) {
    Answer answer{.status = 0, .retry_after = {}, .trouble = {}};
    answer.trouble = "the proxy refuses the way: status " + std::to_string(status) + who;
    answer.needs_repair = status / 100 == 4;
    reusable_ = false;
    return tell(answer);
  }
  if (!received_.unread().empty()) return fail("the proxy says more than it was asked" + who);
  response_.start(/*bodyless=*/false, settings_.kept_body);
  secure();
}

void Connection::secure() {
  if (settings_.tls != nullptr) {
    stream_.start_tls(settings_.tls->open(stream_.socket().native_handle(), settings_.server_name));
  }
  phase_ = Phase::handshaking;
  handshake();
}

void Connection::handshake() {
  switch (stream_.handshake().state) {
    case IoState::done:
      phase_ = Phase::sending;
      if (!owner_.established(*this)) return;
      return send();
    case IoState::wait_read:
      return;
    case IoState::wait_write:
      return wait_write();
    case IoState::closed:
      return fail("connection closed in the TLS handshake (" + settings_.peer + ")");
    case IoState::failed:
      return fail_stream();
  }
}

void Connection::send() {
  while (!request_.unsent().empty()) {
    const IoResult result = stream_.write(request_.unsent());
    if (result.state == IoState::wait_read) return;
    if (result.state == IoState::wait_write) return wait_write();
    if (result.state != IoState::done) return send_failed();
    request_.sent(result.bytes);
  }
  phase_ = Phase::receiving;
}

// The server may have answered before it hung up, so what it sent is still read. Not from here:
// the owner may be in the middle of begin().
void Connection::send_failed() {
  reusable_ = false;
  phase_ = Phase::receiving;
  const auto trouble = stream_.reason();
  boost::asio::post(stream_.socket().get_executor(), [self = shared_from_this(), trouble] {
    if (self->phase_ == Phase::receiving) self->receive();
    if (self->phase_ == Phase::receiving) self->fail(trouble + " (" + self->settings_.peer + ")");
  });
}

void Connection::receive() {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    const std::span<char> room = received_.room();
    const IoResult result = stream_.read(room);
    if (result.state == IoState::wait_read) return;
    if (result.state == IoState::wait_write) return wait_write();
    if (result.state == IoState::closed) return receive_end();
    if (result.state == IoState::failed) return fail_stream();
    received_.added(result.bytes);
    const auto progress = response_.feed(received_);
    if (progress == Progress::failed) return fail(response_.trouble());
    if (progress == Progress::done) return ended();
    // A short read has emptied the socket: asking again would only be told to wait.
    if (result.bytes < room.size() && !stream_.buffered()) return;
  }
  if (stream_.buffered()) receive_on();
}

// What TLS holds the socket would not tell of again.
void Connection::receive_on() {
  if (std::exchange(receives_on_, true)) return;
  boost::asio::post(stream_.socket().get_executor(), [self = shared_from_this()] {
    self->receives_on_ = false;
    if (self->phase_ == Phase::sending || self->phase_ == Phase::receiving) self->receive();
  });
}

void Connection::receive_end() {
  reusable_ = false;
  if (response_.end_of_stream() == Progress::done) return ended(true);
  fail(response_.trouble());
}

// An answer is complete. The connection can be used again if both sides know where they stand.
void Connection::ended(bool with_connection) {
  reusable_ = reusable_ && response_.keep_alive() && response_.status() != 101 &&
              request_.unsent().empty() && received_.unread().empty();
  if (reusable_ && stream_.buffered()) reusable_ = is_quiet();
  Answer answer{.status = response_.status(), .retry_after = {}, .trouble = {}};
  answer.body = response_.body();
  answer.location = response_.location();
  answer.ends_with_connection = with_connection;
  answer.shown_certificate = stream_.shown_certificate();
  if (response_.has_retry_after()) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    answer.retry_after = response_.retry_after(
        Instant{std::chrono::duration_cast<std::chrono::microseconds>(now).count()});
  }
  tell(answer);
}

void Connection::fail(std::string trouble) {
  reusable_ = false;
  tell(Answer{.status = 0, .retry_after = {}, .trouble = std::move(trouble)});
}

void Connection::unresolvable(const std::string& trouble, bool are_refused) {
  reusable_ = false;
  Answer answer{.status = 0, .retry_after = {}, .trouble = trouble};
  answer.is_forbidden = are_refused;
  tell(answer);
}

// Who is spoken to until there is a way to the server, in words.
std::string Connection::hop_in_words() const {
  return settings_.proxy.empty() ? " (" + settings_.peer + ")" : " (proxy " + settings_.proxy + ")";
}

void Connection::fail_stream() {
  reusable_ = false;
  Answer answer{.status = 0, .retry_after = {}, .trouble = {}};
  const std::string server = " (" + settings_.peer + ")";
  answer.trouble = stream_.reason() + (phase_ == Phase::tunneling ? hop_in_words() : server);
  answer.needs_repair = stream_.is_refused();
  answer.shown_certificate = stream_.shown_certificate();
  tell(answer);
}

void Connection::tell(const Answer& answer) {
  stop_watch();
  if (reusable_) {
    request_.done();
    phase_ = Phase::idle;
    last_used_ = std::max(last_used_, std::chrono::steady_clock::now());
    return owner_.exchange_ended(*this, answer);
  }
  const auto self =
      shared_from_this();  // The owner forgets it, and it must not go before we return.
  close();
  owner_.exchange_ended(*this, answer);
}

void Connection::refuse(const std::string& trouble) {
  reusable_ = false;
  Answer answer{.status = 0, .retry_after = {}, .trouble = {}};
  answer.trouble = trouble + " (" + settings_.peer + ")";
  answer.needs_repair = true;
  tell(answer);
}

Stream Connection::give_stream() {
  Stream given = std::move(stream_);
  close();
  return given;
}

void Connection::close() {
  stop_watch();
  phase_ = Phase::closed;
  stream_.close();
}

void Connection::expired() {
  const std::string time = " within " + settings_.timeout;
  const std::string within = time + " (" + settings_.peer + ")";
  switch (phase_) {
    case Phase::resolving:
      return fail("no address" + time + hop_in_words());
    case Phase::connecting:
      owner_.connect_failed(addresses_[next_address_]);
      return fail("no connection" + time + hop_in_words());
    case Phase::tunneling:
      return fail("no answer of the proxy " + settings_.proxy + within);
    case Phase::handshaking:
      // As silent as one that is not there; behind a proxy it is not that address which is.
      if (settings_.tunnel.empty()) owner_.connect_failed(addresses_[next_address_]);
      return fail("no TLS handshake" + within);
    default:
      return fail("no answer" + within);
  }
}

// Whether the server has nothing to say that nobody asked for, and has not hung up.
bool Connection::is_quiet() { return stream_.read(received_.room()).state == IoState::wait_read; }

void Connection::wait_read() {
  stream_.socket().async_wait(Socket::wait_read, [self = shared_from_this()](error_code) {
    if (self->phase_ == Phase::closed) return;
    self->readable();
    if (self->phase_ != Phase::closed) self->wait_read();
  });
}

void Connection::readable() {
  if (phase_ == Phase::tunneling) return tunnel_answered();
  if (phase_ == Phase::handshaking) return handshake();
  if (phase_ == Phase::idle) {
    if (is_quiet()) return;
    close();
    return owner_.idle_closed(*this);
  }
  // TLS may have to read before it can write; and an answer may come before all is sent.
  if (phase_ == Phase::sending && !waits_write_) send();
  if (phase_ == Phase::sending || phase_ == Phase::receiving) receive();
}

void Connection::wait_write() {
  if (waits_write_) return;
  waits_write_ = true;
  stream_.socket().async_wait(Socket::wait_write, [self = shared_from_this()](error_code) {
    self->waits_write_ = false;
    if (self->phase_ == Phase::tunneling) self->open_tunnel();
    if (self->phase_ == Phase::handshaking) self->handshake();
    if (self->phase_ == Phase::sending) self->send();
    if (self->phase_ == Phase::receiving) self->receive();
  });
}

}  // namespace einlass::http
