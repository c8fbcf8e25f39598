// The answers of a replay on stdout, one JSON object a line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/replay/replay_stores.h"

namespace einlass::app {

class ReplayPrinter {
 public:
  // REQUIRES: `limits`, the names of the limits in their order, outlives it.
  explicit ReplayPrinter(const std::vector<std::string_view>& limits) : limits_(limits) {}

  void acquired(const ReplayAnswer& answer);
  void peeked(const ReplayAnswer& answer);

  // `verb` is what happened to so many permits.
  void returned(std::string_view verb, std::int64_t permits);

  // The limits that have changed, by their indexes.
  void changed(std::span<const std::size_t> limits);

  // Whether so much is waiting that it should be written.
  bool is_long() const { return out_.size() >= kLong; }

  // False, with the reason in errno, if it cannot be written.
  bool flush();

 private:
  static constexpr std::size_t kLong = 64 << 10;

  ReplayPrinter& text(std::string_view piece);
  ReplayPrinter& name(std::string_view piece);
  ReplayPrinter& number(std::int64_t value);
  ReplayPrinter& remaining(const ReplayAnswer& answer);
  void share(const ReplayAnswer& answer, const ToldFlows& share);

  template <class Numbers>
  ReplayPrinter& list(const Numbers& numbers) {
    text("[");
    for (std::size_t i = 0; i < numbers.size(); ++i) text(i == 0 ? "" : ", ").number(numbers[i]);
    return text("]");
  }

  const std::vector<std::string_view>& limits_;
  std::string out_;
};

}  // namespace einlass::app
