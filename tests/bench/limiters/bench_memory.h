// What a decision costs in this process.
#pragma once

#include <string_view>

namespace einlass::bench {

// `only`: as loads() has it; the rest is then left out.
void measure_in_process(std::string_view only);

}  // namespace einlass::bench
