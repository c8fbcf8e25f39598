// What the user typed: verbs, options, help, and the exit codes that scripts rely on.
#pragma once

namespace einlass::app {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 64;   // EX_USAGE of sysexits.h.
inline constexpr int kExitConfig = 78;  // EX_CONFIG.

// Does what the command line says and returns the process's exit code.
int run_command_line(int argc, char** argv);

}  // namespace einlass::app
