// What goes over a network where others may read along, for a word at the start.
#pragma once

#include <string>

#include "config/model/config.h"

namespace einlass::app {

// Only this machine reaches it: a loopback address, or `localhost`.
bool is_local(const std::string& host);

// What is to be said where the password of Redis leaves this machine without TLS; empty otherwise.
std::string redis_in_the_clear(const config::Config& config);

}  // namespace einlass::app
