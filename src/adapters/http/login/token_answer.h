// What a token server answers (RFC 6749, sections 5.1 and 5.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "units/time.h"

namespace einlass::http {

// Longer ones are nothing that a header can carry.
inline constexpr std::size_t kLongestToken = 12 * 1024;

struct TokenAnswer {
  std::string token;             // Empty: there is none, and `trouble` says why.
  std::optional<Duration> life;  // None: it does not say how long the token is good.
  std::string trouble;  // Has nothing of the token in it. Beside one: why there may soon be
                        // none.
};

// REQUIRES: `status` is from 100 to 999.
TokenAnswer read_token_answer(unsigned status, std::string_view body);

}  // namespace einlass::http
