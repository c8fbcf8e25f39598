// A heap of things that are known by small numbers: the least key first, and any of them can be
// moved or taken out. What has been in it needs no allocation to come again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace einlass::core {

// Key is copied, and has <. Equal keys come in any order, but the same calls give the same order.
template <class Key>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }

  // The one with the least key. REQUIRES: not empty.
  std::uint32_t front() const { return entries_.front().index; }
  const Key& front_key() const { return entries_.front().key; }

  // Appends the first `most` to `out`, the least first; all, if there are not so many.
  void least(std::size_t most, std::vector<std::uint32_t>& out) const {
    const auto later = [this](std::size_t a, std::size_t b) {
      return entries_[b].key < entries_[a].key;
    };
    std::vector<std::size_t> seen;  // Whose parents were taken; a heap of its own.
    if (!entries_.empty()) seen.push_back(0);
    for (; most > 0 && !seen.empty(); --most) {
      std::pop_heap(seen.begin(), seen.end(), later);
      const std::size_t at = seen.back();
      seen.pop_back();
      out.push_back(entries_[at].index);
      const std::size_t end = std::min(at * kChildren + 1 + kChildren, entries_.size());
      for (std::size_t child = at * kChildren + 1; child < end; ++child) {
        seen.push_back(child);
        std::push_heap(seen.begin(), seen.end(), later);
      }
    }
  }

  // One of the last. REQUIRES: not empty.
  std::uint32_t back() const { return entries_.back().index; }

  // Null for what is not in it.
  const Key* find(std::uint32_t index) const {
    if (index >= entry_of_.size() || entry_of_[index] == kNowhere) return nullptr;
    return &entries_[entry_of_[index]].key;
  }

  // Puts it in, or moves it.
  void set(std::uint32_t index, const Key& key) {
    if (index >= entry_of_.size()) {
      entry_of_.resize(std::max<std::size_t>(index + 1, entry_of_.size() * 2), kNowhere);
    }
    std::size_t at = entry_of_[index];
    if (at == kNowhere) {
      at = entries_.size();
      entries_.push_back({key, index});
    }
    settle(at, {key, index});
  }

  void erase(std::uint32_t index) {
    if (find(index) == nullptr) return;
    const std::size_t at = entry_of_[index];
    entry_of_[index] = kNowhere;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at < entries_.size()) settle(at, last);
  }

 private:
  struct Entry {
    Key key;
    std::uint32_t index;
  };
  static constexpr std::size_t kChildren = 4;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    entry_of_[entry.index] = static_cast<std::uint32_t>(at);
  }

  // Where nothing stands now, or what is to be moved.
  void settle(std::size_t at, const Entry& entry) {
    while (at > 0 && entry.key < entries_[(at - 1) / kChildren].key) {
      put(at, entries_[(at - 1) / kChildren]);
      at = (at - 1) / kChildren;
    }
    for (;;) {
      const std::size_t first = at * kChildren + 1;
      if (first >= entries_.size()) break;
      const std::size_t end = std::min(first + kChildren, entries_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (entries_[child].key < entries_[least].key) least = child;
      }
      if (!(entries_[least].key < entry.key)) break;
      put(at, entries_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> entries_;           // Four children to a node.
  std::vector<std::uint32_t> entry_of_;  // By index.
};

}  // namespace einlass::core
