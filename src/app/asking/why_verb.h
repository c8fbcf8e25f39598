// `einlass why`: asks the running gate why a record waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/model/config.h"

namespace einlass::app {

struct WhyOptions {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::optional<std::string> key;
  bool json = false;
};

// Prints the answer and returns the exit code.
int ask_why(const config::Config& config, const WhyOptions& options);

// The answer of /v1/why as lines for people.
std::string why_for_people(const std::string& json);

}  // namespace einlass::app
