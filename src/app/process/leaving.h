// How a verb ends its process where nothing is to be taken down: threads of librdkafka, or of
// shards, may still be there and use what would go, and its own teardown can hang.
#pragma once

namespace einlass::app {

// The code; or kExitFailed, told on stderr, where what was printed did not arrive.
int with_output(int code);

// Ends the process so.
[[noreturn]] void leave(int code);

}  // namespace einlass::app
