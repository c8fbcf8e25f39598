// HTTP/2 with one server, without a socket: bytes in, bytes out, and what each stream comes to.
// nghttp2 does the protocol; this holds it to our bounds and to one outcome an exchange.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/http2/http2_exchange.h"

namespace einlass::http {

// Whom a session works for. Each exchange that was begun and not cancelled ends in exactly one of
// these, inside receive(), produce() or fail_all(); the session knows it no more then.
class Http2SessionOwner {
 public:
  enum class Why {
    failed,
    untouched,   // The server has surely not looked at it, and goes for other reasons than us.
    connection,  // The server ended the connection, and this may be why.
  };

  // Its answer is whole.
  virtual void answered(Http2Exchange& exchange) = 0;

  // There is no answer; `trouble` of the exchange says why.
  virtual void unanswered(Http2Exchange& exchange, Why why) = 0;

 protected:
  ~Http2SessionOwner() = default;
};

class Http2Session {
 public:
  // `scheme` lives as long as the session.
  Http2Session(Http2SessionOwner& owner, std::string_view scheme, KeptBody kept_body = {});
  ~Http2Session() = default;
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  // How many exchanges may be begun now: as many as the server's settings allow, and one before
  // they are known.
  std::size_t room() const;

  // The most that the server allows at a time; none before it has said so.
  std::optional<std::size_t> most_streams() const;

  // False once no more exchanges can be begun: what was begun may still end well.
  bool is_open() const { return nghttp2_session_check_request_allowed(session_.get()) != 0; }

  const std::vector<Http2Exchange*>& exchanges() const { return exchanges_; }

  // One whose head the server says that it does not take ends in produce(). REQUIRES: room() > 0.
  void begin(Http2Exchange& exchange);

  // Forgets it, and tells the server so. REQUIRES: not inside receive() or produce().
  void cancel(Http2Exchange& exchange);

  void ping();

  // Says goodbye: produce() has it.
  void end();

  // False: the conversation is over, and trouble() says why.
  bool receive(std::string_view bytes);

  // Adds what is to be sent to `out`, until that holds `most` bytes or there is no more.
  // False: as for receive().
  bool produce(std::string& out, std::size_t most);

  // Neither side has anything to say any more.
  bool is_over() const;

  // All exchanges end in unanswered(), with this trouble. `cut`: the server ended the connection,
  // or broke the rules on it.
  void fail_all(const std::string& trouble, bool cut);

  // Why the conversation cannot go on; empty: there is no reason. Whether that may be one request's
  // doing: a flood is nobody's.
  const std::string& trouble() const { return trouble_; }
  bool may_be_over_one() const { return !floods_; }

  // The reason that the server gave for ending it; empty: none.
  std::string farewell() const;

 private:
  friend class Http2Hooks;
  struct Free {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  // So many frames that mean nothing, between two answers, are an attack.
  static constexpr int kMostIdleFrames = 1'000;
  // And so many bytes that are part of no answer, whatever frames they are.
  static constexpr std::size_t kMostIdleBytes = 1 << 20;
  // Interim answers before one response; more than that is no conversation.
  static constexpr int kMostInterim = 16;

  bool takes_head(Http2Exchange& exchange) const;
  void end_unsendable();
  void detach(Http2Exchange& exchange);
  bool head_field(Http2Exchange& exchange, std::string_view name, std::string_view value);
  bool head_ended(Http2Exchange& exchange);
  bool body_part(Http2Exchange& exchange, std::string_view part);
  void answer_ended(Http2Exchange& exchange);
  void stream_closed(Http2Exchange& exchange, std::uint32_t code);
  void server_leaves(std::int32_t last_stream, std::uint32_t code);
  void broken_by_server(std::string_view reason);
  void idle_frame();
  void part_of_answer(std::size_t bytes);
  void flooded();

  Http2SessionOwner& owner_;
  std::string_view scheme_;
  KeptBody kept_body_;
  std::unique_ptr<nghttp2_session, Free> session_;
  std::vector<Http2Exchange*> exchanges_;
  std::vector<nghttp2_nv> fields_;  // Of the request that is being begun.
  std::size_t unsendable_ = 0;      // Exchanges of no stream: produce() ends them.
  std::string trouble_;
  bool floods_ = false;
  bool settled_ = false;  // The server's settings have come.
  // Once the server has said that it leaves: the last stream that it may answer, and why.
  std::int32_t last_stream_ = 0;
  std::optional<std::uint32_t> leaving_code_;
  int idle_frames_ = 0;
  std::size_t idle_bytes_ = 0;
};

}  // namespace einlass::http
