#include "app/replay/replay_book.h"

namespace einlass::app {

Asked* ReplayBook::find(const std::string& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Asked& ReplayBook::add(const std::string& id) {
  if (asked_.size() == kMostAsked) forget_oldest();
  Asked& asked = asked_.emplace_back();
  const auto [entry, is_new] = by_id_.try_emplace(id, nullptr);
  if (!is_new) entry->second->id = nullptr;
  entry->second = &asked;
  asked.id = &entry->first;
  return asked;
}

void ReplayBook::answered(Asked& asked, std::span<const Duration> due) {
  asked.answered = true;
  asked.due.assign(due.begin(), due.end());
  permits_ += due.size();
  while (permits_ > kMostPermits && &asked_.front() != &asked) forget_oldest();
}

void ReplayBook::forget_oldest() {
  const Asked& oldest = asked_.front();
  permits_ -= oldest.due.size();
  if (oldest.id != nullptr) by_id_.erase(by_id_.find(*oldest.id));
  asked_.pop_front();
}

}  // namespace einlass::app
