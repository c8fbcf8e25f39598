// What nghttp2 calls while it reads and writes: the way from its C interface to Http2Session.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>

namespace einlass::http {

class Http2Exchange;
class Http2Session;

class Http2Hooks {
 public:
  // For sessions whose user data is an Http2Session, and whose streams' is an Http2Exchange or
  // null.
  static const nghttp2_session_callbacks* callbacks();

  // Reads the body of the exchange that is the stream's user data.
  static ssize_t read_body(nghttp2_session* session, std::int32_t stream, std::uint8_t* to,
                           std::size_t room, std::uint32_t* flags, nghttp2_data_source*, void*);

 private:
  static int on_header(nghttp2_session* session, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t flags, void* self);
  static int on_data(nghttp2_session* session, std::uint8_t flags, std::int32_t stream,
                     const std::uint8_t* bytes, std::size_t size, void* self);
  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int on_invalid_frame(nghttp2_session* session, const nghttp2_frame* frame, int error,
                              void* self);
  static int on_sent(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int on_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int error,
                         void* self);
  static int on_close(nghttp2_session* session, std::int32_t stream, std::uint32_t code,
                      void* self);

  static void on_answer_frame(Http2Session& to, nghttp2_session* session,
                              const nghttp2_frame& frame);
};

}  // namespace einlass::http
