#include "adapters/http/http2/http2_session.h"

#include <algorithm>

#include "adapters/http/http2/http2_fields.h"
#include "adapters/http/http2/http2_hooks.h"
#include "units/check.h"

namespace einlass::http {
namespace {

std::string code_in_words(std::uint32_t code) { return nghttp2_http2_strerror(code); }

struct FreeOption {
  void operator()(nghttp2_option* option) const { nghttp2_option_del(option); }
};

// How long a request's head may become; a server that takes less says so itself.
constexpr std::size_t kMostRequestHead = 1024 * 1024;

nghttp2_session* new_session(Http2Session& self) {
  nghttp2_option* made = nullptr;
  CHECK(nghttp2_option_new(&made) == 0);
  const std::unique_ptr<nghttp2_option, FreeOption> option(made);
  nghttp2_option_set_max_send_header_block_length(option.get(), kMostRequestHead);
  nghttp2_session* session = nullptr;
  CHECK(nghttp2_session_client_new2(&session, Http2Hooks::callbacks(), &self, option.get()) == 0);
  return session;
}

}  // namespace

Http2Session::Http2Session(Http2SessionOwner& owner, std::string_view scheme, KeptBody kept_body)
    : owner_{owner}, scheme_{scheme}, kept_body_{kept_body}, session_{new_session(*this)} {
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(kMaxAnswerHead)}};
  CHECK(nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings)) ==
        0);
}

std::optional<std::size_t> Http2Session::most_streams() const {
  if (!settled_) return std::nullopt;
  return nghttp2_session_get_remote_settings(session_.get(),
                                             NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

std::size_t Http2Session::room() const {
  if (!is_open()) return 0;
  const std::size_t most = most_streams().value_or(1);
  return most > exchanges_.size() ? most - exchanges_.size() : 0;
}

// RFC 9113, section 6.5.2: the server may say how large a head it takes. Many end the whole
// connection over a larger one. It is to be known before nghttp2 has the head: what it has packed
// and not sent, the server's table of fields would lack for ever after.
bool Http2Session::takes_head(Http2Exchange& exchange) const {
  const std::size_t most =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE);
  std::size_t size = 0;
  for (const nghttp2_nv& field : fields_) size += field.namelen + field.valuelen + kFieldOverhead;
  if (size <= most) return true;
  exchange.is_too_large = true;
  exchange.trouble = "a request with headers of " + std::to_string(size) +
                     " bytes, and the server takes " + std::to_string(most) +
                     " (SETTINGS_MAX_HEADER_LIST_SIZE)";
  return false;
}

void Http2Session::begin(Http2Exchange& exchange) {
  exchange.start_over();
  const RequestBytes::Fields& request = exchange.request.fields();
  CHECK(!request.headers.empty());
  put_fields(request, scheme_, fields_);
  exchange.request.sent(request.head_size);
  exchange.index = exchanges_.size();
  exchanges_.push_back(&exchange);
  exchange.stream = 0;
  if (!takes_head(exchange)) {
    ++unsendable_;
    return;
  }
  const bool has_body = !exchange.request.unsent().empty();
  const nghttp2_data_provider provider{{}, Http2Hooks::read_body};
  exchange.stream = nghttp2_submit_request(session_.get(), nullptr, fields_.data(), fields_.size(),
                                           has_body ? &provider : nullptr, &exchange);
  CHECK(exchange.stream > 0);  // Only without memory, for there was room.
}

// None ends while it is being begun.
void Http2Session::end_unsendable() {
  for (std::size_t i = exchanges_.size(); unsendable_ > 0 && i-- > 0;) {
    Http2Exchange& exchange = *exchanges_[i];
    if (exchange.stream != 0) continue;
    detach(exchange);
    owner_.unanswered(exchange, Http2SessionOwner::Why::failed);
  }
}

// Nothing of nghttp2's leads to the exchange any more.
void Http2Session::detach(Http2Exchange& exchange) {
  if (exchange.stream != 0) {
    nghttp2_session_set_stream_user_data(session_.get(), exchange.stream, nullptr);
  } else {
    --unsendable_;
  }
  exchanges_.back()->index = exchange.index;
  std::swap(exchanges_[exchange.index], exchanges_.back());
  exchanges_.pop_back();
}

void Http2Session::cancel(Http2Exchange& exchange) {
  detach(exchange);
  if (exchange.stream == 0) return;
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream, NGHTTP2_CANCEL);
}

void Http2Session::ping() { nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr); }

void Http2Session::end() { nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR); }

bool Http2Session::receive(std::string_view bytes) {
  idle_bytes_ += bytes.size();  // Until they turn out to be part of an answer.
  const auto taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) broken_by_server(nghttp2_strerror(static_cast<int>(taken)));
  if (idle_bytes_ > kMostIdleBytes) flooded();
  return trouble_.empty();
}

bool Http2Session::produce(std::string& out, std::size_t most) {
  end_unsendable();
  while (out.size() < most) {
    const std::uint8_t* bytes = nullptr;
    const auto size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) broken_by_server(nghttp2_strerror(static_cast<int>(size)));
    if (size <= 0) break;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return trouble_.empty();
}

