// Where the environment says that AWS credentials are to be had, as AWS' own clients read it.
#pragma once

#include "adapters/http/aws/options.h"
#include "config/file/read_config.h"

namespace einlass::app {

// Throws std::runtime_error with all mistakes where the environment contradicts itself or names a
// server that no credentials may come from. Nobody is asked for anything.
http::AwsOptions aws_options(const config::Environment& environment);

}  // namespace einlass::app
