// How fresh records and retries share what both want: a credit that attempts of fresh records earn
// and retries spend.
//
// With a share of 20 of a hundred each fresh attempt earns 20 and each retry costs 80: so while
// both want, every fifth attempt is a retry. Nothing is said where only one kind wants.
#pragma once

#include <algorithm>
#include <cstdint>

namespace einlass::core {

// In hundredths of an attempt. Never below 0: what retries took while nobody else wanted it was
// nobody's loss. REQUIRES everywhere: a share from 1 to 99.
class Credit {
 public:
  // `most` is how many retries may be saved up.
  void earn(std::int64_t share, std::int64_t most) {
    left_ = std::min(left_ + share, most * (100 - share) + share);
  }
  void spend(std::int64_t share) { left_ = std::max<std::int64_t>(0, left_ - (100 - share)); }

  // How many retries it pays for.
  std::int64_t retries(std::int64_t share) const { return left_ / (100 - share); }

 private:
  std::int64_t left_ = 0;
};

// The credit of something that several lines want. Lines that have fresh records too and lines with
// nothing but retries take turns with what it pays for.
struct SharedCredit {
  // Retries that may be saved up: lines ask for several permits at a time.
  static constexpr std::int64_t kMostSaved = 32;

  Credit credit;
  bool mixed_last = false;  // The last retry came from a line that had fresh records too.

  // Whether it pays for a retry of a line of that kind.
  bool pays(bool mixed, std::int64_t share) const {
    return credit.retries(share) > (mixed == mixed_last ? 1 : 0);
  }
  void earn(std::int64_t share) { credit.earn(share, kMostSaved); }
  void spend(bool mixed, std::int64_t share) {
    credit.spend(share);
    mixed_last = mixed;
  }
};

}  // namespace einlass::core
