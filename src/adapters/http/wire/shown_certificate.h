// Which certificate of ours a server has seen.
#pragma once

#include <cstdint>

namespace einlass::http {

// What a server got that asked for a certificate of ours.
enum class ShownCertificate : std::uint8_t { not_asked_for, none, expired, valid };

}  // namespace einlass::http
