// "did you mean": the known name that is nearest to what was written, or that means the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::config {

// The nearest of `known`, or what is called `written` elsewhere; none if nothing is near enough to
// be a slip of the hand.
std::optional<std::string_view> nearest(std::string_view written,
                                        const std::vector<std::string_view>& known);

// "did you mean `window`?" for the nearest of `known`, if there is one.
std::optional<std::string> suggestion(std::string_view written,
                                      const std::vector<std::string_view>& known);

}  // namespace einlass::config
