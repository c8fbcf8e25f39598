#include "adapters/redis/calls/script_calls.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "adapters/redis/wire/resp.h"
#include "lua/scripts.h"
#include "net/digest.h"
#include "text/ascii.h"
#include "units/check.h"

namespace einlass::redis {
namespace {

// What follows the buckets: min, max, horizon, id, memo, now, TTL slack; and mode, now, TTL slack.
constexpr std::size_t kAcquireArguments = 7;
constexpr std::size_t kReleaseArguments = 3;

constexpr std::string_view kNewAsk = "0";
constexpr std::string_view kAskedAgain = "1";
constexpr std::string_view kServersClock;  // Instead of an instant: Redis' own TIME.

// A permit's id: the run, the ask's lowest 48 bits, and the permit's index, all big-endian.
constexpr std::size_t kAskIdBytes = 14;
constexpr std::size_t kPermitIdBytes = 16;

Script make_script(lua::Entry entry, std::span<const std::string_view> algorithms) {
  std::string text = lua::script(entry, algorithms);
  std::string sha1 = net::sha1_hex(text);
  return {std::move(text), std::move(sha1)};
}

void append_name(std::string& out, CallBy by, const Script& script, std::size_t keys,
                 std::size_t arguments) {
  append_array(out, 3 + keys + arguments);
  append_bulk(out, by == CallBy::digest ? "EVALSHA" : "EVAL");
  append_bulk(out, by == CallBy::digest ? script.sha1 : script.text);
  append_number(out, static_cast<std::int64_t>(keys));
}

void append_acquire_name(std::string& out, CallBy by, const Line& line, bool unremembered) {
  append_name(out, by, line.scripts->acquire, line.buckets + (unremembered ? 0 : 1),
              line.argument_count + kAcquireArguments);
  out.append(line.keys);
  if (!unremembered) out.append(line.memo);
}

// The buckets' arguments, with the record's cost where a limit takes that.
void append_arguments(std::string& out, const BucketWords& words, std::string_view cost) {
  std::size_t from = 0;
  for (const std::size_t end : words.costs) {
    out.append(words.arguments, from, end - from);
    append_bulk(out, cost);
    from = end;
  }
  out.append(words.arguments, from);
}

// Where Redis remembers what the last ask of this line, in this run of this process, was granted.
// Begins as a bucket's key does, and so has its hash tag.
std::string memo_key(const Line& line, std::span<const std::uint8_t> run) {
  std::string key = line.first_key + ":asked:";
  append_hex(key, {reinterpret_cast<const char*>(run.data()), run.size()});
  return key.append(":").append(std::to_string(line.id.value));
}

}  // namespace

ScriptCalls::ScriptCalls(const std::array<std::uint8_t, 8>& run) : run_(run) {}

void ScriptCalls::prepare(Line& line) {
  const auto [found, is_new] = scripts_.try_emplace(line.algorithms);
  line.scripts = &found->second;
  if (is_new) {
    line.scripts->acquire = make_script(lua::Entry::acquire, line.algorithms);
    line.scripts->release = make_script(lua::Entry::release, line.algorithms);
  }
  if (line.by_flows && line.scripts->acquire_shared.text.empty()) {
    line.scripts->acquire_shared = make_script(lua::Entry::acquire_shared, line.algorithms);
    line.scripts->release_shared = make_script(lua::Entry::release_shared, line.algorithms);
  }
  line.memo.clear();
  append_bulk(line.memo, memo_key(line, run_));
  line.acquire.clear();
  if (!line.costs.empty()) return;
  append_acquire_name(line.acquire, CallBy::digest, line, false);
  line.acquire.append(line.arguments);
}

void ScriptCalls::append_acquire(std::string& out, CallBy by, const Line& line,
                                 const core::Ask& ask, bool unremembered) const {
  if (line.by_flows) return append_shared(out, by, line, ask);
  const bool listed = ask.costs.size() > 1;
  if (by == CallBy::digest && line.costs.empty() && !unremembered) {
    out.append(line.acquire);
  } else {
    append_acquire_name(out, by, line, unremembered);
    append_arguments(out, line, listed ? std::string(kOfEach) : std::to_string(ask.cost.value));
  }
  append_demand(out, line, ask, unremembered ? "" : ask.again ? kAskedAgain : kNewAsk);
}

void ScriptCalls::append_shared(std::string& out, CallBy by, const Line& line,
                                const core::Ask& ask) const {
  CHECK(ask.flows != nullptr);
  std::uint64_t gate = 0;
  for (const std::uint8_t byte : run_) gate = gate << 8 | byte;
  const limits::ShareDemand of_flows{limits::GateId{gate}, limits::kIdleAfter, ask.flows};
  append_name(out, by, line.acquire_script(), line.buckets + 2,
              line.argument_count + count_of_flows(of_flows) + kAcquireArguments);
  out.append(line.keys).append(line.share_key).append(line.memo).append(line.arguments);
  append_flows(out, *line.by_flows, of_flows);
  append_demand(out, line, ask, ask.again ? kAskedAgain : kNewAsk);
}

// What follows the buckets.
void ScriptCalls::append_demand(std::string& out, const Line& line, const core::Ask& ask,
                                std::string_view memo) const {
  append_number(out, ask.min.value);
  const bool listed = ask.costs.size() > 1;
  const std::size_t most = line.by_flows ? kMaxPermitsOfFlows : kMaxPermitsPerAsk;
  const auto max = std::min<std::size_t>(ask.max.value, most);
  if (listed) {
    append_list(out, ask.costs.first(max));
  } else {
    append_number(out, static_cast<std::int64_t>(max));
  }
  append_number(out, ask.horizon.us);
  char id[kAskIdBytes];
  write_id(id, ask.ask);
  append_bulk(out, {id, sizeof id});
  append_bulk(out, memo);
  append_bulk(out, kServersClock);
  append_number(out, kTtlSlackMs);
}

void ScriptCalls::append_release(std::string& out, CallBy by, const Line& line,
                                 std::span<const PermitId> permits, Return why) const {
  const bool ended = why == Return::ended;
  const BucketWords& words = ended ? line.held : line;
  const bool shared = line.by_flows.has_value() && !ended;
  const std::size_t each = shared ? 4 : 2;
  append_name(out, by, line.release_script(why), words.buckets + (shared ? 1 : 0),
              words.argument_count + kReleaseArguments + (shared ? 1 : 0) + each * permits.size());
  out.append(words.keys);
  if (shared) out.append(line.share_key);
  append_arguments(out, words, std::to_string(permits.front().cost.value));
  append_bulk(out, ended ? "ended" : "unused");
  append_bulk(out, kServersClock);
  append_number(out, kTtlSlackMs);
  if (shared) append_number(out, static_cast<std::int64_t>(*line.by_flows));
  for (const PermitId& permit : permits) {
    char id[kPermitIdBytes];
    write_id(id, permit.ask);
    id[kAskIdBytes] = static_cast<char>(permit.index >> 8);
    id[kAskIdBytes + 1] = static_cast<char>(permit.index & 0xff);
    append_bulk(out, {id, sizeof id});
    append_number(out, permit.at.us);
    if (!shared) continue;
    append_number(out, permit.level);
    append_bulk(out, eight_bytes(permit.flow.value));
  }
}

void ScriptCalls::write_id(char* to, core::AskId ask) const {
  to = std::copy(run_.begin(), run_.end(), to);
  for (int shift = 40; shift >= 0; shift -= 8) *to++ = static_cast<char>(ask.value >> shift);
}

}  // namespace einlass::redis
