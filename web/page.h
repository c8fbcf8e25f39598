// The live page: one HTML document that needs nothing from outside.
#pragma once

#include <string_view>

namespace einlass::web {

extern const std::string_view kPage;

}  // namespace einlass::web
