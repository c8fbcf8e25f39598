// `einlass demo`: the gate at work with nothing else needed. Kafka is librdkafka's mock broker in a
// process of its own, the limit is kept in memory, and the receiver is built in.
#pragma once

namespace einlass::app {

struct DemoOptions {
  int seconds = 20;  // How long records are produced, at five quarters of the limit.
  int limit = 200;   // Records in any second that may pass.
};

// The hidden verb of the broker's process.
inline constexpr char kDemoBrokerVerb[] = "demo-broker";

// Shows it on the terminal. Ends the process, with 0 only if the books close and the limit was
// kept.
[[noreturn]] void demo(const DemoOptions& options);

// The broker's process: says its address on stdout, produces, and says how much. The demo ends it.
int demo_broker(const DemoOptions& options);

}  // namespace einlass::app
