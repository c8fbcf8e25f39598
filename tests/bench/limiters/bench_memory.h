// What a decision costs in this process.
#pragma once

namespace einlass::bench {

void measure_in_process();

}  // namespace einlass::bench
