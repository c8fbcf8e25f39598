// `einlass run`: the gate until SIGTERM or SIGINT.
#pragma once

#include <optional>
#include <string>

#include "app/service/file_watch.h"
#include "config/model/config.h"

namespace einlass::app {

// Runs under the configuration that was read from `path`, and reads it anew at SIGHUP, and whenever
// the file is another than `watched` (its mark from before it was read; none: it is not watched),
// until a signal comes and everything is drained. Ends the process with its exit code: 0 drained, 1
// failed, 78 what librdkafka or OpenSSL do not take (the reason is on stderr). A second signal
// leaves at once.
[[noreturn]] void run(const std::string& path, const config::Config& config,
                      const std::optional<net::FileMark>& watched);

}  // namespace einlass::app
