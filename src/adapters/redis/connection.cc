#include "adapters/redis/connection.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace einlass::redis {

namespace asio = boost::asio;

Connection::Connection(asio::io_context& io, Endpoint endpoint, Observer& observer)
    : endpoint_(std::move(endpoint)),
      observer_(&observer),
      resolver_(io),
      socket_(io),
      open_limit_(io) {}

void Connection::open(std::chrono::microseconds limit) {
  open_limit_.expires_after(limit);
  open_limit_.async_wait([self = shared_from_this(), limit](const Error& error) {
    if (error || self->established_) return;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
    self->fail("no connection within " + std::to_string(ms) + " ms");
  });
  resolver_.async_resolve(
      endpoint_.host, std::to_string(endpoint_.port),
      [self = shared_from_this()](const Error& error, const Tcp::resolver::results_type& found) {
        if (!self->ended(error, "cannot resolve the host name: ")) self->connect(found);
      });
}

void Connection::connect(const Tcp::resolver::results_type& endpoints) {
  asio::async_connect(socket_, endpoints,
                      [self = shared_from_this()](const Error& error, const Tcp::endpoint&) {
                        if (self->ended(error, "cannot connect: ")) return;
                        Error ignored;  // Only slower without.
                        self->socket_.set_option(Tcp::no_delay(true), ignored);
                        self->socket_.set_option(asio::socket_base::keep_alive(true), ignored);
                        self->endpoint_.tls ? self->start_tls() : self->established();
                      });
}

// The authorities are read for each connection, so that a renewed file needs no restart.
bool Connection::prepare_tls(std::string& why) {
  tls_context_.emplace(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls_context_->native_handle(), TLS1_2_VERSION);
  Error error;
  if (endpoint_.ca_file.empty()) {
    tls_context_->set_default_verify_paths(error);
  } else {
    tls_context_->load_verify_file(endpoint_.ca_file, error);
  }
  if (error) {
    why =
        "cannot read the certificate authorities in " + endpoint_.ca_file + ": " + error.message();
    return false;
  }
  tls_.emplace(socket_, *tls_context_);
  SSL* ssl = tls_->native_handle();
  SSL_set_verify(ssl, SSL_VERIFY_PEER, nullptr);
  const char* name = endpoint_.server_name.c_str();
  Error not_an_address;
  asio::ip::make_address(endpoint_.server_name, not_an_address);
  const bool set = not_an_address
                       ? SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1
                       : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
  if (!set) why = "'" + endpoint_.server_name + "' is no name that a certificate can be for";
  return set;
}

void Connection::start_tls() {
  std::string why;
  if (!prepare_tls(why)) return fail(why);
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

void Connection::write_done(const Error& error) {
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

void Connection::close() {
  observer_ = nullptr;
  resolver_.cancel();
  open_limit_.cancel();
  Error ignored;  // Closed is closed.
  socket_.close(ignored);
}

}  // namespace einlass::redis
