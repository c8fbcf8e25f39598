// What an adapter has to say to people. Adapters do not log: they hand a Notice to whoever built
// them, who decides where it is shown.
#pragma once

#include <functional>
#include <string>

namespace einlass {

enum class Severity { info, warning, error };

// One thing worth telling an operator. Never holds a payload or a secret.
struct Notice {
  Severity severity = Severity::info;
  std::string what;    // A fixed name for this kind of thing, as "kafka_unknown_topic".
  std::string detail;  // One sentence: what, where, and what to do.
};

using Notify = std::function<void(const Notice&)>;

}  // namespace einlass
