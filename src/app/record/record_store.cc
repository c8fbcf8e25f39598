#include "app/record/record_store.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "units/check.h"

namespace einlass::app {
namespace {

// A slot that once held a larger record gives the room back; smaller ones keep it for the next,
constexpr std::size_t kRoomKept = 2 * 1024;

// unless all that wait for one have this much already: what they keep is nobody's `inside`.
constexpr std::size_t kMostRoomKept = 4 * 1024 * 1024;

}  // namespace

RecordStore::RecordStore(std::vector<JsonNeeds> needs) { want(std::move(needs)); }

void RecordStore::want(std::vector<JsonNeeds> needs) {
  needs_.resize(needs.size());
  for (std::size_t route = 0; route < needs.size(); ++route) {
    auto& now = needs_[route];
    if (!needs[route].any()) {
      now = nullptr;
    } else if (now == nullptr || !(*now == needs[route])) {
      now = std::make_shared<const JsonNeeds>(std::move(needs[route]));
    }
  }
}

const std::shared_ptr<const JsonNeeds>& RecordStore::needs_of(core::RouteId route) const {
  static const std::shared_ptr<const JsonNeeds> nothing;
  return route.value < needs_.size() ? needs_[route.value] : nothing;
}

std::uint32_t RecordStore::unused_slot() {
  for (std::vector<std::uint32_t>* slots : {&roomy_, &bare_}) {
    if (slots->empty()) continue;
    const std::uint32_t slot = slots->back();
    slots->pop_back();
    return slot;
  }
  records_.emplace_back();
  return static_cast<std::uint32_t>(records_.size() - 1);
}

core::RecordId RecordStore::put(const kafka::Message& message, core::RouteId route) {
  const std::uint32_t slot = unused_slot();
  StoredRecord& record = records_[slot];
  room_kept_ -= record.room();
  record.taken_ = true;
  const auto& needs = needs_of(route);
  record.fill(message, route, needs != nullptr && message.value ? JsonReader::kPadding : 0);
  record.read_json(needs, reader_, needs != nullptr ? needs->largest : Bytes{});
  return {slot, record.use_};
}

StoredRecord& RecordStore::operator[](core::RecordId id) {
  return const_cast<StoredRecord&>(std::as_const(*this)[id]);
}

const StoredRecord& RecordStore::operator[](core::RecordId id) const {
  CHECK(id.slot < records_.size());
  const StoredRecord& record = records_[id.slot];
  CHECK(record.taken_);
  CHECK(record.use_ == id.use);
  return record;
}

void RecordStore::hand_on(core::RecordId id, core::RouteId route) {
  StoredRecord& record = (*this)[id];
  record.route = route;
  const auto& needs = needs_of(route);
  if (needs != nullptr) read_what_lacks(record, needs->largest);
}

void RecordStore::bring_up_to_date(core::RecordId id) {
  read_what_lacks((*this)[id], Bytes{std::numeric_limits<std::int64_t>::max()});
}

void RecordStore::read_what_lacks(StoredRecord& record, Bytes largest) {
  const auto& needs = needs_of(record.route);
  if (record.needs_ == needs || needs == nullptr) return;
  if (record.needs_ != nullptr && record.needs_->cover(*needs)) return;
  record.read_json(needs, reader_, largest);
}

void RecordStore::forget(core::RecordId id) {
  StoredRecord& record = (*this)[id];
  record.taken_ = false;
  ++record.use_;
  const std::size_t room = record.room();
  if (room > kRoomKept || room_kept_ + room > kMostRoomKept) record.give_room_back();
  room_kept_ += record.room();
  (record.room() > 0 ? roomy_ : bare_).push_back(id.slot);
}

}  // namespace einlass::app
