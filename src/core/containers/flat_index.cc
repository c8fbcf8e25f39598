#include "core/containers/flat_index.h"

#include <utility>

#include "units/check.h"

namespace einlass::core {

std::size_t FlatIndex::home(std::uint64_t key) const {
  // Fibonacci hashing: the high bits of the product depend on all bits of the key.
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & (cells_.size() - 1);
}

std::size_t FlatIndex::cell_of(std::uint64_t key) const {
  std::size_t at = home(key);
  while (cells_[at].used && cells_[at].key != key) at = (at + 1) & (cells_.size() - 1);
  return at;
}

std::optional<std::uint32_t> FlatIndex::find(std::uint64_t key) const {
  if (cells_.empty()) return std::nullopt;
  const Cell& cell = cells_[cell_of(key)];
  if (!cell.used) return std::nullopt;
  return cell.value;
}

void FlatIndex::insert(std::uint64_t key, std::uint32_t value) {
  if (2 * (size_ + 1) > cells_.size()) grow();
  Cell& cell = cells_[cell_of(key)];
  CHECK(!cell.used);
  cell = Cell{key, value, true};
  ++size_;
}

void FlatIndex::erase(std::uint64_t key) {
  CHECK(!cells_.empty());
  std::size_t hole = cell_of(key);
  CHECK(cells_[hole].used);
  const std::size_t mask = cells_.size() - 1;
  // Move later cells of the run back, so that no search stops at the hole too early.
  for (std::size_t at = (hole + 1) & mask; cells_[at].used; at = (at + 1) & mask) {
    const std::size_t distance_home = (at - home(cells_[at].key)) & mask;
    const std::size_t distance_hole = (at - hole) & mask;
    if (distance_home >= distance_hole) {
      cells_[hole] = cells_[at];
      hole = at;
    }
  }
  cells_[hole].used = false;
  --size_;
}

void FlatIndex::grow() {
  constexpr std::size_t kFirst = 64;
  std::vector<Cell> old(cells_.empty() ? kFirst : cells_.size() * 2);
  std::swap(old, cells_);
  for (const Cell& cell : old) {
    if (cell.used) cells_[cell_of(cell.key)] = cell;
  }
}

}  // namespace einlass::core
