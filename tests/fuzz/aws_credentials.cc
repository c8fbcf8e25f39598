// Whatever a server or a file gives for AWS credentials: there are some that can be signed with, or
// a reason; never both.
#include "adapters/http/aws/credentials.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "adapters/http/aws/credentials_answer.h"
#include "adapters/http/aws/msk_token.h"
#include "adapters/http/aws/shared_file.h"
#include "text/ascii.h"
#include "units/check.h"

namespace {

using namespace einlass;

constexpr Instant kNow{1'795'581'000'000'000};

void check_token(const http::AwsCredentials& credentials) {
  const std::string token = http::msk_token(credentials, "eu-west-1", kNow);
  CHECK(std::all_of(token.begin(), token.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_';
  }));
}

}  // namespace

// The first byte says whether the rest is an answer or a file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    const auto found = http::profile_in(text, "default");
    if (found && trouble_with(*found, {"a", "b", "c"}).empty()) check_token(*found);
    return 0;
  }
  const http::AwsAnswer answer = http::read_credentials(text, kNow);
  CHECK(answer.trouble.size() < 200);
  CHECK(std::all_of(answer.trouble.begin(), answer.trouble.end(),
                    [](char c) { return c >= 0x20 && c < 0x7f; }));
  if (!answer.trouble.empty()) {
    CHECK(answer.credentials == http::AwsCredentials{});
    return 0;
  }
  CHECK(!answer.credentials.expires || *answer.credentials.expires > kNow);
  check_token(answer.credentials);
  return 0;
}
