// A key and its quota as a gate remembers them: in one piece of memory, for there may be 200,000 of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "config/model/config.h"
#include "limits/contract/limit.h"
#include "units/check.h"
#include "units/keyed_hash.h"

namespace einlass::app {

// REQUIRES: a key shorter than 64 KiB; not used once it is moved from.
class KnownQuota {
 public:
  KnownQuota(std::string_view key, const config::LimitValue& value)
      : bytes_(std::make_unique_for_overwrite<char[]>(
            sizeof(Head) + size_of(value.parameters) + (value.pace ? size_of(*value.pace) : 0) +
            key.size())) {
    CHECK(key.size() <= UINT16_MAX);
    const Head head{static_cast<std::uint16_t>(key.size()),
                    static_cast<std::uint8_t>(value.parameters.index()),
                    static_cast<std::uint8_t>(value.pace ? value.pace->index() : kNoPace)};
    char* at = bytes_.get();
    std::memcpy(at, &head, sizeof head);
    at += sizeof head;
    at += key.copy(at, key.size());
    at += write(value.parameters, at);
    if (value.pace) write(*value.pace, at);
  }

  std::string_view key() const { return {bytes_.get() + sizeof(Head), head().key}; }

  // Without the burst as it was written: the parameters have it.
  config::LimitValue value() const {
    const Head in_front = head();
    const char* at = key().data() + in_front.key;
    config::LimitValue value{.parameters = read(in_front.kind, at, kKinds)};
    at += size_of(value.parameters);
    if (in_front.pace != kNoPace) value.pace = read(in_front.pace, at, kKinds);
    return value;
  }

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const KnownQuota& quota) const { return keyed_hash(quota.key()); }
    std::size_t operator()(std::string_view key) const { return keyed_hash(key); }
  };
  struct SameKey {
    using is_transparent = void;
    bool operator()(const KnownQuota& a, const KnownQuota& b) const { return a.key() == b.key(); }
    bool operator()(const KnownQuota& a, std::string_view b) const { return a.key() == b; }
    bool operator()(std::string_view a, const KnownQuota& b) const { return a == b.key(); }
  };

 private:
  using Parameters = limits::Parameters;
  static constexpr std::uint8_t kNoPace = 0xff;

  static constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<Parameters>>();

  // Behind it stand the key, the parameters, and those of the pace if it has one.
  struct Head {
    std::uint16_t key;        // Its length.
    std::uint8_t kind, pace;  // Which of the parameters these are.
  };
  Head head() const {
    Head head;
    std::memcpy(&head, bytes_.get(), sizeof head);
    return head;
  }

  static std::size_t size_of(const Parameters& parameters) {
    return std::visit([](const auto& one) { return sizeof one; }, parameters);
  }

  // Returns how long it is.
  static std::size_t write(const Parameters& parameters, char* to) {
    std::visit([to](const auto& one) { std::memcpy(to, &one, sizeof one); }, parameters);
    return size_of(parameters);
  }

  template <std::size_t... kAll>
  static Parameters read(std::size_t kind, const char* from, std::index_sequence<kAll...>) {
    Parameters found;
    ((kAll == kind ? copy(from, found.emplace<kAll>()) : void()), ...);
    return found;
  }
  template <class One>
  static void copy(const char* from, One& to) {
    static_assert(std::is_trivially_copyable_v<One>);
    std::memcpy(&to, from, sizeof to);
  }

  std::unique_ptr<char[]> bytes_;
};

}  // namespace einlass::app
