#include "conformance/both_stores.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "lua/scripts.h"

namespace einlass::conformance {
namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

void describe(const limits::SlidingLogParameters& p, const std::string& cost,
              std::vector<std::string>& to) {
  for (const std::string& part :
       {std::string("sliding_log"), cost, text(p.limit.value), text(p.window.us)}) {
    to.push_back(part);
  }
}

void describe(const limits::TokenBucketParameters& p, const std::string& cost,
              std::vector<std::string>& to) {
  for (const std::string& part : {std::string("token_bucket"), cost, text(p.rate.permits),
                                  text(p.rate.micros), text(p.burst.value)}) {
    to.push_back(part);
  }
}

void describe(const auto&, const std::string&, std::vector<std::string>&) {
  throw std::runtime_error("not compared");
}

constexpr std::string_view kNames[] = {"sliding_log", "token_bucket"};

std::string load(RedisServer& server, lua::Entry entry, const std::vector<Rule>& rules) {
  std::vector<std::string_view> names;
  for (const Rule& rule : rules) names.push_back(kNames[rule.parameters.index()]);
  const Reply reply = server.call({"SCRIPT", "LOAD", lua::script(entry, names)});
  if (reply->type != REDIS_REPLY_STRING) throw std::runtime_error(reply->str);
  return {reply->str, reply->len};
}

void print(std::ostream& out, const char* name, const std::vector<std::int64_t>& numbers) {
  out << ' ' << name << " [";
  for (const std::int64_t number : numbers) out << ' ' << number;
  out << " ]";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Result& result) {
  out << "granted " << result.granted << " retry " << result.retry << " reason " << result.reason;
  print(out, "remaining", result.remaining);
  print(out, "due", result.due);
  return out;
}

limits::IdPrefix prefix(std::uint64_t number) {
  limits::IdPrefix result;
  result.fill(0xff);  // Zeros and high bytes both: ids are raw.
  for (std::size_t i = 0; i < 8; ++i) result[13 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return result;
}

std::string bytes(const limits::PermitId& id) { return {id.bytes.begin(), id.bytes.end()}; }

MemorySide::MemorySide(std::vector<Rule> rules)
    : rules_(std::move(rules)), due_(limits::kMostPermitsOfAnAsk) {
  for (const Rule& rule : rules_) states_.push_back(limits::fresh(rule.parameters, ""));
}

std::vector<limits::Charge> MemorySide::charges() {
  std::vector<limits::Charge> result;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    result.push_back({&rules_[i].parameters, &states_[i], rules_[i].cost});
  }
  return result;
}

Result MemorySide::told_again(const Granted& granted, std::int64_t now) const {
  Result result{static_cast<std::int64_t>(granted.instants.size()), -2, -1, peek(now), {}};
  for (const std::int64_t at : granted.instants) result.due.push_back(at - now);
  return result;
}

Result MemorySide::acquire(const Asked& asked, std::uint64_t number, std::int64_t now) {
  constexpr std::int64_t kRemembered = 10'000'000;
  const auto known = remembered_.find(number);
  if (asked.again && known != remembered_.end() && now - known->second.now <= kRemembered) {
    return told_again(known->second, now);
  }
  const limits::Answer answer = limits::acquire(
      charges(), {{asked.min}, {asked.max}, {asked.horizon}, prefix(number)}, {now}, due_);
  const bool all = answer.granted.value == asked.max;
  Result result;
  result.granted = answer.granted.value;
  result.retry = answer.retry ? answer.retry->us : (all ? -2 : -1);
  result.reason = all ? -1 : static_cast<std::int64_t>(answer.reason);
  result.remaining = peek(now);
  for (std::int64_t i = 0; i < result.granted; ++i) {
    result.due.push_back(due_[static_cast<std::size_t>(i)].us);
  }
  if (result.granted > 0) {
    remembered_.clear();
    Granted& granted = remembered_[number];
    granted.now = now;
    for (const std::int64_t due : result.due) granted.instants.push_back(now + due);
  }
  return result;
}

std::int64_t MemorySide::release(std::span<const limits::PermitId> ids, std::int64_t now) {
  std::vector<limits::Returned> returned;
  for (const limits::PermitId& id : ids) returned.push_back({id, {}});
  return limits::release(charges(), returned, {now});
}

std::vector<std::int64_t> MemorySide::peek(std::int64_t now) const {
  std::vector<std::int64_t> result;
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

std::string RedisSide::key(std::size_t bucket) const {
  return "einlass:{" + name_ + "}:" + std::to_string(bucket);
}

std::string RedisSide::memo_key() const { return key(0) + ":asked"; }

std::vector<std::string> RedisSide::command(const std::string& script, bool memo,
                                            const std::vector<std::string>& rest) const {
  std::vector<std::string> command = {"EVALSHA", script, std::to_string(rules_.size() + memo)};
  for (std::size_t i = 0; i < rules_.size(); ++i) command.push_back(key(i));
  if (memo) command.push_back(memo_key());
  for (const Rule& rule : rules_) {
    std::visit([&](const auto& p) { describe(p, text(rule.cost.value), command); },
               rule.parameters);
  }
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

std::vector<std::string> RedisSide::acquire_command(const Asked& asked, std::uint64_t number,
                                                    std::optional<std::int64_t> now) const {
  const limits::IdPrefix ids = prefix(number);
  return command(
      acquire_, true,
      {text(asked.min), text(asked.max), text(asked.horizon), std::string(ids.begin(), ids.end()),
       asked.again ? "1" : "0", now ? text(*now) : "", slack_});
}

std::vector<std::int64_t> RedisSide::run(const std::vector<std::string>& command) {
  const Reply reply = server_.call(command);
  if (!reply) throw std::runtime_error("no reply");
  if (reply->type == REDIS_REPLY_INTEGER) return {reply->integer};
  if (reply->type != REDIS_REPLY_ARRAY) throw std::runtime_error(reply->str);
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < reply->elements; ++i) {
    if (reply->element[i]->type != REDIS_REPLY_INTEGER) throw std::runtime_error("not an integer");
    numbers.push_back(reply->element[i]->integer);
  }
  return numbers;
}

Result RedisSide::acquire(const Asked& asked, std::uint64_t number,
                          std::optional<std::int64_t> now) {
  const std::vector<std::int64_t> reply = run(acquire_command(asked, number, now));
  const std::size_t head = 4 + rules_.size();
  if (reply.size() < head || reply.size() != head + static_cast<std::size_t>(reply[0])) {
    throw std::runtime_error("a reply of the wrong length");
  }
  last_now_ = reply[1];
  Result result{reply[0], reply[2], reply[3], {}, {}};
  const auto dues = reply.begin() + static_cast<std::ptrdiff_t>(head);
  result.remaining.assign(reply.begin() + 4, dues);
  result.due.assign(dues, reply.end());
  return result;
}

std::int64_t RedisSide::release(std::span<const limits::PermitId> ids,
                                std::optional<std::int64_t> now) {
  std::vector<std::string> rest = {"unused", now ? text(*now) : "", slack_};
  for (const limits::PermitId& id : ids) {
    rest.push_back(bytes(id));
    rest.push_back("0");
  }
  return run(command(release_, false, rest)).at(0);
}

std::vector<std::int64_t> RedisSide::peek(std::optional<std::int64_t> now) {
  std::vector<std::int64_t> reply = run(command(peek_, false, {now ? text(*now) : "", slack_}));
  last_now_ = reply.at(0);
  reply.erase(reply.begin());
  return reply;
}

}  // namespace einlass::conformance
