// What the user typed: verbs, options and help.
#pragma once

namespace einlass::app {

// Does what the command line says and returns the process's exit code.
int run_command_line(int argc, char** argv);

}  // namespace einlass::app
