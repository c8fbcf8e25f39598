// Who is next of those that take turns by weight: WF2Q+, the worst-case fair queueing of Bennett
// and Zhang ("Hierarchical packet fair queueing algorithms", IEEE/ACM Transactions on Networking
// 5(5), 1997).
//
// Each has a virtual time up to which it has been served: what it took, divided by its weight. The
// queue's own virtual time goes on by what is taken, divided by the weights of all who have
// something ready. Next is, among those who are not ahead of the queue's time, whoever would be
// done with one more first. So over any stretch in which one has something ready it gets at most
// two less than its weight's part, however many others there are and however they come and go.
//
// Who has nothing ready keeps its time until the queue has passed it: else whoever always has just
// one thing ready would be new each time. Nothing is saved up: who comes back begins no earlier
// than the queue's time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/containers/heap.h"
#include "core/contract/flow.h"

namespace einlass::core {

// Begins again at 0 after its last value, so only near ones can be compared.
struct VirtualTime {
  std::uint64_t value = 0;

  bool operator<(VirtualTime other) const {
    return static_cast<std::int64_t>(value - other.value) < 0;
  }
};

class FairQueue {
 public:
  // Nobody has anything ready.
  bool empty() const { return ready_weights_ == 0; }

  // The weights of all who have something ready.
  std::uint64_t weights() const { return ready_weights_; }

  // It has something ready from now on, or it has had and its weight is another now.
  // REQUIRES: 1 <= weight <= kMostWeight; indexes are dense.
  void join(std::uint32_t index, std::uint32_t weight);

  // It has nothing ready any more. REQUIRES: it had.
  void leave(std::uint32_t index);

  // Who is next. REQUIRES: not empty().
  std::uint32_t next() const { return eligible_.front(); }

  // It took so much. REQUIRES: it has something ready; amount >= 1.
  void charge(std::uint32_t index, std::int64_t amount);

  // Those that are likely to be next, at most so many: first of those that are not ahead, then of
  // the others. Appends them to `out`. Allocates.
  void candidates(std::size_t most, std::vector<std::uint32_t>& out) const;

  // When it would be done with that much more. REQUIRES: it joined some time.
  VirtualTime done_with(std::uint32_t index, std::int64_t amount) const;

  // Somebody of whom nothing needs to be remembered any more, so that the index may be another's;
  // none if there is nobody.
  std::optional<std::uint32_t> take_forgotten();

  // Somebody that was taken is to be remembered longer all the same.
  void remember(std::uint32_t index);

  // Its weight, as it was told the last time. REQUIRES: it joined some time.
  std::uint32_t weight(std::uint32_t index) const { return members_[index].weight; }

 private:
  struct Member {
    std::uint32_t weight = 0;
    std::uint32_t rest = 0;  // Of the last division by the weight: so no error adds up.
    VirtualTime served;
    bool known = false;  // Else `served` is no time at all, and cannot be compared.
    bool ready = false;
  };

  void put(std::uint32_t index);
  void go_on();

  std::vector<Member> members_;
  std::uint64_t ready_weights_ = 0;
  VirtualTime time_;
  VirtualTime most_served_;
  // Ready and not ahead of the queue's time, by when one more would be done; ready and ahead; and
  // not ready, but ahead: both by their time. Somebody is eligible unless nobody is ready.
  Heap<VirtualTime> eligible_, ahead_, remembered_;
};

}  // namespace einlass::core
