// One text for all ways to write a number in JSON, so that 1, 1.0 and 1e0 are one key.
#pragma once

#include <string>
#include <string_view>

namespace einlass::app {

// Whole numbers of up to 18 digits as digits; others as digits and an exponent, without zeros at
// either end: exact, whatever a double could hold. REQUIRES: a number as JSON writes it.
std::string same_number(std::string_view number);

}  // namespace einlass::app
