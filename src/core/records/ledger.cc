#include "core/records/ledger.h"

#include <algorithm>
#include <bit>

#include "units/check.h"

namespace einlass::core {

void Ledger::open(Offset next, std::span<const OffsetRange> finished) {
  begin_ = end_ = 0;
  if (ring_.size() > kKept) ring_ = {};
  finished_ahead_ = runs_ = 0;
  restored_.assign(finished.begin(), finished.end());
  known_ = 0;
  committable_ = next;
}

Ledger::Entry Ledger::arrive(Offset offset, std::uint32_t slot) {
  CHECK(slot != kFinished);
  return enter(offset, slot);
}

Ledger::Entry Ledger::enter(Offset offset, std::uint32_t slot) {
  if (begin_ == end_) {
    CHECK(offset >= committable_);
    // Nothing below this offset can still come, whatever gap lies before it.
    if (committable_.value < 0) committable_ = offset;
  } else {
    CHECK(offset > at(end_ - 1).offset);
  }
  if (span() == ring_.size()) ring_ = arrivals_in_ring(std::max(kFewest, 2 * ring_.size()));
  at(end_) = Arrival{offset, slot};
  return end_++;
}

bool Ledger::knows(Offset offset) {
  for (; known_ < restored_.size() && restored_[known_].end <= offset; ++known_) {
    // Its offsets are deleted by now and never came: what was told of them still holds.
    const Offset last{restored_[known_].end.value - 1};
    if (begin_ == end_) {
      committable_ = committable();
    } else if (last > at(end_ - 1).offset) {
      pass_over(last);
    }
  }
  return known_ < restored_.size() && restored_[known_].first <= offset;
}

void Ledger::pass_over(Offset offset) {
  // Entered as unfinished for a moment: one function finishes.
  const Entry entry = enter(offset, 0);
  finish(entry);
}

void Ledger::finish(Entry entry) {
  CHECK(entry >= begin_ && entry < end_);
  CHECK(at(entry).slot != kFinished);
  note_finished(entry);
  if (entry != begin_) return;
  --runs_;  // The run that begins here is ahead no longer.
  while (begin_ != end_ && at(begin_).slot == kFinished) {
    committable_ = Offset{at(begin_).offset.value + 1};
    ++begin_;
    --finished_ahead_;
  }
}

// It makes a run of its own, or makes one longer, or joins two.
void Ledger::note_finished(Entry entry) {
  runs_ += 1;
  if (entry > begin_ && is_finished(entry - 1)) --runs_;
  if (is_finished(entry + 1)) --runs_;
  at(entry).slot = kFinished;
  ++finished_ahead_;
}

Offset Ledger::committable() const {
  if (begin_ != end_ || known_ == restored_.size()) return committable_;
  // All that arrived is finished, and what comes next was before.
  const OffsetRange& next = restored_[known_];
  return next.first <= committable_ ? std::max(committable_, next.end) : committable_;
}

std::vector<OffsetRange> Ledger::finished_ranges() const {
  std::vector<OffsetRange> ranges;
  const auto add = [&ranges](Offset first, Offset end) {
    if (!ranges.empty() && ranges.back().end >= first) {
      ranges.back().end = end;
    } else {
      ranges.push_back({first, end});
    }
  };
  for (Entry entry = begin_; finished_ahead_ > 0 && entry != end_; ++entry) {
    if (!is_finished(entry)) continue;
    const bool goes_on = entry > begin_ && is_finished(entry - 1);
    // Offsets that never came, between two finished ones, count as finished.
    const Offset first = goes_on ? ranges.back().end : at(entry).offset;
    add(first, Offset{at(entry).offset.value + 1});
  }
  const Offset newest = begin_ == end_ ? committable() : Offset{at(end_ - 1).offset.value + 1};
  for (std::size_t i = known_; i < restored_.size(); ++i) {
    if (restored_[i].end > newest) add(std::max(restored_[i].first, newest), restored_[i].end);
  }
  return ranges;
}

std::size_t Ledger::most_text() const {
  const std::size_t unfinished = span() - finished_ahead_;
  const std::size_t numbers = 2 * (runs_ + restored_.size() - known_) + 1 + unfinished;
  Offset end = begin_ == end_ ? committable_ : Offset{at(end_ - 1).offset.value + 1};
  if (known_ < restored_.size()) end = std::max(end, restored_.back().end);
  return most_finished_text(numbers, end.value - committable_.value);
}

Ledger::Found Ledger::find(Offset offset) const {
  if (offset < committable()) return {true};
  Entry first = begin_;
  for (Entry end = end_; first != end;) {
    const Entry middle = first + (end - first) / 2;
    at(middle).offset < offset ? first = middle + 1 : end = middle;
  }
  if (first != end_) {
    const bool here = at(first).offset == offset && at(first).slot != kFinished;
    return here ? Found{false, at(first).slot, first} : Found{true};
  }
  for (std::size_t i = known_; i < restored_.size(); ++i) {
    if (restored_[i].first <= offset && offset < restored_[i].end) return {true};
  }
  return {};
}

Ledger Ledger::after(std::span<const Entry> finished) const {
  Ledger after;
  after.ring_ = arrivals_in_ring(std::max(kFewest, std::bit_ceil(span())));
  after.begin_ = begin_;
  after.end_ = end_;
  after.finished_ahead_ = finished_ahead_;
  after.runs_ = runs_;
  after.restored_ = restored_;
  after.known_ = known_;
  after.committable_ = committable_;
  for (const Entry entry : finished) after.finish(entry);
  return after;
}

// REQUIRES: `size` is a power of two, and no less than span().
std::vector<Ledger::Arrival> Ledger::arrivals_in_ring(std::size_t size) const {
  std::vector<Arrival> ring(size);
  for (Entry entry = begin_; entry != end_; ++entry) ring[entry & (size - 1)] = at(entry);
  return ring;
}

}  // namespace einlass::core
