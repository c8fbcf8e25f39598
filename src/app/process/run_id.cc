#include "app/process/run_id.h"

#include <sys/random.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "text/ascii.h"

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
  std::string text;
  text.reserve(36);
  append_hex(text, {reinterpret_cast<const char*>(id.data()), id.size()});
  for (const std::size_t dash : {8, 13, 18, 23}) text.insert(dash, 1, '-');
  return text;
}

}  // namespace einlass::app
