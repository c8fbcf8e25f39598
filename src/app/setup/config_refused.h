// Thrown while the parts are made, before anything runs.
#pragma once

#include <stdexcept>

namespace einlass::app {

// What librdkafka or OpenSSL do not take of the configuration, in words.
struct ConfigRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace einlass::app
