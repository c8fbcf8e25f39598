// Records that go to a target in one request, while they are being gathered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/contract/command.h"
#include "core/contract/options.h"
#include "core/records/record.h"
#include "units/id.h"

namespace einlass::core {

class Batch {
 public:
  explicit Batch(const BatchOptions& options)
      : most_{options.records}, bytes_left_{options.bytes}, names_left_{options.names} {}

  bool empty() const { return records_ == 0; }
  bool full() const { return records_ >= most_; }

  // Whether the record may be the next. The first may, whatever its size is.
  bool takes(const Record& record) const {
    return empty() || (records_ < std::min(most_, record.most_together) &&
                       record.content.value <= bytes_left_.value &&
                       name_size_of(record).value <= names_left_.value);
  }

  // Books the record, whose Send is the last of `commands`. REQUIRES: takes().
  void add(const Record& record, Commands& commands) {
    ++records_;
    most_ = std::min(most_, record.most_together);
    bytes_left_.value -= record.content.value;
    names_left_.value -= name_size_of(record).value;
    run_.reset();
    if (record.name_size > 0) run_ = {record.partition, Offset{record.offset.value + 1}};
    if (last_) std::get<Send>(commands[*last_]).more = true;
    last_ = commands.size() - 1;
  }

 private:
  // Records whose offsets follow one another are named together, but for dead letters, which are
  // named by the offsets that they had at first.
  Bytes name_size_of(const Record& record) const {
    const bool follows = run_ && !record.named_apart && run_->partition == record.partition &&
                         run_->next == record.offset;
    return Bytes{follows ? 0 : record.name_size};
  }

  struct Run {
    PartitionId partition;
    Offset next;
  };

  std::uint32_t most_;
  Bytes bytes_left_, names_left_;
  std::optional<Run> run_;  // That the last record is in.
  std::uint32_t records_ = 0;
  std::optional<std::size_t> last_;  // Where the last one's Send stands.
};

}  // namespace einlass::core
