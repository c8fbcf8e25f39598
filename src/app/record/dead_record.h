// A record as its dead letter topic gets it: as it was, with its story in headers.
#pragma once

#include <string>
#include <vector>

#include "adapters/kafka/producing/dead_letters.h"
#include "app/record/record_store.h"
#include "config/model/config.h"
#include "core/contract/command.h"

namespace einlass::app {

// "refused".
std::string name_of(core::DeadLetterReason reason);

// Why a record of that content is a dead letter where at most so much is taken, as a sentence.
std::string too_large_text(Bytes content, Bytes most);

// The dead record's views live as long as the builder and the stored record.
class DeadRecordBuilder {
 public:
  DeadRecordBuilder(const StoredRecord& record, const core::DeadLetter& command,
                    const config::Route& route);
  DeadRecordBuilder(const DeadRecordBuilder&) = delete;
  DeadRecordBuilder& operator=(const DeadRecordBuilder&) = delete;

  const kafka::DeadRecord& record() const { return dead_; }

 private:
  void add(std::string_view name, std::string value);

  std::vector<std::string> values_;  // Its room is set aside, so that views stay.
  std::vector<kafka::Header> headers_;
  kafka::DeadRecord dead_;
};

}  // namespace einlass::app
