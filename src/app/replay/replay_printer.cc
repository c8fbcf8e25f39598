#include "app/replay/replay_printer.h"

#include <charconv>
#include <cstdio>

namespace einlass::app {

void ReplayPrinter::acquired(const ReplayAnswer& answer) {
  text("{\"granted\": ").number(static_cast<std::int64_t>(answer.due.size()));
  text(", \"due\": [");
  for (std::size_t i = 0; i < answer.due.size(); ++i) {
    text(i == 0 ? "" : ", ").number(answer.due[i].us);
  }
  text("], \"reason\": ");
  if (!answer.due.empty()) {
    text("null, \"retry\": null");
  } else {
    name(limits_[answer.reason]).text(", \"retry\": ");
    answer.retry == ReplayAnswer::kNever ? text("\"never\"") : number(answer.retry);
  }
  text(", ").remaining(answer);
  if (answer.share) share(answer, *answer.share);
  text("}\n");
}

void ReplayPrinter::share(const ReplayAnswer& answer, const ToldFlows& share) {
  constexpr std::string_view kHeldUp[] = {"null", "\"gates\"", "\"own\""};
  text(", \"share\": {\"held_up\": ").text(kHeldUp[static_cast<std::size_t>(share.held_up)]);
  text(", \"retry\": ");
  answer.retry == ReplayAnswer::kNever ? text("null") : number(answer.retry);
  text(", \"epoch\": ").number(share.epoch);
  text(", \"time\": ").list(share.time).text(", \"flows\": ").list(share.flow);
  text(", \"served\": ").list(share.served).text("}");
}

void ReplayPrinter::peeked(const ReplayAnswer& answer) { text("{").remaining(answer).text("}\n"); }

void ReplayPrinter::returned(std::string_view verb, std::int64_t permits) {
  text("{").name(verb).text(": ").number(permits).text("}\n");
}

void ReplayPrinter::changed(std::span<const std::size_t> limits) {
  text("{\"limit\": [");
  for (std::size_t i = 0; i < limits.size(); ++i) {
    text(i == 0 ? "" : ", ").name(limits_[limits[i]]);
  }
  text("]}\n");
}

bool ReplayPrinter::flush() {
  const bool written = std::fwrite(out_.data(), 1, out_.size(), stdout) == out_.size();
  out_.clear();
  return std::fflush(stdout) == 0 && written;
}

ReplayPrinter& ReplayPrinter::text(std::string_view piece) {
  out_ += piece;
  return *this;
}

// The names of limits need no escapes.
ReplayPrinter& ReplayPrinter::name(std::string_view piece) {
  return text("\"").text(piece).text("\"");
}

ReplayPrinter& ReplayPrinter::number(std::int64_t value) {
  char digits[24];
  out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return *this;
}

ReplayPrinter& ReplayPrinter::remaining(const ReplayAnswer& answer) {
  text("\"remaining\": {");
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    text(i == 0 ? "" : ", ").name(limits_[i]).text(": ").number(answer.remaining[i].value);
  }
  return text("}");
}

}  // namespace einlass::app
