// Which statuses of an answer mean what, as they are written.
#pragma once

#include <string>

#include "config/config.h"
#include "config/values.h"

namespace einlass::config {

// "202", or "2xx" for all of a hundred; from 200 on, for what lies before is no answer yet.
Parsed<StatusMeans> parse_status(const std::string& text);

// The way back.
std::string to_text(const StatusMeans& rule);

}  // namespace einlass::config