bool Http2Session::is_over() const {
  return nghttp2_session_want_read(session_.get()) == 0 &&
         nghttp2_session_want_write(session_.get()) == 0;
}

void Http2Session::fail_all(const std::string& trouble, bool cut) {
  using Why = Http2SessionOwner::Why;
  // Over which of several a server has cut a connection that it had accepted, it has not said.
  const bool over_one = cut && most_streams() && exchanges_.size() > 1;
  const Why why = farewell().empty() && !over_one ? Why::failed : Why::connection;
  while (!exchanges_.empty()) {
    Http2Exchange& exchange = *exchanges_.back();
    detach(exchange);
    exchange.trouble = trouble;
    owner_.unanswered(exchange, why);
  }
}

std::string Http2Session::farewell() const {
  if (!leaving_code_ || *leaving_code_ == NGHTTP2_NO_ERROR) return {};
  return "the server ended the connection: " + code_in_words(*leaving_code_);
}

bool Http2Session::head_field(Http2Exchange& exchange, std::string_view name,
                              std::string_view value) {
  part_of_answer(name.size() + value.size());
  exchange.head_bytes += name.size() + value.size() + kFieldOverhead;
  if (exchange.head_bytes > kMaxAnswerHead) {
    exchange.trouble = "answer with too large headers";
    return false;
  }
  if (exchange.is_final) return true;  // A trailer.
  if (name == ":status") {
    exchange.status = 0;  // Three digits: nghttp2 has seen to that.
    for (const char digit : value) exchange.status = exchange.status * 10 + unsigned(digit - '0');
  } else if (name == "retry-after" && exchange.retry_after.view().empty()) {
    exchange.retry_after.assign(value);
  } else if (name == "date") {
    exchange.date.assign(value);
  } else if (name == "location" && exchange.status / 100 == 3) {
    exchange.location = value.substr(0, kLongestLocation);
  }
  return true;
}

bool Http2Session::head_ended(Http2Exchange& exchange) {
  if (exchange.status < 100) {  // nghttp2 asks for three digits, no more.
    exchange.trouble = "answer with a status below 100";
    return false;
  }
  if (exchange.status / 100 != 1) {
    exchange.is_final = true;
    return true;
  }
  exchange.retry_after.assign({});
  exchange.date.assign({});
  if (++exchange.interim <= kMostInterim) return true;
  exchange.trouble = "answer with too many interim answers";
  return false;
}

bool Http2Session::body_part(Http2Exchange& exchange, std::string_view part) {
  part_of_answer(part.size());
  exchange.body_bytes += part.size();
  const std::size_t kept = exchange.status / 100 == 2 ? kept_body_.of_2xx : kept_body_.of_others;
  if (exchange.body.size() < kept) exchange.body += part.substr(0, kept - exchange.body.size());
  if (exchange.body_bytes <= kMaxAnswerBody) return true;
  if (!kept_body_.decides(exchange.status)) {
    answer_ended(exchange);
    return true;
  }
  exchange.trouble = "answer too large";
  return false;
}

// The server may answer before it has all of the request; the rest is not sent then. Nor is the
// rest of an answer taken that is too long.
void Http2Session::answer_ended(Http2Exchange& exchange) {
  idle_frames_ = 0;
  idle_bytes_ = 0;
  const bool is_over = exchange.request.unsent().empty() && exchange.body_bytes <= kMaxAnswerBody;
  detach(exchange);
  if (!is_over) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, exchange.stream, NGHTTP2_CANCEL);
  }
  owner_.answered(exchange);
}

void Http2Session::stream_closed(Http2Exchange& exchange, std::uint32_t code) {
  const bool left_out = leaving_code_ && exchange.stream > last_stream_;
  const bool with_reason = left_out && *leaving_code_ != NGHTTP2_NO_ERROR;
  detach(exchange);
  auto why = Http2SessionOwner::Why::failed;
  if (exchange.never_sent || (left_out && !with_reason)) why = Http2SessionOwner::Why::untouched;
  if (with_reason && !exchange.never_sent && exchange.trouble.empty())
    why = Http2SessionOwner::Why::connection;
  if (exchange.trouble.empty() && left_out) {
    exchange.trouble = with_reason ? farewell() : "the server left without an answer";
  }
  if (exchange.trouble.empty()) exchange.trouble = "stream reset: " + code_in_words(code);
  owner_.unanswered(exchange, why);
}

void Http2Session::server_leaves(std::int32_t last_stream, std::uint32_t code) {
  last_stream_ = last_stream;
  leaving_code_ = code;
}

void Http2Session::broken_by_server(std::string_view reason) {
  if (!trouble_.empty()) return;
  trouble_ = settled_ ? "the server breaks HTTP/2: " + std::string(reason)
                      : "the server does not speak HTTP/2";
}

void Http2Session::part_of_answer(std::size_t bytes) {
  idle_bytes_ -= std::min(idle_bytes_, bytes);
}

void Http2Session::idle_frame() {
  if (++idle_frames_ > kMostIdleFrames) flooded();
}

void Http2Session::flooded() {
  if (!trouble_.empty()) return;
  broken_by_server("a flood of frames that say nothing");
  floods_ = true;
  nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
}

}  // namespace einlass::http
