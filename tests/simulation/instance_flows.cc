// What the limiter says of the flows that it is asked for.
#include <algorithm>
#include <memory>
#include <vector>

#include "instance.h"
#include "trace.h"
#include "world.h"

namespace einlass::simulation {

// Where a limit of the fleet had less than was asked for it may be for another's sake. Not where
// all is to go at full speed: whose turn it is would be nobody's, and the limit unused meanwhile.
HeldUp Instance::held_up(const core::Ask& command, const Question& question,
                         const Decision& decision) {
  if (world_.settings.at_full_speed || !decision.retry) return HeldUp::no;
  if (std::ssize(decision.stamps) == command.max.value) return HeldUp::no;
  const core::RouteId route = lines_[question.line.value].route;
  const std::uint32_t fleet_limits = settings_.gate.routes[route.value].fleet_limits;
  if ((fleet_limits >> decision.reason & 1) == 0) return HeldUp::no;
  return static_cast<HeldUp>(world_.dice.between(0, 2));
}

// Any division is as good as another here, as long as each permit finds a record of its flow.
std::shared_ptr<ToldFlows> Instance::flows_of(const core::Ask& command, Question& question,
                                              const Decision& decision) {
  if (command.flows == nullptr || question.stand_in) return nullptr;
  Dice& dice = world_.dice;
  const AskingFlows& asked = *command.flows;
  auto told = std::make_shared<ToldFlows>();
  if (question.flows.size() != decision.stamps.size()) {
    std::vector<std::uint16_t> waiting;
    for (std::uint16_t i = 0; i < asked.flows.size(); ++i) {
      waiting.insert(waiting.end(), static_cast<std::size_t>(asked.flows[i].records), i);
    }
    question.flows.clear();
    while (question.flows.size() < decision.stamps.size()) {
      require(!waiting.empty(), "world", "more permits than records of the flows named");
      const auto at = waiting.begin() + dice.between(0, std::ssize(waiting) - 1);
      question.flows.push_back(*at);
      waiting.erase(at);
    }
  }
  told->held_up = held_up(command, question, decision);
  told->flow = question.flows;
  told->epoch = dice.chance(0.1) ? dice.between(0, 3) : asked.epoch;
  for (std::size_t i = 0; i < asked.levels; ++i) {
    told->time.push_back(asked.time[i] + dice.between(0, 5'000));
  }
  for (const AskingFlow& flow : asked.flows) {
    told->served.push_back(flow.served.value_or(0) + dice.between(0, 5'000));
  }
  return told;
}

}  // namespace einlass::simulation
