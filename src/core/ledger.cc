#include "core/ledger.h"

#include "units/check.h"

namespace einlass::core {

void Ledger::open(Offset next) {
  begin_ = end_ = 0;
  finished_ahead_ = 0;
  committable_ = next;
}

Ledger::Entry Ledger::arrive(Offset offset, std::uint32_t slot) {
  CHECK(slot != kFinished);
  if (begin_ == end_) {
    CHECK(offset >= committable_);
    // Nothing below this offset can still come, whatever gap lies before it.
    if (committable_.value < 0) committable_ = offset;
  } else {
    CHECK(offset > at(end_ - 1).offset);
  }
  if (span() == ring_.size()) grow();
  at(end_) = Line{offset, slot};
  return end_++;
}

void Ledger::finish(Entry entry) {
  CHECK(entry >= begin_ && entry < end_);
  CHECK(at(entry).slot != kFinished);
  at(entry).slot = kFinished;
  ++finished_ahead_;
  while (begin_ != end_ && at(begin_).slot == kFinished) {
    committable_ = Offset{at(begin_).offset.value + 1};
    ++begin_;
    --finished_ahead_;
  }
}

void Ledger::grow() {
  constexpr std::size_t kFirst = 64;
  std::vector<Line> larger(ring_.empty() ? kFirst : ring_.size() * 2);
  for (Entry entry = begin_; entry != end_; ++entry) {
    larger[entry & (larger.size() - 1)] = at(entry);
  }
  ring_.swap(larger);
}

}  // namespace einlass::core
