// The server's end of one HTTP/2 connection, frame by frame: it does what the test says, also what
// no server should. Only the header compression is nghttp2's.
#pragma once

#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/scripted_server.h"

namespace einlass::http::testing {

struct Http2Frame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;
};

using Http2Fields = std::vector<std::pair<std::string, std::string>>;

struct Http2Request {
  std::uint32_t stream = 0;  // 0: the client hung up first.
  Http2Fields fields;
  std::string body;

  std::string operator[](std::string_view name) const {
    for (const auto& [one, value] : fields) {
      if (one == name) return value;
    }
    return "(none)";
  }
};

inline std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}

inline std::uint32_t number_at(std::string_view text, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}

inline std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                         std::string_view payload) {
  std::string text = big_endian(payload.size(), 3);
  text += static_cast<char>(type);
  text += static_cast<char>(flags);
  return text + big_endian(stream, 4) + std::string(payload);
}

// A header block that uses no table.
inline std::string header_block(const Http2Fields& fields) {
  const auto length = [](std::size_t size) {
    if (size < 127) return std::string(1, static_cast<char>(size));
    std::string text(1, '\x7f');
    for (size -= 127; size >= 128; size /= 128) text += static_cast<char>(size % 128 + 128);
    return text + static_cast<char>(size);
  };
  std::string block;
  for (const auto& [name, value] : fields) {
    block += std::string(1, '\0') + length(name.size()) + name + length(value.size()) + value;
  }
  return block;
}

class Http2Peer {
 public:
  // `settings`: pairs of a setting's number and its value.
  using Settings = std::vector<std::pair<std::uint16_t, std::uint32_t>>;

