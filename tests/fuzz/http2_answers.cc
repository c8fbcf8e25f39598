// Whatever a server says in HTTP/2: each request ends exactly once, within the bounds, and as the
// same however the bytes are cut up on their way.
//
// The first byte says how the rest is cut, how many requests there are, and how large they are.
// With its highest bit the server's settings come first: without them little else would be read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/http/http2/http2_session.h"
#include "units/check.h"

namespace {

using namespace einlass;
using http::Http2Exchange;

constexpr std::string_view kSettings("\0\0\0\4\0\0\0\0\0", 9);

struct Ended {
  bool answered = false;
  unsigned status = 0;
  std::string retry_after, trouble;
  bool operator==(const Ended&) const = default;
};

struct World final : http::Http2SessionOwner, http::Http2ExchangeOwner {
  explicit World(std::size_t count, std::size_t body) : ended(count) {
    const std::string bytes(body, 'x');
    const http::Request request{
        .record = {}, .attempt = {}, .id = {}, .content_type = {}, .headers = {}, .body = bytes};
    http::TargetOptions options;
    options.http2 = http::Http2::always;
    for (std::size_t i = 0; i < count; ++i) {
      exchanges.push_back(std::make_unique<Http2Exchange>(*this));
      exchanges.back()->exchange.record.slot = static_cast<std::uint32_t>(i);
      http::RequestWriter(options).write(request, exchanges.back()->request);
    }
  }

  void begin_all() {
    for (auto& one : exchanges) {
      if (begun.size() <= one->exchange.record.slot && session.room() > 0) {
        begun.push_back(one.get());
        session.begin(*one);
      }
    }
  }

  void end(Http2Exchange& exchange, bool answered) {
    Ended& one = ended[exchange.exchange.record.slot];
    CHECK(!one.answered && one.trouble.empty());  // Once.
    CHECK(answered || !exchange.trouble.empty());
    CHECK(!answered || (exchange.status >= 200 && exchange.status <= 999));
    CHECK(exchange.body_bytes <= http::kMaxAnswerBody || !answered);
    one = {answered, answered ? exchange.status : 0,
           answered ? std::string(exchange.retry_after.view()) : "", exchange.trouble};
  }
  void answered(Http2Exchange& exchange) override { end(exchange, true); }
  void unanswered(Http2Exchange& exchange, Why) override { end(exchange, false); }
  void expired(Http2Exchange&) override {}

  std::vector<Ended> ended;
  std::vector<std::unique_ptr<Http2Exchange>> exchanges;
  std::vector<Http2Exchange*> begun;
  http::Http2Session session{*this, "http"};
};

// What we answer is written at the end only: when it is written depends on how the bytes are cut.
std::vector<Ended> hear(std::string_view text, std::size_t step, std::size_t count,
                        std::size_t body) {
  World world(count, body);
  std::string out;
  bool goes_on = world.session.produce(out, 1 << 20);
  if (text.starts_with(kSettings)) {
    goes_on = world.session.receive(kSettings);
    text.remove_prefix(kSettings.size());
  }
  world.begin_all();
  goes_on = goes_on && world.session.produce(out, 1 << 20);
  while (!text.empty() && goes_on) {
    const std::string_view piece = text.substr(0, step);
    text.remove_prefix(piece.size());
    goes_on = world.session.receive(piece);
  }
  out.clear();
  world.session.produce(out, 1 << 20);
  world.session.fail_all("closed", false);
  CHECK(world.session.exchanges().empty());
  for (const Http2Exchange* one : world.begun) {
    const Ended& end = world.ended[one->exchange.record.slot];
    CHECK(end.answered != !end.trouble.empty());
  }
  return std::move(world.ended);
}

// HEADERS or PUSH_PROMISE without END_HEADERS: CONTINUATION must follow. Debian's nghttp2 1.52
// counts each piece of what follows as one of the eight that it takes in a row, whatever it turns
// out to be, so there it matters how the bytes are cut.
bool awaits_continuation(std::string_view text) {
  constexpr std::size_t kFrameHead = 9;
  while (text.size() >= kFrameHead) {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const bool begins_headers = byte(3) == 1 || byte(3) == 5;
    if (begins_headers && (byte(4) & 4) == 0) return true;
    const std::size_t length = (std::size_t{byte(0)} << 16) + (std::size_t{byte(1)} << 8) + byte(2);
    text.remove_prefix(std::min(text.size(), kFrameHead + length));
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 0x80) != 0) text.insert(0, kSettings);
  const std::size_t count = 1 + (data[0] >> 4 & 3);
  const std::size_t body = (data[0] & 0x40) != 0 ? 100'000 : 10;
  const std::size_t step = awaits_continuation(text) ? text.size() : 1 + (data[0] & 15);
  CHECK(hear(text, text.size() + 1, count, body) == hear(text, step, count, body));
  return 0;
}
