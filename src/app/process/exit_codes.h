// What the process's exit code tells scripts.
#pragma once

namespace einlass::app {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 64;   // EX_USAGE of sysexits.h.
inline constexpr int kExitConfig = 78;  // EX_CONFIG.

}  // namespace einlass::app
