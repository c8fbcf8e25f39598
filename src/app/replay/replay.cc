#include "app/replay/replay.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <optional>
#include <variant>

#include "app/replay/interruption.h"
#include "app/replay/line_input.h"
#include "app/replay/replay_book.h"
#include "app/replay/replay_choice.h"
#include "app/replay/replay_printer.h"
#include "app/replay/replay_stores.h"
#include "app/replay/replay_trace.h"
#include "app/setup/exit_codes.h"
#include "config/limits/limit_values.h"
#include "config/model/patterns.h"

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
        config_(with_kept_bursts(config)),
        chosen_(chosen),
        limits_(copied(config, chosen)),
        overrides_(read_overrides(config, chosen)),
        names_(names_of(limits_)),
        horizon_(shortest_horizon(config, chosen)),
        reader_(written_),
        printer_(names_) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!config.limits[chosen[i]].is_pace) index_of_written_.push_back(i);
      written_of_.push_back(index_of_written_.size() - 1);
    }
    for (const std::size_t index : index_of_written_) written_.push_back(names_[index]);
  }

  int run(const std::string& path, std::unique_ptr<ReplayStore> store);

  const ReplayLimits& limits() const { return limits_; }

  // Whatever the trace makes of a limit's own numbers, those of the file for single keys stay.
  ReplayOfKey of_key() const {
    return [this](std::size_t limit, std::string_view key) {
      const auto* found = overrides_[limit].find(key);
      return found == nullptr ? nullptr : *found;
    };
  }
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

  using Overrides = config::Patterns<std::shared_ptr<const limits::Limit>>;

  static std::vector<Overrides> read_overrides(const config::Config& config,
                                               const std::vector<std::size_t>& chosen) {
    std::vector<Overrides> result(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      limits::Limit of_key = config.limits[chosen[i]].limit;
      const bool is_pace = config.limits[chosen[i]].is_pace;
      const config::Limit& written = config.limits[chosen[is_pace ? i - 1 : i]];
      for (const config::LimitOverride& one : written.overrides) {
        of_key.parameters = is_pace ? one.value.pace.value() : one.value.parameters;
        result[i].add(one.key, std::make_shared<const limits::Limit>(of_key));
      }
    }
    return result;
  }
  static ReplayLimits copied(const config::Config& config, const std::vector<std::size_t>& chosen) {
    ReplayLimits result;
    for (const std::size_t index : chosen) result.push_back(config.limits[index].limit);
    return result;
  }
  static std::vector<std::string_view> names_of(const ReplayLimits& limits) {
    std::vector<std::string_view> names;
    for (const limits::Limit& limit : limits) names.push_back(limit.name);
    return names;
  }
  static Duration shortest_horizon(const config::Config& config,
                                   const std::vector<std::size_t>& chosen) {
    Duration shortest = config.limits[chosen.front()].horizon;
    for (const std::size_t index : chosen) {
      shortest = std::min(shortest, config.limits[index].horizon);
    }
    return shortest;
  }

  // What a trace says of the limits that are written holds for those that keep their bursts too.
  template <class T>
  void spread(std::vector<T>& by_written) const {
    by_written.resize(written_of_.size());
    for (std::size_t i = written_of_.size(); i-- > 0;) by_written[i] = by_written[written_of_[i]];
  }

  void play(const std::string& path);
  void line(std::string_view text);
  void perform();
  void acquire();
  void give_back(bool ended);
  std::size_t alike(const Asked& asked, std::size_t first, std::size_t end);
  void change_limits();

  bool settle();
  void wrong(std::size_t column, const std::string& text);
  void failed(const std::string& text);
  void show_progress() const;

  Interruption interruption_;
  std::string file_;
  config::Config config_;  // As the trace has changed it.
  std::vector<std::size_t> chosen_;
  ReplayLimits limits_;  // The chosen ones, in their order.
  std::vector<Overrides> overrides_;
  std::vector<std::string_view> names_;
  // Those of the limits that the file has: only these stand in a trace.
  std::vector<std::string_view> written_;
  std::vector<std::size_t> index_of_written_;  // Of each, among `limits_`, ...
  std::vector<std::size_t> written_of_;        // ... and of each of these which of them it is of.
  Duration horizon_;
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
  if (!printer_.flush()) failed(std::string("stdout: ") + std::strerror(errno));
  show_progress();
  if (const std::string left = store_->close(); !left.empty()) {
    std::fprintf(stderr, "einlass: %s\n", left.c_str());
  }
  return failed_ ? kExitFailed : kExitDone;
}

void Replay::play(const std::string& path) {
  LineInput input(kMostLineBytes, interruption_.descriptor(), [this] {
    if (settle() && !printer_.flush()) failed(std::string("stdout: ") + std::strerror(errno));
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
  if (printer_.is_long() && !printer_.flush()) {
    failed(std::string("stdout: ") + std::strerror(errno));
  }
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
      spread(line_.keys);
      open_.push_back({Verb::peek});
      return store_->peek(now_, line_.keys);
    case Verb::limit:
      return change_limits();
  }
}

void Replay::acquire() {
  spread(line_.keys);
  spread(line_.costs);
  if (line_.share) line_.share->limit = index_of_written_[line_.share->limit];
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    if (line_.costs[i] > 0 || line_.each.size() > 1) continue;
    line_.costs[i] = cost_of(config_.limits[chosen_[i]]).value;
    if (!line_.each.empty()) line_.costs[i] = line_.each.front().value;
  }
  Asked* asked = line_.id.empty() ? nullptr : book_.find(line_.id);
  if (asked != nullptr && !asked->answered && !settle()) return;
  ReplayAsk ask{asks_,      now_,        line_.min, line_.max, line_.horizon.value_or(horizon_),
                line_.keys, line_.costs, line_.each};
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
  std::vector<config::LimitValue> values;
  for (TraceLine::LimitChange& change : line_.limits) {
    change.limit = index_of_written_[change.limit];
    const config::ChangesPosition position{file_, static_cast<int>(line_number_),
                                           static_cast<int>(change.column),
                                           "limit." + limits_[change.limit].name};
    auto result = config::read_value(config_, chosen_[change.limit], change.changes, position);
    if (auto* mistakes = std::get_if<config::Mistakes>(&result)) {
      for (const config::Mistake& mistake : *mistakes) failed(mistake.to_string());
    } else {
      values.push_back(std::move(std::get<config::LimitValue>(result)));
    }
  }
  if (failed_) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t limit = line_.limits[i].limit;
    config::Limit& changed = config_.limits[chosen_[limit]];
    changed.burst = values[i].burst;
    limits_[limit].parameters = changed.limit.parameters = values[i].parameters;
    if (values[i].pace) limits_[limit + 1].parameters = *values[i].pace;
  }
  store_->limits_changed();
  std::vector<std::size_t> changed;
  for (const TraceLine::LimitChange& change : line_.limits) changed.push_back(change.limit);
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
  if (!options.in_redis)
    return replay.run(options.trace, memory_replay(replay.limits(), replay.of_key(), take));
  std::string trouble;
  auto store =
      redis_replay(replay_options(config), replay.limits(), replay.of_key(), take, trouble);
  if (store) return replay.run(options.trace, std::move(store));
  std::fprintf(stderr, "einlass: %s\n", trouble.c_str());
  return kExitFailed;
}

}  // namespace einlass::app