  explicit Http2Peer(Peer& peer, const Settings& settings = {}) : peer_{peer} {
    const int on = 1;
    setsockopt(peer.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    nghttp2_hd_inflate_new(&inflater_);
    send_settings(settings);
    preface = take(24);
  }
  ~Http2Peer() { nghttp2_hd_inflate_del(inflater_); }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  bool send(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
    return peer_.write(frame(type, flags, stream, payload));
  }

  void send_settings(const Settings& settings) {
    std::string payload;
    for (const auto& [number, value] : settings) {
      payload += big_endian(number, 2) + big_endian(value, 4);
    }
    send(NGHTTP2_SETTINGS, 0, 0, payload);
  }

  // An answer without a body, unless it is not the end.
  void answer(std::uint32_t stream, const std::string& status, Http2Fields fields = {},
              bool is_end = true) {
    fields.insert(fields.begin(), {":status", status});
    const int flags = NGHTTP2_FLAG_END_HEADERS | (is_end ? NGHTTP2_FLAG_END_STREAM : 0);
    send(NGHTTP2_HEADERS, static_cast<std::uint8_t>(flags), stream, header_block(fields));
  }

  // Waits for room wherever the client gives none; what else he says meanwhile is lost.
  // False: he has given up the stream.
  bool body(std::uint32_t stream, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::int64_t room =
          std::min({credit_[0] + kWindow, credit_[stream] + kWindow, std::int64_t{16'384}});
      const std::string_view part = bytes.substr(0, static_cast<std::size_t>(room));
      if (part.empty()) {
        const auto one = next_frame();
        if (!one || one->type == NGHTTP2_RST_STREAM) return false;
        continue;
      }
      data(stream, part, false);
      for (const auto of : {std::uint32_t{0}, stream}) {
        credit_[of] -= static_cast<std::int64_t>(part.size());
      }
      bytes.remove_prefix(part.size());
    }
    return true;
  }

  void data(std::uint32_t stream, std::string_view bytes, bool is_end) {
    send(NGHTTP2_DATA, is_end ? NGHTTP2_FLAG_END_STREAM : 0, stream, bytes);
  }

  void reset(std::uint32_t stream, std::uint32_t code) {
    send(NGHTTP2_RST_STREAM, 0, stream, big_endian(code, 4));
  }

  void go_away(std::uint32_t last_stream, std::uint32_t code) {
    send(NGHTTP2_GOAWAY, 0, 0, big_endian(last_stream, 4) + big_endian(code, 4));
  }

  void window_update(std::uint32_t stream, std::uint32_t bytes) {
    send(NGHTTP2_WINDOW_UPDATE, 0, stream, big_endian(bytes, 4));
  }

  // The next frame of any kind; none once the client has hung up.
  std::optional<Http2Frame> next_frame() {
    const std::string head = take(9);
    if (head.size() < 9) return std::nullopt;
    Http2Frame one{static_cast<std::uint8_t>(head[3]), static_cast<std::uint8_t>(head[4]),
                   number_at(head, 5, 4), take(number_at(head, 0, 3))};
    if (one.type == NGHTTP2_WINDOW_UPDATE) credit_[one.stream] += number_at(one.payload, 0, 4);
    if (one.type == NGHTTP2_DATA && !one.payload.empty()) {
      window_update(0, static_cast<std::uint32_t>(one.payload.size()));
    }
    if (one.type == NGHTTP2_SETTINGS && (one.flags & NGHTTP2_FLAG_ACK) == 0) {
      send(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, "");
    }
    return one;
  }

  // The next frame of that kind; what comes before it is thrown away.
  std::optional<Http2Frame> next_of(std::uint8_t type) {
    for (auto one = next_frame(); one; one = next_frame()) {
      if (one->type == type) return one;
    }
    return std::nullopt;
  }

  // The next request that is whole. PINGs are answered, and bodies given room, on the way.
  Http2Request next_request() {
    for (auto one = next_frame(); one; one = next_frame()) {
      if (one->type == NGHTTP2_PING && (one->flags & NGHTTP2_FLAG_ACK) == 0) {
        send(NGHTTP2_PING, NGHTTP2_FLAG_ACK, 0, one->payload);
      }
      if (one->type == NGHTTP2_GOAWAY) goodbye = number_at(one->payload, 4, 4);
      if (one->type != NGHTTP2_HEADERS && one->type != NGHTTP2_DATA) continue;
      Http2Request& request = open_[one->stream];
      request.stream = one->stream;
      if (one->type == NGHTTP2_HEADERS) {
        request.fields = inflate(one->payload);
      } else {
        request.body += one->payload;
        const auto size = static_cast<std::uint32_t>(one->payload.size());
        if (size > 0) window_update(one->stream, size);
      }
      if ((one->flags & NGHTTP2_FLAG_END_STREAM) == 0) continue;
      Http2Request whole = std::move(request);
      open_.erase(one->stream);
      return whole;
    }
    return {};
  }

  Peer& peer() { return peer_; }

  std::string preface;
  std::optional<std::uint32_t> goodbye;  // The code of the client's GOAWAY.

 private:
  std::string take(std::size_t bytes) {
    while (pending_.size() < bytes) {
      const std::string more = peer_.read_some();
      if (more.empty()) break;
      pending_ += more;
    }
    const std::string taken = pending_.substr(0, bytes);
    pending_.erase(0, bytes);
    return taken;
  }

  Http2Fields inflate(const std::string& block) {
    Http2Fields fields;
    auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
      nghttp2_nv nv{};
      const auto used = nghttp2_hd_inflate_hd2(inflater_, &nv, &flags, at, left, 1);
      if (used < 0) break;
      at += used;
      left -= static_cast<std::size_t>(used);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields.emplace_back(std::string(reinterpret_cast<char*>(nv.name), nv.namelen),
                            std::string(reinterpret_cast<char*>(nv.value), nv.valuelen));
      }
    }
    nghttp2_hd_inflate_end_headers(inflater_);
    return fields;
  }

  static constexpr std::int64_t kWindow = 65'535;

  Peer& peer_;
  std::string pending_;
  std::map<std::uint32_t, std::int64_t> credit_;  // What may be sent beyond the first window.
  nghttp2_hd_inflater* inflater_ = nullptr;
  std::map<std::uint32_t, Http2Request> open_;
};

// Does the same to each connection, in HTTP/2.
inline ScriptedServer::Script in_http2(std::function<void(Http2Peer&)> script,
                                       Http2Peer::Settings settings = {}) {
  return [script = std::move(script), settings = std::move(settings)](Peer& peer) {
    Http2Peer http2(peer, settings);
    script(http2);
  };
}

// Answers every request with this status.
inline ScriptedServer::Script always_in_http2(std::string status,
                                              Http2Peer::Settings settings = {}) {
  return in_http2(
      [status = std::move(status)](Http2Peer& peer) {
        for (auto request = peer.next_request(); request.stream != 0;
             request = peer.next_request()) {
          peer.answer(request.stream, status);
        }
      },
      std::move(settings));
}

}  // namespace einlass::http::testing
