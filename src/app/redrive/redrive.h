// `einlass redrive`: sends a dead letter topic's records through the same limits to the same
// targets again, up to the end that the topic has when it begins.
#pragma once

#include <string>

#include "app/redrive/redrive_options.h"
#include "config/model/config.h"

namespace einlass::app {

// `path` is the configuration's file. Ends the process with its exit code: 0 done, or drained after
// a signal; 1 failed; 64 for a route or partition that cannot be meant; 78 what librdkafka or
// OpenSSL do not take. The reason is on stderr, the books are on stdout.
[[noreturn]] void redrive(const std::string& path, const config::Config& config,
                          const RedriveOptions& options);

}  // namespace einlass::app
