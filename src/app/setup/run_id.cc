#include "app/setup/run_id.h"

#include <sys/random.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace einlass::app {

RunId random_run_id() {
  RunId run;
  if (getrandom(run.data(), run.size(), 0) != static_cast<ssize_t>(run.size())) {
    throw std::runtime_error("the system gives no random bytes (getrandom)");
  }
  run[6] = static_cast<std::uint8_t>(0x80 | (run[6] & 0x0f));  // RFC 9562: version 8, our own.
  return run;
}

std::string permit_uuid(const RunId& run, const core::Permit& permit) {
  std::array<std::uint8_t, 16> id{};
  std::copy(run.begin(), run.end(), id.begin());
  for (std::size_t i = 0; i < 6; ++i) {
    id[8 + i] = static_cast<std::uint8_t>(permit.ask.value >> (40 - 8 * i));
  }
  id[14] = static_cast<std::uint8_t>(permit.index >> 8);
  id[15] = static_cast<std::uint8_t>(permit.index);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[id[i] >> 4];
    text += kHex[id[i] & 15];
  }
  return text;
}

}  // namespace einlass::app
