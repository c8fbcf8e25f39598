// What an adapter has to say to people. Adapters do not log: they hand a Notice to whoever built
// them, who decides where it is shown.
#pragma once

#include <functional>
#include <string>

namespace einlass {

// What is only for whoever looks closely is `debug`: of that there may be a line for each record,
// and it is told nobody who has not asked for it.
enum class Severity { debug, info, warning, error };

// One thing worth telling an operator. Never holds a payload or a secret.
struct Notice {
  Severity severity = Severity::info;
  std::string what;    // A fixed name for this kind of thing, as "kafka_unknown_topic".
  std::string detail;  // One sentence: what, where, and what to do. The same again is counted, so
                       // it names nothing that is another each time, as an offset is.
  std::string example{};  // Which one it was, where there may be many: shown of the first.
};

using Notify = std::function<void(const Notice&)>;

}  // namespace einlass
