// The bytes of the records inside: copied in when a record is read, kept until the gate forgets it.
// The gate itself only knows their ids and sizes, and so bounds how much memory this takes; slots
// that wait for another record keep room of a bounded size beyond that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "app/json/json_needs.h"
#include "app/json/json_reader.h"
#include "app/record/stored_record.h"
#include "core/contract/ids.h"
#include "units/time.h"

namespace einlass::app {

class RecordStore {
 public:
  // `needs`: by RouteId; beyond them nothing is needed.
  explicit RecordStore(std::vector<JsonNeeds> needs = {});

  // From now on this is needed. Records inside are what they were until bring_up_to_date().
  void want(std::vector<JsonNeeds> needs);

  // Copies a message in, and reads of its value what its route needs.
  core::RecordId put(const kafka::Message& message, core::RouteId route);

  // The reference lives until the next call of put().
  // REQUIRES: the record was put in and not forgotten.
  StoredRecord& operator[](core::RecordId id);
  const StoredRecord& operator[](core::RecordId id) const;

  // It goes to another route, with what that one needs of its value.
  void hand_on(core::RecordId id, core::RouteId route);

  // Reads its value again if its route needs something by now that it was not read with. However
  // large it is: it was taken when it came.
  void bring_up_to_date(core::RecordId id);

  void forget(core::RecordId id);

  // The record in that slot, for whoever knows it by nothing else. REQUIRES: there is one.
  const StoredRecord& in(std::uint32_t slot) const { return records_[slot]; }

 private:
  std::uint32_t unused_slot();
  void read_what_lacks(StoredRecord& record, Bytes largest);
  const std::shared_ptr<const JsonNeeds>& needs_of(core::RouteId route) const;

  std::vector<std::shared_ptr<const JsonNeeds>>
      needs_;  // By RouteId; null where nothing is needed.
  JsonReader reader_;
  std::vector<StoredRecord> records_;
  // Slots without a record: those that keep room for the next one, and those that have none.
  std::vector<std::uint32_t> roomy_, bare_;
  std::size_t room_kept_ = 0;  // By all of the roomy ones.
};

}  // namespace einlass::app
