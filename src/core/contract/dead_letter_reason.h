// Why a record becomes a dead letter: docs/dead_letters.md says when.
#pragma once

#include <cstdint>

namespace einlass::core {

enum class DeadLetterReason : std::uint8_t {
  refused,
  attempts,
  never,
  bad_key,
  too_large,
  expired
};

}  // namespace einlass::core
