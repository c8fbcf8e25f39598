#include "adapters/redis/wire/connection.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/un.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>
#include <utility>

namespace einlass::redis {

namespace asio = boost::asio;

namespace {

// An address has at least so long, if the limit bears it: a server may be far away.
constexpr std::chrono::milliseconds kLeastOfAnAddress{250};

}  // namespace

Connection::Connection(asio::io_context& io, Endpoint endpoint, Observer& observer)
    : endpoint_(std::move(endpoint)),
      observer_(&observer),
      resolver_(io),
      socket_(io),
      open_limit_(io),
      address_limit_(io) {}

void Connection::open(std::chrono::microseconds limit) {
  limit_ = limit;
  open_limit_.expires_after(limit);
  open_limit_.async_wait([self = shared_from_this(), limit](const Error& error) {
    if (error || self->established_) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
    self->fail("no connection within " + std::to_string(ms) + " ms");
  });
  if (endpoint_.host.starts_with('/')) {
    if (endpoint_.host.size() >= sizeof(sockaddr_un::sun_path)) {
      return asio::post(resolver_.get_executor(), [self = shared_from_this()] {
        self->fail("the path of the Unix socket is too long");
      });
    }
    return connect({Any::endpoint(asio::local::stream_protocol::endpoint(endpoint_.host))});
  }
  // An address waits for nobody: the loop looks names up one after the other, and one may hang.
  Error no_address;
  const auto address = asio::ip::make_address(endpoint_.host, no_address);
  if (!no_address) return connect({Any::endpoint(Tcp::endpoint(address, endpoint_.port))});
  resolver_.async_resolve(
      endpoint_.host, std::to_string(endpoint_.port),
      [self = shared_from_this()](const Error& error, const Tcp::resolver::results_type& found) {
        if (self->ended(error, "cannot resolve the host name: ")) return;
        std::vector<Any::endpoint> endpoints;
        for (const auto& one : found) endpoints.emplace_back(one.endpoint());
        self->connect(std::move(endpoints));
      });
}

void Connection::connect(std::vector<Any::endpoint> addresses) {
  addresses_ = std::move(addresses);
  try_address(0);
}

void Connection::try_address(std::size_t which) {
  trying_ = which;
  socket_.async_connect(addresses_[which], [self = shared_from_this(), which](const Error& error) {
    self->trying_.reset();
    self->address_limit_.cancel();
    if (error && self->observer_ && which + 1 < self->addresses_.size()) {
      Error ignored;  // Closed is closed.
      self->socket_.close(ignored);
      return self->try_address(which + 1);
    }
    if (!self->ended(error, "cannot connect: ")) self->connected();
  });
  if (which + 1 < addresses_.size()) limit_address(which);
}

// One that says nothing must not take the time of those behind it.
void Connection::limit_address(std::size_t which) {
  const auto share = limit_ / static_cast<std::int64_t>(addresses_.size());
  address_limit_.expires_after(std::max<std::chrono::microseconds>(share, kLeastOfAnAddress));
  address_limit_.async_wait([self = shared_from_this(), which](const Error& error) {
    Error ignored;  // Closed is closed.
    if (!error && self->trying_ == which) self->socket_.close(ignored);
  });
}

void Connection::connected() {
  Error ignored;  // Only slower without; a Unix socket has neither.
  socket_.set_option(Tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  endpoint_.tls ? start_tls() : established();
}

void Connection::prepare_tls() {
  const net::TlsFiles& files = endpoint_.tls_files;
  net::SslContext context = net::new_ssl_context(TLS_client_method());
  net::trust(context.get(), files.ca);
  if (!files.certificate.empty()) {
    net::show_certificate(context.get(), files.certificate, files.key);
  }
  tls_context_.emplace(context.release());
  tls_.emplace(socket_, *tls_context_);
  SSL_set_verify(tls_->native_handle(), SSL_VERIFY_PEER, nullptr);
  net::expect_name(tls_->native_handle(), endpoint_.server_name);
}

void Connection::start_tls() {
  try {
    prepare_tls();
  } catch (const std::runtime_error& error) {
    return fail(error.what());
  }
  tls_->async_handshake(asio::ssl::stream_base::client,
                        [self = shared_from_this()](const Error& error) {
                          if (error) return self->fail(self->tls_trouble(error));
                          if (!self->ended(error, "")) self->established();
                        });
}

std::string Connection::tls_trouble(const Error& error) {
  const long verified = SSL_get_verify_result(tls_->native_handle());
  if (verified == X509_V_OK) return "TLS failed: " + error.message();
  return std::string("TLS: the server's certificate is not accepted: ") +
         X509_verify_cert_error_string(verified);
}

void Connection::established() {
  established_ = true;
  open_limit_.cancel();
  observer_->opened();
  if (observer_) read();
}

void Connection::read() {
  auto done = [self = shared_from_this()](const Error& error, std::size_t size) {
    self->read_done(error, size);
  };
  if (tls_) {
    tls_->async_read_some(asio::buffer(in_), std::move(done));
  } else {
    socket_.async_read_some(asio::buffer(in_), std::move(done));
  }
}

void Connection::read_done(const Error& error, std::size_t size) {
  if (ended(error, "")) return;
  observer_->received({in_.data(), size});
  if (observer_) read();
}

void Connection::send() {
  if (!established_ || writing_ || out_.empty()) return;
  writing_ = true;
  std::swap(out_, being_written_);
  out_.clear();
  auto done = [self = shared_from_this()](const Error& error, std::size_t) {
    self->write_done(error);
  };
  if (tls_) {
    asio::async_write(*tls_, asio::buffer(being_written_), std::move(done));
  } else {
    asio::async_write(socket_, asio::buffer(being_written_), std::move(done));
  }
}

// With TLS the reason may still be on its way in, as an alert: the read that is open brings it, or
// the end. Until then nothing more is written.
void Connection::write_done(const Error& error) {
  if (error && tls_) return;
  writing_ = false;
  if (!ended(error, "")) send();
}

bool Connection::ended(const Error& error, const char* doing) {
  if (!observer_) return true;
  if (!error) return false;
  const bool by_server = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
  fail(by_server ? "the server closed the connection" : doing + error.message());
  return true;
}

void Connection::fail(const std::string& why) {
  Observer* observer = observer_;
  if (!observer) return;
  close();
  observer->lost(why);
}

// The system would go on sending what is not acknowledged, perhaps long after what is said on the
// next connection.
void Connection::abandon() {
  Error ignored;  // Closed already; or a Unix socket, where nothing is on its way.
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  close();
}

void Connection::close() {
  observer_ = nullptr;
  resolver_.cancel();
  open_limit_.cancel();
  address_limit_.cancel();
  Error ignored;  // Closed is closed.
  socket_.close(ignored);
}

}  // namespace einlass::redis
