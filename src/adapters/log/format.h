// How a line of the log is written.
#pragma once

namespace einlass::log {

enum class Format { logfmt, json };  // key=value pairs; a JSON object with the same keys.

}  // namespace einlass::log
