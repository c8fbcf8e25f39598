#include "app/redrive/redrive_choice.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace einlass::app {

RedriveChoice::RedriveChoice(const config::Config& config, std::vector<std::string> reasons)
    : config_(config), reasons_(std::move(reasons)) {}

Choice RedriveChoice::of(std::span<const kafka::Header> headers) const {
  Choice choice;
  auto read = read_story(headers);
  if (const auto* wrong = std::get_if<std::string>(&read)) {
    choice.why = *wrong;
    return choice;
  }
  choice.story = std::get<DeadStory>(read);
  const std::string_view name = choice.story.route;
  const auto route = std::ranges::find(config_.routes, name, &config::Route::name);
  if (route == config_.routes.end()) {
    choice.why =
        "its route '" + std::string(name) + "' is not in the configuration; name a route so";
    return choice;
  }
  // What is refused again would be tried for ever, and hold all that comes behind it.
  if (route->dead_letter.empty()) {
    choice.why = "its route '" + std::string(name) + "' has no dead_letter any more; give it one";
    return choice;
  }
  const auto wanted = [&](const std::string& reason) { return reason == choice.story.reason; };
  const bool skip = !reasons_.empty() && std::none_of(reasons_.begin(), reasons_.end(), wanted);
  choice.kind = skip ? Choice::Kind::skip : Choice::Kind::send;
  choice.route = core::RouteId{static_cast<std::uint16_t>(route - config_.routes.begin())};
  return choice;
}

}  // namespace einlass::app
