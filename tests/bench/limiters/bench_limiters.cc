// What a decision costs, in process by the clock, and on Redis by the server's own account (INFO
// commandstats, time inside EVALSHA) beside INCR and an empty script on the same server in the same
// run. Each figure is one of the best of many short rounds, so that a busy machine matters less.
#include "bench/limiters/bench_memory.h"
#include "bench/limiters/bench_redis.h"

int main(int argc, char** argv) {
  const std::string_view only = argc > 1 ? argv[1] : "";
  einlass::bench::measure_in_process(only);
  einlass::bench::measure_on_redis(only);
}
