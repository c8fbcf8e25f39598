// One connection to the server over TCP, TLS or a Unix socket: bytes out, bytes in, and the reason
// of its end.
#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/tls.h"

namespace einlass::redis {

struct Endpoint {
  std::string host;  // With a slash in front: the path of a Unix socket.
  std::uint16_t port = 0;
  bool tls = false;
  net::TlsFiles tls_files;  // Read for each connection: what is renewed needs no restart.
  std::string server_name;  // What the certificate must be for.
};

// Owned by a shared_ptr, which the operations that are under way hold too.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Called from the loop, never from within a call to the connection.
  class Observer {
   public:
    virtual void opened() = 0;
    virtual void received(std::span<const char> bytes) = 0;
    virtual void lost(const std::string& why) = 0;  // The last call; `why` holds no secret.

   protected:
    ~Observer() = default;
  };

  // `observer` must live until lost() or close().
  Connection(boost::asio::io_context& io, Endpoint endpoint, Observer& observer);

  // Resolves, connects and, with TLS, verifies the server, all within `limit`. Of several addresses
  // the first that takes the connection counts, and each has its share of that time.
  void open(std::chrono::microseconds limit);

  // Ends it; the observer hears nothing more.
  void close();

  // As close(), and what the server has not got by now it never gets.
  void abandon();

  // What send() will send; append whole commands.
  std::string& out() { return out_; }

  // Writes out() in one piece, at once or when the piece before it is written. Copies nothing.
  void send();

 private:
  using Tcp = boost::asio::ip::tcp;
  using Any = boost::asio::generic::stream_protocol;  // TCP, or a Unix socket.
  using Error = boost::system::error_code;
  static constexpr std::size_t kReadBytes = 64 * 1024;

  void connect(std::vector<Any::endpoint> addresses);
  void try_address(std::size_t which);
  void limit_address(std::size_t which);
  void connected();
  void start_tls();
  void prepare_tls();
  void established();
  void read();
  void read_done(const Error& error, std::size_t size);
  void write_done(const Error& error);
  bool ended(const Error& error, const char* doing);
  void fail(const std::string& why);
  std::string tls_trouble(const Error& error);

  Endpoint endpoint_;
  Observer* observer_;  // Null once it is over.
  Tcp::resolver resolver_;
  Any::socket socket_;
  std::optional<boost::asio::ssl::context> tls_context_;
  std::optional<boost::asio::ssl::stream<Any::socket&>> tls_;
  boost::asio::steady_timer open_limit_, address_limit_;
  std::chrono::microseconds limit_{};
  std::vector<Any::endpoint> addresses_;
  std::optional<std::size_t> trying_;  // Which of them.
  bool established_ = false;
  bool writing_ = false;
  std::string out_, being_written_;
  std::array<char, kReadBytes> in_;
};

}  // namespace einlass::redis
