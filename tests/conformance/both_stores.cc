#include "conformance/both_stores.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "limits/windows/fixed_window.h"
#include "limits/windows/spacing.h"
#include "lua/scripts.h"

namespace einlass::conformance {
namespace {

constexpr std::int64_t kRemembered = 10'000'000;

std::string text(std::int64_t number) { return std::to_string(number); }

std::string key_of(const std::string& name, std::size_t bucket) {
  return "einlass:{" + name + "}:" + std::to_string(bucket);
}

struct Named {
  std::string name;
  Numbers parameters;

  void operator()(Permits number) { parameters.push_back(number.value); }
  void operator()(Duration number) { parameters.push_back(number.us); }
  void operator()(std::int64_t number) { parameters.push_back(number); }
  void operator()(limits::Rate number) {
    parameters.insert(parameters.end(), {number.permits, number.micros});
  }
};

struct Describe {
  std::string_view key;

  template <class P>
  Named operator()(const P& p) const {
    Named named{std::string(p.script()), {}};
    limits::each_number(p, named);
    return named;
  }
  Named operator()(const limits::SlidingLogParameters& p) const {
    const limits::Spacing group = limits::group_of(p.limit, p.window, p.even, p.burst);
    const limits::Spacing burst = limits::burst_of(p.limit, p.window, p.even, p.burst);
    if (group.units == 0) return {"sliding_log", {p.limit.value, p.window.us}};
    return {"sliding_log_spaced",
            {p.limit.value, p.window.us, group.units, group.apart.us, burst.units, burst.apart.us}};
  }
  Named operator()(const limits::FixedWindowParameters& p) const {
    return {"fixed_window", {p.limit.value, p.window.us, limits::phase_of(p, key).us}};
  }
};

std::string load(RedisServer& server, lua::Entry entry, const std::vector<Rule>& rules) {
  std::vector<std::string> names;
  for (const Rule& rule : rules) {
    names.push_back(name(rule.parameters));
    if (names.back() == "sliding_log") names.push_back("sliding_log_spaced");
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const Reply reply = server.call({"SCRIPT", "LOAD", lua::script(entry, views)});
  if (reply->type != REDIS_REPLY_STRING) throw std::runtime_error(reply->str);
  return {reply->str, reply->len};
}

}  // namespace

std::string name(const limits::Parameters& parameters) {
  return std::visit(Describe{{}}, parameters).name;
}

limits::IdPrefix prefix(std::uint64_t number) {
  limits::IdPrefix result;
  result.fill(0xff);  // Zeros and high bytes both: ids are raw.
  for (std::size_t i = 0; i < 8; ++i) result[13 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return result;
}

std::string bytes(const limits::PermitId& id) { return {id.bytes.begin(), id.bytes.end()}; }

MemorySide::MemorySide(const std::string& name, std::vector<Rule> rules)
    : rules_(std::move(rules)), due_(limits::kMostPermitsOfAnAsk) {
  for (const Rule& rule : rules_) {
    states_.push_back(limits::fresh(rule.parameters, key_of(name, states_.size())));
  }
}

std::vector<limits::Charge> MemorySide::charges() {
  std::vector<limits::Charge> result;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    result.push_back({&rules_[i].parameters, &states_[i], rules_[i].cost});
  }
  return result;
}

Numbers MemorySide::answer(std::int64_t now, std::int64_t retry, std::int64_t reason,
                           const Numbers& instants) const {
  Numbers result = {static_cast<std::int64_t>(instants.size()), now, retry, reason};
  const Numbers remaining = peek(now);
  result.insert(result.end(), remaining.begin() + 1, remaining.end());
  for (const std::int64_t at : instants) result.push_back(at - now);
  return result;
}

Numbers MemorySide::acquire(const Asked& asked, std::uint64_t number, std::int64_t now) {
  if (asked.again && remembered_ && remembered_->number == number &&
      now - remembered_->now <= kRemembered) {
    return answer(now, -2, -1, remembered_->instants);
  }
  const limits::Answer given = limits::acquire(
      charges(), {{asked.min}, {asked.max}, {asked.horizon}, prefix(number)}, {now}, due_);
  Numbers instants;
  for (std::int64_t i = 0; i < given.granted.value; ++i) {
    instants.push_back(now + due_[static_cast<std::size_t>(i)].us);
  }
  if (!instants.empty()) remembered_ = Granted{number, now, instants};
  if (given.granted.value == asked.max) return answer(now, -2, -1, instants);
  const std::int64_t retry = given.retry ? given.retry->us : -1;
  return answer(now, retry, static_cast<std::int64_t>(given.reason), instants);
}

Numbers MemorySide::release(std::span<const limits::Returned> permits, std::int64_t now) {
  return {limits::release(charges(), permits, {now})};
}

void MemorySide::ended(std::span<const limits::Returned> permits, std::int64_t now) {
  std::vector<limits::PermitId> ids;
  for (const limits::Returned& permit : permits) ids.push_back(permit.id);
  limits::ended(charges(), ids, {now});
}

Numbers MemorySide::peek(std::int64_t now) const {
  Numbers result = {now};
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    result.push_back(limits::peek(rules_[i].parameters, states_[i], {now}).value);
  }
  return result;
}

RedisSide::RedisSide(RedisServer& server, std::string name, std::vector<Rule> rules,
                     std::int64_t slack_ms)
    : server_(server),
      name_(std::move(name)),
      rules_(std::move(rules)),
      slack_(text(slack_ms)),
      acquire_(load(server, lua::Entry::acquire, rules_)),
      release_(load(server, lua::Entry::release, rules_)),
      peek_(load(server, lua::Entry::peek, rules_)) {}

std::string RedisSide::key(std::size_t bucket) const { return key_of(name_, bucket); }

std::string RedisSide::memo_key() const { return key(0) + ":asked"; }

RedisSide::Command RedisSide::command(const std::string& script, bool memo,
                                      const Command& rest) const {
  Command command = {"EVALSHA", script, std::to_string(rules_.size() + memo)};
  for (std::size_t i = 0; i < rules_.size(); ++i) command.push_back(key(i));
  if (memo) command.push_back(memo_key());
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const std::string bucket = key(i);
    const Named named = std::visit(Describe{bucket}, rules_[i].parameters);
    command.push_back(named.name);
    command.push_back(text(rules_[i].cost.value));
    for (const std::int64_t parameter : named.parameters) command.push_back(text(parameter));
  }
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

RedisSide::Command RedisSide::acquire_command(const Asked& asked, std::uint64_t number,
                                              std::optional<std::int64_t> now) const {
  const limits::IdPrefix ids = prefix(number);
  const std::string memo = !remember_ ? "" : asked.again ? "1" : "0";
  return command(acquire_, remember_,
                 {text(asked.min), text(asked.max), text(asked.horizon),
                  std::string(ids.begin(), ids.end()), memo, now ? text(*now) : "", slack_});
}

RedisSide::Command RedisSide::release_command(std::span<const limits::Returned> permits,
                                              std::optional<std::int64_t> now, Mode mode) const {
  Command rest = {mode == Mode::unused ? "unused" : "ended", now ? text(*now) : "", slack_};
  for (const limits::Returned& permit : permits) {
    rest.push_back(bytes(permit.id));
    rest.push_back(text(permit.at.us));
  }
  return command(release_, false, rest);
}

RedisSide::Command RedisSide::peek_command(std::optional<std::int64_t> now) const {
  return command(peek_, false, {now ? text(*now) : "", slack_});
}

Numbers RedisSide::run(const Command& command) { return numbers(server_.call(command).get()); }

Result RedisSide::acquire(const Asked& asked, std::uint64_t number,
                          std::optional<std::int64_t> now) {
  const Numbers reply = run(acquire_command(asked, number, now));
  const std::size_t head = 4 + rules_.size();
  if (reply.size() < head || reply.size() != head + static_cast<std::size_t>(reply[0])) {
    throw std::runtime_error("a reply of the wrong length");
  }
  last_now_ = reply[1];
  const auto dues = reply.begin() + static_cast<std::ptrdiff_t>(head);
  return {reply[0], reply[2], reply[3], {reply.begin() + 4, dues}, {dues, reply.end()}};
}

std::int64_t RedisSide::release(std::span<const limits::Returned> permits,
                                std::optional<std::int64_t> now, Mode mode) {
  return run(release_command(permits, now, mode)).at(0);
}

Numbers RedisSide::peek(std::optional<std::int64_t> now) {
  Numbers reply = run(peek_command(now));
  last_now_ = reply.at(0);
  reply.erase(reply.begin());
  return reply;
}

Numbers numbers(const redisReply* reply) {
  if (reply == nullptr) throw std::runtime_error("no reply");
  if (reply->type == REDIS_REPLY_INTEGER) return {reply->integer};
  if (reply->type != REDIS_REPLY_ARRAY) throw std::runtime_error(reply->str);
  Numbers result;
  for (std::size_t i = 0; i < reply->elements; ++i) {
    if (reply->element[i]->type != REDIS_REPLY_INTEGER) throw std::runtime_error("not an integer");
    result.push_back(reply->element[i]->integer);
  }
  return result;
}

}  // namespace einlass::conformance
