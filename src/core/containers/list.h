// A list, mostly first in, first out, through items that live in a table: no allocation, and any
// item can be taken out at once.
#pragma once

#include <cstdint>

namespace einlass::core {

// An item's index in its table.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

struct Links {
  Slot next = kNoSlot;
  Slot prev = kNoSlot;
};

// Links items through their member kLinks. The table is given to each call; table[slot] is the
// item.
template <class Item, Links Item::*kLinks>
class List {
 public:
  bool empty() const { return head_ == kNoSlot; }
  Slot front() const { return head_; }
  Slot back() const { return tail_; }
  std::uint32_t size() const { return size_; }

  // REQUIRES: the item is in no list through these links.
  template <class Table>
  void push_back(Table& table, Slot slot) {
    table[slot].*kLinks = Links{kNoSlot, tail_};
    (tail_ == kNoSlot ? head_ : (table[tail_].*kLinks).next) = slot;
    tail_ = slot;
    ++size_;
  }

  // REQUIRES: as above.
  template <class Table>
  void push_front(Table& table, Slot slot) {
    table[slot].*kLinks = Links{head_, kNoSlot};
    (head_ == kNoSlot ? tail_ : (table[head_].*kLinks).prev) = slot;
    head_ = slot;
    ++size_;
  }

  // REQUIRES: the item is in this list.
  template <class Table>
  void erase(Table& table, Slot slot) {
    const Links links = table[slot].*kLinks;
    (links.prev == kNoSlot ? head_ : (table[links.prev].*kLinks).next) = links.next;
    (links.next == kNoSlot ? tail_ : (table[links.next].*kLinks).prev) = links.prev;
    --size_;
  }

 private:
  Slot head_ = kNoSlot;
  Slot tail_ = kNoSlot;
  std::uint32_t size_ = 0;
};

}  // namespace einlass::core
