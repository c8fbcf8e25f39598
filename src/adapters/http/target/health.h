// Whether a target works, as people are told: at a change, and not more often than they can read.
#pragma once

#include <chrono>
#include <string>

#include "adapters/http/client/answer.h"
#include "adapters/http/wire/deadlines.h"
#include "units/notice.h"

namespace einlass::http {

class Health {
 public:
  Health(std::string target, Notify notify)
      : target_{std::move(target)}, notify_{std::move(notify)} {}

  // Goes on from that of a target that this one replaces: what was told of it ends here.
  void take_over(const Health& before) { told_before_ = before.announced_ || before.told_before_; }

  // An attempt was accepted.
  void works();

  // An attempt failed. Becomes the notice "target_failing" if the target worked so far, and
  // "target_ok" follows when it works again; a target that does now this and now that gets such a
  // pair only every kNoticeGap. What somebody has to repair is told as "target_unusable" as soon as
  // it is known, also of a target that failed before or for another reason. What the server wrote,
  // a body or where a redirect points, may have some of the record: trouble() alone tells it.
  void fails(const Answer& answer);

  // Why the last attempt failed; empty since one was accepted.
  const std::string& trouble() const { return trouble_; }

  // The same where somebody has to repair something before an attempt can be accepted. Of a login
  // that is refused it stays so while another token is asked for, until one is accepted.
  const std::string& unusable() const { return unusable_; }

 private:
  static constexpr std::chrono::seconds kNoticeGap{5};

  void announce(const char* what, const std::string& detail, SteadyTime now);

  std::string target_;
  Notify notify_;
  std::string trouble_;
  std::string unusable_;
  bool refuses_login_ = false;  // Since it last accepted; also another that was asked for anew.
  bool announced_ = false;
  bool told_before_ = false;        // Of the one before, and not yet that it works again.
  std::string announced_unusable_;  // The reason that was told; empty: none, or not for this.
  SteadyTime quiet_until_{};
};

}  // namespace einlass::http
