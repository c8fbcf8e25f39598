// A file that holds one secret, as secrets are mounted: the text, and perhaps a line end behind it.
#pragma once

#include <cstddef>
#include <string>

namespace einlass {

inline constexpr std::size_t kMostSecretBytes = 64 << 10;

struct SecretText {
  std::string value;    // Without one line end at its end.
  std::string trouble;  // Why it cannot be had, in words that do not hold it; empty: it is there.
};

// Reads it whole, at once. Small files only; nobody waits for more than the disk.
SecretText read_secret_text(const std::string& path);

}  // namespace einlass
