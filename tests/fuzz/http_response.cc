// Whatever a server sends: the parser ends within its bounds, and says the same however the bytes
// are cut up on their way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "adapters/http/client/response_parser.h"
#include "units/check.h"

namespace {

using namespace einlass;
using http::Progress;
using http::ResponseParser;

struct Outcome {
  Progress progress = Progress::more;
  unsigned status = 0;
  std::size_t unread = 0;
  std::optional<Duration> retry_after;

  bool operator==(const Outcome&) const = default;
};

Outcome parse(std::string_view text, std::size_t step, bool bodyless) {
  ResponseParser parser;
  http::ReceiveBuffer bytes(http::kAnswerBuffer);
  parser.start(bodyless);
  Outcome outcome;
  while (!text.empty() && outcome.progress == Progress::more) {
    const std::span<char> room = bytes.room();
    CHECK(!room.empty());
    const std::size_t size = std::min({step, text.size(), room.size()});
    std::memcpy(room.data(), text.data(), size);
    bytes.added(size);
    text.remove_prefix(size);
    outcome.progress = parser.feed(bytes);
  }
  outcome.unread = bytes.unread().size() + text.size();
  if (outcome.progress == Progress::more) outcome.progress = parser.end_of_stream();
  if (outcome.progress == Progress::failed) {
    CHECK(!parser.trouble().empty());
    outcome.unread = 0;
    return outcome;
  }
  outcome.status = parser.status();
  outcome.retry_after = parser.retry_after(Instant{784'111'777'000'000});
  CHECK(!outcome.retry_after || *outcome.retry_after >= Duration{});
  CHECK(!outcome.retry_after || *outcome.retry_after <= Duration::seconds(3600));
  return outcome;
}

}  // namespace

// The first byte says how the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool bodyless = (data[0] & 1) != 0;
  const Outcome whole = parse(text, text.size(), bodyless);
  const Outcome cut = parse(text, 1 + data[0] / 2, bodyless);
  CHECK(whole == cut);
  return 0;
}
