#include "adapters/http/health.h"

namespace einlass::http {

void Health::works() {
  if (trouble_.empty()) return;
  trouble_.clear();
  if (!announced_) return;
  announced_ = false;
  if (notify_) notify_({Severity::info, "target_ok", target_ + " accepts again"});
}

void Health::fails(const Answer& answer) {
  trouble_ = answer.status == 0 ? answer.trouble : "status " + std::to_string(answer.status);
  if (announced_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < quiet_until_) return;
  announced_ = true;
  quiet_until_ = now + kNoticeGap;
  if (notify_) {
    notify_({Severity::warning, "target_failing", "attempts at " + target_ + " fail: " + trouble_});
  }
}

}  // namespace einlass::http
