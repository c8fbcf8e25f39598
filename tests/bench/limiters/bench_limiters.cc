// What a decision costs, in process by the clock, and on Redis by the server's own account (INFO
// commandstats, time inside EVALSHA) beside INCR and an empty script on the same server in the same
// run. Each figure is one of the best of many short rounds, so that a busy machine matters less.
#include "bench/limiters/bench_memory.h"
#include "bench/limiters/bench_redis.h"

int main() {
  einlass::bench::measure_in_process();
  einlass::bench::measure_on_redis();
}
