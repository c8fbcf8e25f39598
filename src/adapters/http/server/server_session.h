// One connection to the server: requests in, answers out, in order. While an answer is being made,
// or waits for the client to read it, nothing more is read.
//
//   handshaking -> open -> closing -> closed
//
// Without TLS it begins as open.
// In `closing` the last answer is out and our side is shut, but what the client still sends is read
// and thrown away for a moment. To close at once would reset the connection and could take the
// answer with it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "adapters/http/server/request_parser.h"
#include "adapters/http/server/server.h"
#include "adapters/http/wire/deadlines.h"
#include "adapters/http/wire/receive_buffer.h"
#include "adapters/http/wire/stream.h"

namespace einlass::http {

class ServerSession;

// Whom a session works for, and what all its sessions share.
class SessionOwner {
 public:
  virtual const ServerOptions& options() const = 0;
  virtual void answer(const ServerRequest& request, Server::Respond respond) = 0;
  // No other session can begin while none ends.
  virtual bool is_full() const = 0;

  virtual Deadlines& request_deadlines() = 0;
  virtual Deadlines& closing_deadlines() = 0;

  // The server's side of TLS on that socket; null where there is none.
  virtual std::unique_ptr<TlsSession> open_tls(int socket) = 0;

  // It is closed and may be forgotten.
  virtual void session_ended(ServerSession& session) = 0;

 protected:
  ~SessionOwner() = default;
};

class ServerSession final : public std::enable_shared_from_this<ServerSession>, public Timed {
 public:
  // REQUIRES: `owner` outlives it while it is not closed.
  ServerSession(Socket socket, SessionOwner& owner);

  void start();

  // Ends everything; the owner hears nothing more.
  void close();

  void expired() override;

  // In the owner's list; the owner's alone.
  std::size_t index = 0;

 private:
  enum class Phase : std::uint8_t { handshaking, open, closing, closed };
  static constexpr int kReadsPerTurn = 16;               // Then others have their turn.
  static constexpr std::size_t kMostUnsent = 64 * 1024;  // More requests then have to wait.
  // Of an open body: whoever has not read so much is too slow for it.
  static constexpr std::size_t kMostUnsentOpen = 1024 * 1024;

  void wait_read();
  void wait_write();
  void read_on();
  void readable();
  IoResult read(std::span<char> room);
  void handshake();
  void receive();
  void advance();
  bool answer_received();
  void answer_one();
  void answered(const ServerResponse& response);
  void open(const ServerResponse& response);
  bool write_open(std::string_view bytes);
  void end_open();
  void refuse(unsigned status);
  bool flush();
  void drop_sent();
  void close_gracefully();
  void throw_away();
  void end();
  std::string_view unsent() const { return std::string_view(out_).substr(sent_); }

  SessionOwner& owner_;
  Stream stream_;
  Phase phase_ = Phase::open;
  bool last_ = false;        // No request will be read after the answers in out_.
  bool holds_more_ = false;  // TLS has bytes that the socket will not tell of.
  bool waits_read_ = false;  // For the socket to be readable.
  bool waits_write_ = false;
  bool waits_answer_ = false;
  bool open_body_ = false;  // The last answer goes on; what the client sends is thrown away.
  bool asking_ = false;     // Inside the owner's answer(), which may answer at once.
  RequestParser parser_;
  ReceiveBuffer received_;
  std::string out_;
  std::size_t sent_ = 0;
};

}  // namespace einlass::http
