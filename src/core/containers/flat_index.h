// From a 64-bit hash to a small number: open addressing in one array, no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace einlass::core {

class FlatIndex {
 public:
  std::optional<std::uint32_t> find(std::uint64_t key) const;

  // REQUIRES: the key is not there.
  void insert(std::uint64_t key, std::uint32_t value);

  // REQUIRES: the key is there.
  void erase(std::uint64_t key);

  std::size_t size() const { return size_; }

 private:
  struct Cell {
    std::uint64_t key = 0;
    std::uint32_t value = 0;
    bool used = false;
  };

  std::size_t home(std::uint64_t key) const;
  std::size_t cell_of(std::uint64_t key) const;
  void grow();

  std::vector<Cell> cells_;  // A power of two long, at most half full.
  std::size_t size_ = 0;
};

}  // namespace einlass::core
