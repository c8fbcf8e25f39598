#include "app/replay/replay.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/process/exit_codes.h"
#include "app/replay/chosen_limits.h"
#include "app/replay/interruption.h"
#include "app/replay/line_input.h"
#include "app/replay/replay_book.h"
#include "app/replay/replay_choice.h"
#include "app/replay/replay_printer.h"
#include "app/replay/replay_stores.h"
#include "app/replay/replay_trace.h"

namespace einlass::app {
namespace {

// So much is asked before answers are waited for.
constexpr std::size_t kMostOpenCalls = 512;
constexpr std::int64_t kMostOpenPermits = 131'072;

constexpr std::int64_t kProgressLines = 200'000;

class Replay {
 public:
  // `chosen` are the indexes of its limits in the configuration.
  Replay(const config::Config& config, const std::vector<std::size_t>& chosen,
         const ReplayOptions& options)
      : file_(options.trace == "-" ? "stdin" : options.trace),
        limits_(config, chosen),
        reader_(limits_.written()),
        printer_(limits_.names()) {}

  int run(const std::string& path, std::unique_ptr<ReplayStore> store);

  const ChosenLimits& limits() const { return limits_; }
  void take(const ReplayAnswer& answer);

 private:
  using Verb = TraceLine::Verb;

  // A call whose answer has not come.
  struct Open {
    Verb verb;
    Asked* asked = nullptr;  // Of an acquire with an id.
    std::int64_t count = 0;  // Of an end: how many permits.
    bool part = false;       // Of a return: another part of it follows.
  };

  void play(const std::string& path);
  void line(std::string_view text);
  void perform();
  void acquire();
  void give_back(bool ended);
  std::size_t alike(const Asked& asked, std::size_t first, std::size_t end);
  void change_limits();

  bool settle();
  void write();
  void wrong(std::size_t column, const std::string& text);
  void failed(const std::string& text);
  void show_progress() const;

  Interruption interruption_;
  std::string file_;
  ChosenLimits limits_;
  TraceReader reader_;
  ReplayPrinter printer_;
  std::unique_ptr<ReplayStore> store_;
  ReplayBook book_;
  std::deque<Open> open_;
  std::int64_t open_permits_ = 0;
  std::int64_t returned_ = 0;        // In the parts of a return that were answered.
  std::vector<std::int64_t> costs_;  // Of the permits that go back.
  TraceLine line_;
  std::int64_t line_number_ = 0;
  Instant now_;
  std::uint64_t asks_ = 0;
  bool failed_ = false;
};

int Replay::run(const std::string& path, std::unique_ptr<ReplayStore> store) {
  store_ = std::move(store);
  play(path);
  if (!failed_ || store_->trouble().empty()) settle();
  write();
  show_progress();
  if (const std::string left = store_->close(); !left.empty()) {
    std::fprintf(stderr, "einlass: %s\n", left.c_str());
  }
  return failed_ ? kExitFailed : kExitDone;
}

void Replay::play(const std::string& path) {
  LineInput input(kMostLineBytes, interruption_.descriptor(), [this] {
    if (settle()) write();
  });
  if (!input.open(path)) return failed(file_ + ": cannot be read: " + std::strerror(errno));
  std::string_view text;
  while (!failed_) {
    switch (input.next(text)) {
      case LineInput::Result::line:
        ++line_number_;
        line(text);
        break;
      case LineInput::Result::too_long:
        ++line_number_;
        return wrong(1, "a line of more than 1MiB");
      case LineInput::Result::failed:
        return failed(file_ + ": cannot be read: " + std::strerror(errno));
      case LineInput::Result::interrupted:
        return failed(file_ + ": interrupted");
      case LineInput::Result::end:
        return;
    }
  }
}

void Replay::line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == text.npos) return;
  if (const auto mistake = reader_.read(text, line_)) return wrong(mistake->column, mistake->text);
  if (line_.at < now_) {
    return wrong(line_.at_column, std::to_string(line_.at.us) + " is before the line before, at " +
                                      std::to_string(now_.us) + "; time never goes back");
  }
  now_ = line_.at;
  perform();
  if (open_.size() >= kMostOpenCalls || open_permits_ >= kMostOpenPermits) settle();
  if (printer_.is_long()) write();
  if (line_number_ % kProgressLines == 0) show_progress();
}

void Replay::perform() {
  switch (line_.verb) {
    case Verb::acquire:
      return acquire();
    case Verb::release:
      return give_back(false);
    case Verb::ended:
      return give_back(true);
    case Verb::peek:
      limits_.spread(line_.keys);
      open_.push_back({Verb::peek});
      return store_->peek(now_, line_.keys);
    case Verb::limit:
      return change_limits();
  }
}

