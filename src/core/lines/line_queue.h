// The lines that wait for one scarce thing, and whose turn it is.
//
// First come, first served, and whoever wants more goes to the end. Lines with nothing but retries
// stand apart where retries have only a share: while others wait too, they have a turn only when
// the credit pays for it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/containers/list.h"
#include "core/fairness/credit.h"
#include "core/lines/line.h"

namespace einlass::core {

class LineQueue {
 public:
  using Lines = std::vector<Line>;

  bool empty() const { return fresh_.empty() && retries_.empty(); }
  std::uint32_t size() const { return fresh_.size() + retries_.size(); }

  // How many of them have fresh records, as far as they have not lost these since they came.
  std::uint32_t fresh() const { return fresh_.size(); }

  // Behind the others; or first, where it had its turn and got nothing.
  // REQUIRES: the line is in no queue.
  void join(Lines& lines, Slot slot, bool first = false) {
    Line& line = lines[slot];
    line.among_retries = line.only_retries();
    auto& queue = line.among_retries ? retries_ : fresh_;
    first ? queue.push_front(lines, slot) : queue.push_back(lines, slot);
  }

  // REQUIRES: the line is here.
  void leave(Lines& lines, Slot slot) {
    (lines[slot].among_retries ? retries_ : fresh_).erase(lines, slot);
  }

  // The first of those with nothing but retries; kNoSlot if there is none.
  Slot retry() const { return retries_.front(); }

  // Whose turn it is; kNoSlot if nobody waits.
  Slot next(const Lines& lines, const SharedCredit& credit) const {
    if (retries_.empty()) return fresh_.front();
    if (fresh_.empty()) return retries_.front();
    const bool pays = credit.pays(false, lines[retries_.front()].retry_share);
    return pays ? retries_.front() : fresh_.front();
  }

  // The same; who is with the others though he has nothing but retries by now, or the other way
  // about, goes to the end of those to whom he belongs.
  Slot next_in_its_list(Lines& lines, const SharedCredit& credit) {
    Slot slot = next(lines, credit);
    while (slot != kNoSlot && lines[slot].among_retries != lines[slot].only_retries()) {
      leave(lines, slot);
      join(lines, slot);
      slot = next(lines, credit);
    }
    return slot;
  }

  // Calls f with those that wait, `most` at most.
  template <class F>
  void each(const Lines& lines, std::uint32_t most, F f) const {
    for (const auto* queue : {&fresh_, &retries_}) {
      for (Slot at = queue->front(); at != kNoSlot && most > 0; --most) {
        f(lines[at]);
        at = lines[at].in_queue.next;
      }
    }
  }

  // Calls f with the first and the last of each kind, `most` each at most, the first of them before
  // the last or the other way about. One may come twice.
  template <class F>
  void near_ends(const Lines& lines, std::uint32_t most, bool last_before, F f) const {
    for (const auto* queue : {&fresh_, &retries_}) {
      for (const bool last : {last_before, !last_before}) {
        Slot at = last ? queue->back() : queue->front();
        for (std::uint32_t n = most; n > 0 && at != kNoSlot; --n) {
          f(at);
          const Links& links = lines[at].in_queue;
          at = last ? links.prev : links.next;
        }
      }
    }
  }

 private:
  List<Line, &Line::in_queue> fresh_;
  List<Line, &Line::in_queue> retries_;
};

}  // namespace einlass::core
