// An entry of the fleet's table as a gate remembers it: in one piece of memory, for there may be
// 200,000 of them.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

namespace einlass::app {

// REQUIRES: key and text are shorter than 2 GiB; not used once it is moved from.
class KnownEntry {
 public:
  // `since_ms`: 0 if that is not said; `until_ms`: 0 if it does not end by itself. It counts as
  // seen.
  KnownEntry(std::string_view key, std::string_view text, std::int64_t since_ms,
             std::int64_t until_ms)
      : bytes_(std::make_unique_for_overwrite<char[]>(sizeof(Head) + key.size() + text.size())) {
    new (bytes_.get()) Head{since_ms, until_ms, static_cast<std::uint32_t>(key.size()),
                            static_cast<std::uint32_t>(text.size()) & 0x7fffffff, 1};
    key.copy(start(), key.size());
    text.copy(start() + key.size(), text.size());
  }

  std::string_view key() const { return {start(), head().key}; }
  std::string_view text() const { return {start() + head().key, head().text}; }
  std::int64_t since_ms() const { return head().since_ms; }
  std::int64_t until_ms() const { return head().until_ms; }

  // Since the table was begun to be read anew. May be changed in a set, for no order goes by it.
  bool seen() const { return head().seen != 0; }
  void set_seen(bool seen) const { head().seen = seen ? 1 : 0; }

  struct ByKey {
    using is_transparent = void;
    static std::string_view of(const KnownEntry& entry) { return entry.key(); }
    static std::string_view of(std::string_view key) { return key; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return of(a) < of(b);
    }
  };

 private:
  struct Head {
    std::int64_t since_ms, until_ms;
    std::uint32_t key;
    std::uint32_t text : 31;
    std::uint32_t seen : 1;
  };
  Head& head() const { return *std::launder(reinterpret_cast<Head*>(bytes_.get())); }
  char* start() const { return bytes_.get() + sizeof(Head); }

  std::unique_ptr<char[]> bytes_;
};

}  // namespace einlass::app
