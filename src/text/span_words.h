// A length of time as exact as people want it.
#pragma once

#include <string>

#include "units/time.h"

namespace einlass {

// As `420 ms`, `2.4 s`, `5 min`, `3 h 20 min` or `4 d 2 h`; never less than it is. A negative one
// is none.
std::string span_in_words(Duration span);

}  // namespace einlass
