// What a decision costs Redis.
#pragma once

namespace einlass::bench {

void measure_on_redis();

}  // namespace einlass::bench
