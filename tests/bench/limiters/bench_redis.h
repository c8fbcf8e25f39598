// What a decision costs Redis.
#pragma once

#include <string_view>

namespace einlass::bench {

// `only`: as loads() has it; the rest is then left out.
void measure_on_redis(std::string_view only);

}  // namespace einlass::bench
