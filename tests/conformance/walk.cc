#include "conformance/walk.h"

#include <algorithm>
#include <sstream>

#include "limits/permits/refusal.h"
#include "units/check.h"

namespace einlass::conformance {
namespace {

constexpr int kStepsOfAConfiguration = 200;
constexpr std::int64_t kStart = 1'800'000'000'000'000;
constexpr std::int64_t kKept = 10'000'000;  // A bucket's and an answer's memory.
constexpr std::size_t kHistory = 12;

// A time that the limit divides the clock by.
struct Span {
  std::int64_t operator()(const limits::SlidingLogParameters& p) const { return p.window.us; }
  std::int64_t operator()(const limits::ConcurrencyParameters& p) const { return p.lease.us; }
  std::int64_t operator()(const limits::FixedWindowParameters& p) const { return p.window.us; }
  std::int64_t operator()(const limits::CounterParameters& p) const { return p.window.us; }
  std::int64_t operator()(const limits::SlidingWindowParameters& p) const {
    return (p.window.us + p.slices - 1) / p.slices;
  }
  std::int64_t operator()(const auto& p) const { return p.rate.micros; }
};

std::string text(const Numbers& numbers) {
  std::ostringstream out;
  for (const std::int64_t number : numbers) out << ' ' << number;
  return out.str();
}

std::string printable(const RedisSide::Command& command) {
  std::ostringstream out;
  for (std::size_t i = 2; i < command.size(); ++i) {
    const bool raw = std::any_of(command[i].begin(), command[i].end(),
                                 [](unsigned char c) { return c < ' ' || c > '~'; });
    out << ' ' << (raw ? "<id>" : command[i].empty() ? "''" : command[i]);
  }
  return out.str();
}

}  // namespace

Walk::Walk(RedisServer& server, const Shape& shape, std::uint64_t seed)
    : server_(server), shape_(shape), draw_(seed), name_(shape.name + std::to_string(seed)) {}

void Walk::new_configuration() {
  std::vector<Rule> rules;
  from_record_.clear();
  for (const Kind kind : shape_.kinds) {
    rules.push_back({draw_.parameters(kind), {1}});
    if (shape_.cost && draw_.one_in(2)) {
      const Permits most = limits::most_cost(rules.back().parameters);
      rules.back().cost = {draw_.pick(1, std::min<std::int64_t>(4, most.value))};
    }
    from_record_.push_back(shape_.cost && draw_.one_in(4));
  }
  rules_ = {rules};
  if (draw_.one_in(4)) {
    change_rules();
    rules_ = {rules, rules_.front()};
    for (std::size_t i = 0; i < rules.size(); ++i) {
      Rule& other = rules_[1][i];
      if (std::holds_alternative<limits::SlidingLogParameters>(other.parameters) ||
          std::holds_alternative<limits::ConcurrencyParameters>(other.parameters)) {
        other = rules[i];
      }
    }
  }
  const std::string name = name_ + ":" + std::to_string(steps_);
  memory_.emplace(name, rules);
  redis_.emplace(server_, name, rules);
  now_ = kStart + draw_.pick(0, 100'000'000);
  out_.clear();
  asked_at_.reset();
  retry_ = 0;
  history_.clear();
}

void Walk::change_rules() {
  rules_.resize(1);
  for (std::size_t i = 0; i < rules_[0].size(); ++i) {
    Rule& rule = rules_[0][i];
    rule.parameters = draw_.changed(shape_.kinds[i], rule.parameters);
  }
}

void Walk::to_an_edge() {
  const std::vector<Rule>& rules = rules_.front();
  const auto bucket = static_cast<std::size_t>(draw_.pick(0, std::ssize(rules) - 1));
  const std::int64_t span = std::visit(Span{}, rules[bucket].parameters);
  now_ += span - now_ % span - draw_.pick(0, 1);
}

void Walk::move_clock() {
  switch (draw_.pick(0, 10)) {
    case 0:
    case 1:
      break;  // The same instant again.
    case 2:
      now_ += retry_ > 0 ? std::min(retry_, kKept) : 1;
      break;
    case 3:
      now_ += retry_ > 1 ? std::min(retry_, kKept) - 1 : 1;
      break;
    case 4:
      now_ += draw_.pick(0, 4'000);
      break;
    case 5:
      now_ -= draw_.pick(0, 300);  // Time going back.
      break;
    case 6:
      // Long idle, also just as long as a bucket remembers.
      if (draw_.one_in(10)) now_ += draw_.one_in(2) ? kKept : draw_.pick(1, 40'000'000);
      break;
    case 7:
      to_an_edge();
      break;
    default:
      now_ += draw_.pick(0, 60);
  }
}

// The configuration that is asked now, with that cost of the record.
void Walk::use(std::int64_t cost) {
  std::vector<Rule> rules = rules_[static_cast<std::size_t>(draw_.pick(0, std::ssize(rules_) - 1))];
  cost_ = {cost};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (from_record_[i]) rules[i].cost = cost_;
    CHECK(!limits::refusal(rules[i].parameters, {1}));
  }
  memory_->change(rules);
  redis_->change(std::move(rules));
}

RedisSide::Command Walk::ask() {
  Asked asked;
  asked.min = draw_.one_in(3) ? draw_.pick(1, 6) : 1;
  asked.max = asked.min + (draw_.one_in(2) ? draw_.pick(0, 8) : 0);
  if (draw_.one_in(100)) asked.max += 300;
  if (shape_.horizon && !draw_.one_in(4)) {
    asked.horizon = draw_.one_in(5) ? draw_.pick(0, 20'000) : draw_.pick(0, 500);
  }
  asked.again = draw_.one_in(6);
  // What is forgotten is a new ask, and ids are for one ask each.
  const bool same = asked.again && asked_at_ && now_ - *asked_at_ <= kKept && !draw_.one_in(6);
  const std::uint64_t number = same ? asks_ : ++asks_;
  if (!same) asked_at_ = now_;
  use(same ? cost_.value : draw_.one_in(20) ? draw_.pick(-1, 20'000) : draw_.pick(1, 3));

  const Numbers answer = memory_->acquire(asked, number, now_);
  expected_ = answer;
  retry_ = answer[2];
  granted_ += answer[0];
  denied_ += answer[0] == 0;
  if (same && last_granted_) return redis_->acquire_command(asked, number, now_);
  last_granted_ = answer[0] > 0;
  const std::size_t first = 4 + shape_.kinds.size();
  for (std::size_t i = first; i < answer.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(i - first);
    out_.push_back({{limits::permit_id(prefix(number), index), {now_ + answer[i]}}, cost_});
  }
  return redis_->acquire_command(asked, number, now_);
}

// Some permits of one cost: the newest or others, in the order in which they were granted or not.
std::vector<Walk::Out> Walk::some_out() {
  std::vector<Out> some;
  for (std::int64_t n = draw_.pick(1, 5); n > 0 && !out_.empty(); --n) {
    const std::int64_t newest = std::ssize(out_) - 1;
    const auto i = static_cast<std::size_t>(draw_.one_in(3) ? draw_.pick(0, newest) : newest);
    if (!some.empty() && out_[i].cost != some[0].cost) break;
    some.push_back(out_[i]);
    if (!draw_.one_in(5)) out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));  // Else again.
  }
  if (!draw_.one_in(3)) std::reverse(some.begin(), some.end());
  return some;
}

RedisSide::Command Walk::give_back() {
  const std::vector<Out> some = some_out();
  std::vector<limits::Returned> permits;
  for (const Out& out : some) permits.push_back(out.permit);
  const Permits cost = cost_;
  use(some.empty() ? 1 : some[0].cost.value);
  cost_ = cost;  // Of the ask that may be sent again.
  if (draw_.one_in(2)) {
    expected_ = memory_->release(permits, now_);
    return redis_->release_command(permits, now_, Mode::unused);
  }
  memory_->ended(permits, now_);
  expected_.reset();
  return redis_->release_command(permits, now_, Mode::ended);
}

RedisSide::Command Walk::peek() {
  use(cost_.value);
  expected_ = memory_->peek(now_);
  return redis_->peek_command(now_);
}

RedisSide::Command Walk::step() {
  if (steps_++ % kStepsOfAConfiguration == 0) new_configuration();
  if (draw_.one_in(100)) change_rules();
  move_clock();
  RedisSide::Command command = draw_.one_in(4) ? give_back() : draw_.one_in(10) ? peek() : ask();
  say(printable(command) + "\n    -> " + (expected_ ? text(*expected_) : "any"));
  return command;
}

bool Walk::same(const Numbers& reply) {
  got_ = reply;
  return !expected_ || reply == *expected_;
}

std::string Walk::difference() const {
  std::string result = "step " + std::to_string(steps_) + " of " + name_ + "; the last ones:\n";
  for (const std::string& line : history_) result += "  " + line + "\n";
  return result + "but Redis says" + text(got_);
}

void Walk::say(const std::string& what) {
  history_.push_back(what);
  if (history_.size() > kHistory) history_.pop_front();
}

}  // namespace einlass::conformance