void Replay::acquire() {
  limits_.spread(line_.keys);
  limits_.spread(line_.costs);
  if (line_.share) line_.share->limit = limits_.index_of(line_.share->limit);
  for (std::size_t i = 0; i < line_.costs.size(); ++i) {
    if (line_.costs[i] > 0 || line_.each.size() > 1) continue;
    line_.costs[i] = limits_.cost(i);
    if (!line_.each.empty()) line_.costs[i] = line_.each.front().value;
  }
  Asked* asked = line_.id.empty() ? nullptr : book_.find(line_.id);
  if (asked != nullptr && !asked->answered && !settle()) return;
  const Duration horizon = line_.horizon.value_or(limits_.horizon());
  ReplayAsk ask{asks_, now_, line_.min, line_.max, horizon, line_.keys, line_.costs, line_.each};
  if (line_.share) ask.share = &*line_.share;
  ask.named = !line_.id.empty();
  if (asked != nullptr && !asked->due.empty() && now_ - asked->at <= kAskedAgainWithin) {
    ask.again = asked;
    ask.number = asked->number;
    asked = nullptr;
  } else {
    ++asks_;
    asked = nullptr;
    if (ask.named) {
      asked = &book_.add(line_.id);
      asked->number = ask.number;
      asked->at = now_;
      asked->keys = line_.keys;
      asked->costs = line_.costs;
      asked->each = line_.each;
      asked->shared.reset();
      if (line_.share) {
        asked->shared = line_.share->limit;
        asked->flows = line_.share->of.flows;
      }
    }
  }
  open_.push_back({Verb::acquire, asked});
  open_permits_ += line_.max;
  store_->acquire(ask);
}

void Replay::give_back(bool ended) {
  Asked* asked = book_.find(line_.id);
  if (asked == nullptr) {
    return wrong(line_.id_column,
                 "no earlier request has this id" +
                     std::string(asks_ > ReplayBook::kMostAsked ? ", or it was too long ago" : ""));
  }
  if (!asked->answered && !settle()) return;
  const auto left = static_cast<std::int64_t>(asked->left());
  const auto count = static_cast<std::size_t>(std::min(left, line_.count.value_or(left)));
  if (count == 0) {
    if (settle()) printer_.returned(ended ? "ended" : "released", 0);
    return;
  }
  const std::size_t first = asked->left() - count;
  for (std::size_t end = first + count; end > first;) {
    const std::size_t begin = alike(*asked, first, end);
    open_.push_back({line_.verb, nullptr, static_cast<std::int64_t>(count), begin > first});
    store_->give_back({now_, asked, costs_, begin, end - begin, ended});
    end = begin;
  }
  if (ended) {
    asked->ended = true;
  } else {
    asked->returned += count;
  }
}

// Where the last permits before `end` begin that have one cost, which goes into costs_.
std::size_t Replay::alike(const Asked& asked, std::size_t first, std::size_t end) {
  costs_ = asked.costs;
  if (asked.each.size() < 2) return first;
  const Permits cost = asked.each[end - 1];
  std::replace(costs_.begin(), costs_.end(), std::int64_t{0}, cost.value);
  while (end > first && asked.each[end - 1] == cost) --end;
  return end;
}

void Replay::change_limits() {
  if (!settle()) return;
  const config::Mistakes mistakes = limits_.change(line_.limits, file_, line_number_);
  for (const config::Mistake& mistake : mistakes) failed(mistake.to_string());
  if (!mistakes.empty()) return;
  store_->limits_changed();
  std::vector<std::size_t> changed;
  for (const TraceLine::LimitChange& change : line_.limits) {
    changed.push_back(limits_.index_of(change.limit));
  }
  printer_.changed(changed);
}

void Replay::take(const ReplayAnswer& answer) {
  const Open call = open_.front();
  open_.pop_front();
  switch (call.verb) {
    case Verb::acquire:
      if (call.asked != nullptr) {
        book_.answered(*call.asked, answer.due);
        if (answer.share) call.asked->flow_of = answer.share->flow;
      }
      return printer_.acquired(answer);
    case Verb::release:
      returned_ += answer.returned;
      if (!call.part) printer_.returned("released", std::exchange(returned_, 0));
      return;
    case Verb::ended:
      if (!call.part) printer_.returned("ended", call.count);
      return;
    case Verb::peek:
    case Verb::limit:
      return printer_.peeked(answer);
  }
}

bool Replay::settle() {
  open_permits_ = 0;
  if (store_->settle()) return true;
  if (!failed_) failed(store_->trouble());
  return false;
}

void Replay::write() {
  if (!printer_.flush()) failed(std::string("stdout: ") + std::strerror(errno));
}

void Replay::wrong(std::size_t column, const std::string& text) {
  failed(file_ + ":" + std::to_string(line_number_) + ":" + std::to_string(column) + ": " + text);
}

void Replay::failed(const std::string& text) {
  failed_ = true;
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Replay::show_progress() const {
  if (line_number_ < kProgressLines || isatty(STDERR_FILENO) == 0) return;
  const bool over = line_number_ % kProgressLines != 0;
  std::fprintf(stderr, "\r%lld lines%s", static_cast<long long>(line_number_), over ? "\n" : "");
}

}  // namespace

int replay(const config::Config& config, const ReplayOptions& options) {
  const auto chosen = chosen_limits(config, options.limits);
  if (!chosen) return kExitUsage;
  Replay replay(config, *chosen, options);
  const auto take = [&replay](const ReplayAnswer& answer) { replay.take(answer); };
  const ChosenLimits& limits = replay.limits();
  if (!options.in_redis) {
    return replay.run(options.trace, memory_replay(limits.all(), limits.of_key(), take));
  }
  std::string trouble;
  auto store = redis_replay(replay_options(config), limits.all(), limits.of_key(), take, trouble);
  if (store) return replay.run(options.trace, std::move(store));
  std::fprintf(stderr, "einlass: %s\n", trouble.c_str());
  return kExitFailed;
}

}  // namespace einlass::app
