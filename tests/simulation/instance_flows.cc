// What the limiter says of the flows that it is asked for.
#include <algorithm>
#include <memory>
#include <vector>

#include "instance.h"
#include "trace.h"
#include "world.h"

namespace einlass::simulation {

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
      require(!waiting.empty(), "flows_asked_for", "more permits than records of the flows named");
      const auto at = waiting.begin() + dice.between(0, std::ssize(waiting) - 1);
      question.flows.push_back(*at);
      waiting.erase(at);
    }
  }
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
