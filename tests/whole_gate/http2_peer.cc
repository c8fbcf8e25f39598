// A server of HTTP/2 in the clear, by nghttp2.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "whole_gate/receiver.h"

namespace einlass::whole {
namespace {

class Http2Peer final : public Peer {
 public:
  Http2Peer(Receiver& receiver, Wire& wire)
      : receiver_(receiver), kernel_(receiver.kernel()), wire_(wire) {
    nghttp2_session_callbacks* calls = nullptr;
    nghttp2_session_callbacks_new(&calls);
    nghttp2_session_callbacks_set_on_header_callback(calls, &Http2Peer::on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &Http2Peer::on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &Http2Peer::on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, &Http2Peer::on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, &Http2Peer::on_close);
    nghttp2_session_server_new(&session_, calls, this);
    nghttp2_session_callbacks_del(calls);
    const std::array<nghttp2_settings_entry, 2> settings = {{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(1 + kernel_.dice(40))},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
         static_cast<std::uint32_t>(200 + kernel_.dice(70'000))},
    }};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    flush();
  }
  ~Http2Peer() override { nghttp2_session_del(session_); }

  void received(std::string_view bytes) override {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    const auto read = nghttp2_session_mem_recv(session_, data, bytes.size());
    if (read < 0)
      throw Broken(std::string("no HTTP/2: ") + nghttp2_strerror(static_cast<int>(read)));
    flush();
    look_later(++came_);
  }

 private:
  struct Stream {
    Request request;
    bool is_whole = false;
    std::optional<std::size_t> number{};  // Of the request, where its answer leaves whole.
    Answer answer;
    std::size_t sent = 0;  // Of the answer's body.
  };

  void look_later(std::uint64_t came) {
    kernel_.after(kHalfRequest, [this, self = wire_.weak_from_this(), came] {
      const auto wire = self.lock();
      if (!wire || !wire->is_open() || came != came_) return;
      const auto is_half = [](const auto& stream) { return !stream.second.is_whole; };
      if (std::ranges::none_of(streams_, is_half)) return;
      if (!wire->is_quiet()) return look_later(came);
      throw Broken("a request ends in the middle");
    });
  }

  static Http2Peer& self(void* me) { return *static_cast<Http2Peer*>(me); }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* me) {
    Request& request = self(me).streams_[frame->hd.stream_id].request;
    std::string field(reinterpret_cast<const char*>(name), name_size);
    std::string text(reinterpret_cast<const char*>(value), value_size);
    if (field == ":path") request.path = text;
    if (field == ":method") request.method = text;
    request.fields[std::move(field)] = std::move(text);
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                     std::size_t size, void* me) {
    self(me).streams_[stream].request.body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* me) {
    const bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      self(me).take(frame->hd.stream_id);
    }
    return 0;
  }

  // The last of an answer may wait for room in the gate's window.
  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* me) {
    const auto stream = self(me).streams_.find(frame->hd.stream_id);
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (ends && stream != self(me).streams_.end() && stream->second.number) {
      self(me).answered_.push_back(*stream->second.number);
    }
    return 0;
  }

  static int on_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* me) {
    self(me).streams_.erase(stream);
    return 0;
  }

  void take(std::int32_t id) {
    streams_[id].is_whole = true;
    // Not looked at: whoever sent it knows that it may go again.
    if (refuses_ && kernel_.one_in(10)) return reset(id, NGHTTP2_REFUSED_STREAM);
    auto [number, answer] = receiver_.take(streams_[id].request, wire_);
    refuses_ = answer.fate != Answer::Fate::whole || answer.status >= 500;
    kernel_.after(answer.after, [this, self = wire_.weak_from_this(), number, answer, id] {
      const auto wire = self.lock();
      if (wire && wire->is_open() && streams_.contains(id)) give(id, number, answer);
    });
  }

  void give(std::int32_t id, std::size_t number, const Answer& answer) {
    if (is_spoiled(answer)) receiver_.spoiled(number);
    switch (answer.fate) {
      case Answer::Fate::never:
        return;
      case Answer::Fate::garbage:
        wire_.say("\x01\x02\x03 this is no frame");
        return wire_.finish();
      case Answer::Fate::cut_before:
        if (kernel_.one_in(2)) return reset(id, NGHTTP2_INTERNAL_ERROR);
        return wire_.cut();
      case Answer::Fate::cut_within:
        says_half_ = true;
        submit(id, answer);
        return wire_.finish();
      case Answer::Fate::whole:
        break;
    }
    streams_[id].number = number;
    submit(id, answer);
    if (refuses_ && kernel_.one_in(4)) {
      go_away();
      wire_.finish();
    }
  }

  void submit(std::int32_t id, const Answer& answer) {
    Stream& stream = streams_[id];
    stream.answer = answer;
    const std::string status = std::to_string(answer.status);
    std::vector<nghttp2_nv> fields = {field(":status", status)};
    for (const auto& [name, value] : answer.fields) fields.push_back(field(name, value));
    nghttp2_data_provider body{{.ptr = &stream}, &Http2Peer::read_body};
    const bool has_body = !answer.body.empty();
    nghttp2_submit_response(session_, id, fields.data(), fields.size(), has_body ? &body : nullptr);
    flush();
  }

  static nghttp2_nv field(const std::string& name, const std::string& value) {
    const auto bytes = [](const std::string& text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room,
                           std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const std::size_t size =
        stream.answer.body.copy(reinterpret_cast<char*>(to), room, stream.sent);
    stream.sent += size;
    if (stream.sent == stream.answer.body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  void reset(std::int32_t id, std::uint32_t why) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, why);
    flush();
  }

  void go_away() {
    const std::int32_t last = nghttp2_session_get_last_proc_stream_id(session_);
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
    flush();
  }

  void flush() {
    const std::uint8_t* bytes = nullptr;
    std::string said;
    for (ssize_t size; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      said.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    if (says_half_) said.resize(kernel_.dice(said.size() + 1) / 2);
    wire_.say(said);
    if (says_half_) answered_.clear();
    for (const std::size_t number : std::exchange(answered_, {})) {
      wire_.when_arrived([&receiver = receiver_, number] { receiver.told(number); });
    }
  }

  Receiver& receiver_;
  Kernel& kernel_;
  Wire& wire_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, Stream> streams_;
  std::vector<std::size_t> answered_;  // All of whose answer has left the session just now.
  std::uint64_t came_ = 0;             // How often something did.
  bool refuses_ = false;  // May turn requests away, or say goodbye: the last answer was a bad one.
  bool says_half_ = false;  // Of what it says from here on.
};

}  // namespace

std::unique_ptr<Peer> http2_peer(Receiver& receiver, Wire& wire) {
  return std::make_unique<Http2Peer>(receiver, wire);
}

}  // namespace einlass::whole
