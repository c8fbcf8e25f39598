// Whatever a client sends: the parser ends within its bounds, and understands the same however the
// bytes are cut up on their way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "adapters/http/server/request_parser.h"
#include "units/check.h"

namespace {

using namespace einlass;
using http::Progress;
using http::RequestParser;

constexpr std::size_t kMaxHeader = 512;
constexpr std::size_t kMaxBody = 256;

// All requests in `text`, as one string, until one is refused or incomplete. Which of the two is
// left open: a mistake in a head may be seen before its end, or only then.
std::string parse(std::string_view text, std::size_t step) {
  RequestParser parser(kMaxHeader, kMaxBody);
  http::ReceiveBuffer bytes(RequestParser::buffer_bytes(kMaxHeader));
  std::string understood;
  while (!text.empty() || !bytes.unread().empty()) {
    if (!text.empty()) {
      const std::span<char> room = bytes.room();
      CHECK(!room.empty());
      const std::size_t size = std::min({step, text.size(), room.size()});
      std::memcpy(room.data(), text.data(), size);
      bytes.added(size);
      text.remove_prefix(size);
    }
    Progress progress = Progress::done;
    while (progress == Progress::done && !bytes.unread().empty()) {
      progress = parser.feed(bytes);
      if (progress == Progress::failed) {
        CHECK(parser.refusal() / 100 == 4);
        return understood;
      }
      if (progress == Progress::more) break;
      const http::ServerRequest request = parser.request();
      CHECK(request.body.size() <= kMaxBody);
      CHECK(request.path.find('?') == std::string_view::npos);
      understood.append(request.method).append(request.path).append(request.query);
      for (const auto& [name, value] : request.headers) understood.append(name).append(value);
      understood.append(request.body).append(parser.keep_alive() ? "+" : "-");
      parser.start();
    }
    if (text.empty()) break;
  }
  return understood;
}

}  // namespace

// The first byte says how the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  CHECK(parse(text, text.size() + 1) == parse(text, 1 + data[0]));
  return 0;
}
