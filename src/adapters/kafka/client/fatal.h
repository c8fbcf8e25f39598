// What a client says when it can never go on.
#pragma once

#include "units/notice.h"

namespace einlass::kafka {

// Whoever runs the client is to end: nothing comes of it any more. What the notice is called is in
// docs/log.md and in every alert that people have written by it, so it stays as it is.
inline bool is_fatal(const Notice& notice) { return notice.what == "kafka_fatal"; }

}  // namespace einlass::kafka
