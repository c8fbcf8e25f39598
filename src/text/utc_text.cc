#include "text/utc_text.h"

#include <array>
#include <ctime>

namespace einlass {

std::string utc_text(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm utc{};
  std::array<char, 32> text{};
  ::gmtime_r(&seconds, &utc);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace einlass
