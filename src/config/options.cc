#include "config/options.h"

#include "config/option_parts.h"

namespace einlass::config {
namespace {

std::vector<Option> put_together() {
  std::vector<Option> all;
  for (const std::span<const Option> part :
       {options_of_service(), options_of_limits(), options_of_targets(), options_of_routes()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

std::span<const Option> all_options() {
  static const std::vector<Option> all = put_together();
  return all;
}

std::vector<std::string_view> option_names(std::string_view section) {
  std::vector<std::string_view> names;
  for (const Option& option : all_options()) {
    if (option.section == section) names.push_back(option.name);
  }
  return names;
}

}  // namespace einlass::config
