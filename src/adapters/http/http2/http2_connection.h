// One HTTP/2 connection to a target, from when it stands until it is closed: the socket under an
// Http2Session, and the watch over it.
//
// What is begun or cancelled in one turn of the loop is written together at the end of it. A
// connection that is silent for half the timeout while exchanges are open is asked for a sign of
// life (PING), and is closed if none comes by the whole timeout. One without exchanges is closed
// after kHttp2Idle. One that gives signs of life and answers nothing takes no more: whoever hangs
// behind the address that several share would keep everything.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/client/answer.h"
#include "adapters/http/client/connection.h"
#include "adapters/http/http2/http2_session.h"
#include "adapters/http/wire/deadlines.h"
#include "adapters/http/wire/stream.h"

namespace einlass::http {

inline constexpr Duration kHttp2Idle = Duration::seconds(60);

// Whom a connection works for.
class Http2ConnectionOwner {
 public:
  // The exchange has ended; the connection knows it no more.
  virtual void ended(Http2Exchange& exchange, const Answer& answer) = 0;

  // The same, but the server has surely not looked at the request: it may be begun elsewhere.
  virtual void untouched(Http2Exchange& exchange) = 0;

  // The server ended the connection and gave a reason, which this exchange may be.
  virtual void ended_with_connection(Http2Exchange& exchange, const Answer& answer) = 0;

  // There may be room for more exchanges now, or none any more.
  virtual void room_changed(Http2Connection& connection) = 0;

  // It is closed and may be forgotten.
  virtual void closed(Http2Connection& connection) = 0;

 protected:
  ~Http2ConnectionOwner() = default;
};

// What all connections to one target share. Outlives them while they are not closed.
struct Http2Settings {
  const ConnectionSettings& connections;
  std::string_view scheme;
  Deadlines& silence;  // Half the timeout.
  Deadlines& idle;     // kHttp2Idle.
};

class Http2Connection final : public std::enable_shared_from_this<Http2Connection>,
                              public Timed,
                              private Http2SessionOwner {
 public:
  // REQUIRES: `stream` is connected, and both sides are to speak HTTP/2 on it.
  Http2Connection(const Http2Settings& settings, Stream stream, const Endpoint& leads_to,
                  Http2ConnectionOwner& owner)
      : address{leads_to},
        settings_{settings},
        owner_{owner},
        stream_{std::move(stream)},
        session_{*this, settings.scheme, settings.connections.kept_body} {}

  const Endpoint address;  // Where it leads.

  // Begins to read and write.
  void start();

  // How many exchanges may be begun now.
  std::size_t room() const { return is_dead_ || is_retired_ ? 0 : session_.room(); }

  // False once no more can be begun: what was begun may still end well.
  bool is_open() const { return !is_dead_ && !is_retired_ && session_.is_open(); }

  // The most that the server allows at a time; none before it has said so.
  std::optional<std::size_t> most_streams() const { return session_.most_streams(); }

  // Ends in ended(), untouched() or ended_with_connection(), never before this call returns.
  // REQUIRES: room() > 0.
  void begin(Http2Exchange& exchange, SteadyTime now);

  // Its time is over: forgets it, and tells the server. The connection goes on, but retires where
  // that is so for kMostLate of them without an answer in between.
  void cancel(Http2Exchange& exchange);

  // Nothing more is begun on it, and it is closed once nothing is open, but not from here.
  void retire();

  // Ends everything; the owner hears nothing more.
  void close();

  void expired() override;

 private:
  // Then others have their turn. A read is what one record of TLS holds, if that is less: whatever
  // has come is read before more is sent, in all but floods.
  static constexpr std::size_t kBytesPerTurn = 256 * 1024;
  static constexpr int kReadsPerTurn = 1024;
  static constexpr std::size_t kMostUnsent = 128 * 1024;  // Rendered and not yet written.
  static constexpr int kMostLate = 2;                     // One may be late for its own sake.

  void watch(SteadyTime now);
  void flush_soon();
  void flush();
  bool write();
  void write_failed();
  bool receive();
  static constexpr bool kCut = true;
  void end(const std::string& trouble, bool cut = false);
  void end_of_stream();
  void end_broken();
  void wait_read();
  void read_on();
  void wait_write();

  void answered(Http2Exchange& exchange) override;
  void unanswered(Http2Exchange& exchange, Why why) override;

  const Http2Settings& settings_;
  Http2ConnectionOwner& owner_;
  Stream stream_;
  Http2Session session_;
  std::string out_;
  std::size_t sent_ = 0;
  bool closed_ = false;
  bool flushes_ = false;  // Soon.
  bool waits_write_ = false;
  bool reads_on_ = false;  // Soon; what it reads may be that the server takes no more.
  bool watched_idle_ = false;
  bool asked_for_life_ = false;
  bool is_dead_ = false;
  bool is_retired_ = false;
  int late_ = 0;               // How many were cancelled since the last answer.
  bool needs_repair_ = false;  // For one side does not take the other.
};

}  // namespace einlass::http
