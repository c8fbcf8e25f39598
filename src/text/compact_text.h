// A text that does not change and takes one pointer where it stands: for tables of very many.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace einlass {

// REQUIRES: shorter than 4 GiB; not used once it is moved from.
class CompactText {
 public:
  explicit CompactText(std::string_view text)
      : bytes_(std::make_unique_for_overwrite<char[]>(sizeof(std::uint32_t) + text.size())) {
    const auto size = static_cast<std::uint32_t>(text.size());
    std::memcpy(bytes_.get(), &size, sizeof size);
    text.copy(bytes_.get() + sizeof size, text.size());
  }

  operator std::string_view() const {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof size);
    return {bytes_.get() + sizeof size, size};
  }

  // For tables that are searched by any text, beside KeyedHash.
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };

 private:
  std::unique_ptr<char[]> bytes_;
};

}  // namespace einlass
