#include "adapters/http/target/health.h"

namespace einlass::http {

void Health::works() {
  trouble_.clear();
  unusable_.clear();
  refuses_login_ = false;
  if (!announced_ && !told_before_) return;
  announced_ = told_before_ = false;
  if (notify_) notify_({Severity::info, "target_ok", target_ + " accepts again"});
}

void Health::fails(const Answer& answer) {
  // That one more token is asked for mends nothing yet, where the last one was refused as well.
  refuses_login_ |= answer.refuses_login && answer.needs_repair;
  const bool needs_repair = answer.needs_repair || (answer.refuses_login && refuses_login_);
  trouble_ = answer.status == 0 ? answer.trouble : "status " + std::to_string(answer.status);
  if (answer.status != 0 && !answer.trouble.empty()) trouble_ += ": " + answer.trouble;
  const std::string told = trouble_;
  if (!answer.points_to.empty()) trouble_ += " (to " + answer.points_to + ")";
  if (!answer.excerpt.empty()) trouble_ += ": " + answer.excerpt;
  unusable_ = needs_repair ? told : std::string();
  if (!needs_repair) announced_unusable_.clear();
  if (announced_ && announced_unusable_ == unusable_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < quiet_until_) return;
  announced_unusable_ = unusable_;
  if (needs_repair) {
    announce("target_unusable", "nothing can be delivered to " + target_ + ": " + told, now);
  } else {
    announce("target_failing", "attempts at " + target_ + " fail: " + told, now);
  }
}

void Health::announce(const char* what, const std::string& detail, SteadyTime now) {
  announced_ = true;
  quiet_until_ = now + kNoticeGap;
  if (notify_) notify_({Severity::warning, what, detail});
}

}  // namespace einlass::http
