#include "whole_gate/table_follower.h"

#include <boost/asio/post.hpp>
#include <memory>

#include "app/steering/make_table.h"
#include "whole_gate/plan.h"

namespace einlass::whole {
namespace {

// By the indexes in the gate's file: its first limit is the one that keys and quotas are of.
bool names(const app::Pauses& pauses, const TableEntry& entry) {
  switch (entry.about) {
    case TableEntry::About::route:
      return pauses.routes[entry.number];
    case TableEntry::About::target:
      return pauses.targets[entry.name == kFirstPath ? 0 : 1];
    case TableEntry::About::topic:
      return pauses.topics.contains(entry.name);
    case TableEntry::About::key:
      return pauses.keys[0].contains(entry.name);
    case TableEntry::About::quota:
      return false;
  }
  return false;
}

}  // namespace

TableFollower::TableFollower(boost::asio::io_context& io, const config::Config& config,
                             app::ProcessLimits& limits, const app::KafkaLogins& logins,
                             const Clock& clock, app::Shard& shard, TableBook& book,
                             const Notify& notify)
    : io_(io),
      shard_(shard),
      book_(book),
      steering_(io, config, limits.values(), limits.weights(), clock, told_by_steering(notify)) {
  steering_.start([&](FleetTable::Listener& listener) {
    return app::make_table(io, config, logins, listener, notify);
  });
}

app::Steering::Callbacks TableFollower::told_by_steering(const Notify& notify) {
  return {.notify = notify,
          .paused = [this](const app::Pauses& pauses) { pause(pauses); },
          .ready = [this] { ready_ = true; }};
}

// The shard has a thread of its own in a process, and hears of it by a message.
void TableFollower::pause(const app::Pauses& pauses) {
  const auto shared = std::make_shared<const app::Pauses>(pauses);
  boost::asio::post(io_, [this, shared] {
    shard_.pause(shared);
    for (std::size_t i = 0; i < book_.entries().size(); ++i) {
      if (names(*shared, book_.entries()[i])) book_.told(i);
    }
  });
}

void TableFollower::look_at_table() {
  if (!ready_) return;
  for (std::size_t i = 0; i < book_.entries().size(); ++i) {
    const TableEntry& entry = book_.entries()[i];
    const bool holds = steering_.find(*app::subject_of(entry.key)).has_value();
    if (holds && entry.about == TableEntry::About::quota) book_.told(i);
    if (!holds && book_.is_over(i)) book_.forgotten(i);
  }
}

}  // namespace einlass::whole
