// Whatever a token server answers: there is a token that a header can carry, or a reason; never
// both.
#include "adapters/http/login/token_answer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "units/check.h"

namespace {

using namespace einlass;

bool one_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

// The first byte says which status stands before the rest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static constexpr unsigned kStatuses[] = {200, 200, 200, 400, 401, 302, 999};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const http::TokenAnswer answer = http::read_token_answer(kStatuses[data[0] % 7], body);
  CHECK(answer.token.empty() != answer.trouble.empty());
  CHECK(answer.token.size() <= http::kLongestToken);
  CHECK(one_line(answer.token));
  CHECK(one_line(answer.trouble));
  CHECK(answer.trouble.size() < 200);
  if (answer.life) CHECK(*answer.life >= Duration::seconds(1));
  return 0;
}
