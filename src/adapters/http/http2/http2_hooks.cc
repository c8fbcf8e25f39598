#include "adapters/http/http2/http2_hooks.h"

#include <algorithm>
#include <string_view>

#include "adapters/http/http2/http2_session.h"
#include "units/check.h"

namespace einlass::http {
namespace {

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

Http2Session& session_of(void* self) { return *static_cast<Http2Session*>(self); }

// Null: it was given up, or never was ours.
Http2Exchange* exchange_of(nghttp2_session* session, std::int32_t stream) {
  return static_cast<Http2Exchange*>(nghttp2_session_get_stream_user_data(session, stream));
}

// Ends the stream: its on_close follows.
void reset(nghttp2_session* session, std::int32_t stream) {
  nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

}  // namespace

const nghttp2_session_callbacks* Http2Hooks::callbacks() {
  static const nghttp2_session_callbacks* const all = [] {
    nghttp2_session_callbacks* made = nullptr;
    CHECK(nghttp2_session_callbacks_new(&made) == 0);
    nghttp2_session_callbacks_set_on_header_callback(made, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, on_sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, on_not_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, on_close);
    return made;
  }();
  return all;
}

ssize_t Http2Hooks::read_body(nghttp2_session* session, std::int32_t stream, std::uint8_t* to,
                              std::size_t room, std::uint32_t* flags, nghttp2_data_source*, void*) {
  Http2Exchange* const exchange = exchange_of(session, stream);
  if (exchange == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::string_view part = exchange->request.unsent().substr(0, room);
  std::copy(part.begin(), part.end(), to);
  exchange->request.sent(part.size());
  if (exchange->request.unsent().empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(part.size());
}

int Http2Hooks::on_header(nghttp2_session* session, const nghttp2_frame* frame,
                          const std::uint8_t* name, std::size_t name_size,
                          const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                          void* self) {
  Http2Exchange* const exchange = exchange_of(session, frame->hd.stream_id);
  if (exchange == nullptr) return 0;
  const bool taken =
      session_of(self).head_field(*exchange, text(name, name_size), text(value, value_size));
  return taken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int Http2Hooks::on_data(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                        const std::uint8_t* bytes, std::size_t size, void* self) {
  Http2Exchange* const exchange = exchange_of(session, stream);
  if (exchange != nullptr && !session_of(self).body_part(*exchange, text(bytes, size))) {
    reset(session, stream);
  }
  return 0;
}

int Http2Hooks::on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
  Http2Session& to = session_of(self);
  switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
      to.settled_ = true;
      to.idle_frame();
      break;
    case NGHTTP2_PING:
    case NGHTTP2_PRIORITY:
      to.idle_frame();
      break;
    case NGHTTP2_GOAWAY:
      to.server_leaves(frame->goaway.last_stream_id, frame->goaway.error_code);
      break;
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA:
      on_answer_frame(to, session, *frame);
      break;
    default:
      break;
  }
  return 0;
}

void Http2Hooks::on_answer_frame(Http2Session& to, nghttp2_session* session,
                                 const nghttp2_frame& frame) {
  const bool is_last = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame.hd.type == NGHTTP2_DATA && frame.hd.length == 0 && !is_last) to.idle_frame();
  Http2Exchange* const exchange = exchange_of(session, frame.hd.stream_id);
  if (exchange == nullptr || !exchange->trouble.empty()) return;
  if (frame.hd.type == NGHTTP2_HEADERS && !to.head_ended(*exchange)) {
    return reset(session, frame.hd.stream_id);
  }
  if (is_last) to.answer_ended(*exchange);
}

int Http2Hooks::on_invalid_frame(nghttp2_session* session, const nghttp2_frame* frame, int error,
                                 void*) {
  Http2Exchange* const exchange = exchange_of(session, frame->hd.stream_id);
  if (exchange != nullptr && exchange->trouble.empty()) {
    exchange->trouble = std::string("answer is not HTTP/2: ") + nghttp2_strerror(error);
  }
  return 0;
}

// We say goodbye with a reason where the server has broken the rules.
int Http2Hooks::on_sent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (frame->hd.type != NGHTTP2_GOAWAY || frame->goaway.error_code == NGHTTP2_NO_ERROR) return 0;
  const std::string_view why = text(frame->goaway.opaque_data, frame->goaway.opaque_data_len);
  session_of(self).broken_by_server(why.empty() ? nghttp2_http2_strerror(frame->goaway.error_code)
                                                : why);
  return 0;
}

// Its on_close follows.
int Http2Hooks::on_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int error,
                            void*) {
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  Http2Exchange* const exchange = exchange_of(session, frame->hd.stream_id);
  if (exchange == nullptr) return 0;
  if (error == NGHTTP2_ERR_FRAME_SIZE_ERROR) {
    exchange->is_too_large = true;
    exchange->trouble = "request with headers too large for HTTP/2";
  } else {
    exchange->never_sent = true;
  }
  return 0;
}

int Http2Hooks::on_close(nghttp2_session* session, std::int32_t stream, std::uint32_t code,
                         void* self) {
  Http2Exchange* const exchange = exchange_of(session, stream);
  if (exchange != nullptr) session_of(self).stream_closed(*exchange, code);
  return 0;
}

}  // namespace einlass::http
