// The least that an HTTP/2 server in the clear can do: answers every request with 204, one
// connection at a time.
#pragma once

#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

namespace einlass::bench {

inline int answer_whole_request(nghttp2_session* session, const nghttp2_frame* frame, void*) {
  const bool is_whole = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!is_whole || (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS)) return 0;
  static char names[] = ":statusserverdate";
  static char values[] = "204benchSun, 06 Nov 1994 08:49:37 GMT";
  const auto part = [](char* of, std::size_t at) {
    return reinterpret_cast<std::uint8_t*>(of) + at;
  };
  const nghttp2_nv fields[] = {{part(names, 0), part(values, 0), 7, 3, 0},
                               {part(names, 7), part(values, 3), 6, 5, 0},
                               {part(names, 13), part(values, 8), 4, 29, 0}};
  return nghttp2_submit_response(session, frame->hd.stream_id, fields, 3, nullptr);
}

inline void serve_http2_connection(int fd, const nghttp2_session_callbacks* callbacks) {
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new(&session, callbacks, nullptr);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 128}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 1);
  std::array<std::uint8_t, 256 * 1024> bytes;
  for (;;) {
    std::string out;
    const std::uint8_t* part = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(session, &part)) > 0;) {
      out.append(reinterpret_cast<const char*>(part), static_cast<std::size_t>(n));
    }
    if (send(fd, out.data(), out.size(), MSG_NOSIGNAL) < 0) break;
    const auto n = recv(fd, bytes.data(), bytes.size(), 0);
    if (n <= 0) break;
    if (nghttp2_session_mem_recv(session, bytes.data(), static_cast<std::size_t>(n)) < 0) break;
  }
  nghttp2_session_del(session);
  close(fd);
}

[[noreturn]] inline void serve_http2(int listener) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, answer_whole_request);
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, 0);
    if (fd >= 0) serve_http2_connection(fd, callbacks);
  }
}

}  // namespace einlass::bench
