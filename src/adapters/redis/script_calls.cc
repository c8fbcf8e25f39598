#include "adapters/redis/script_calls.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "adapters/redis/digest.h"
#include "adapters/redis/resp.h"
#include "lua/scripts.h"

namespace einlass::redis {
namespace {

// What follows the buckets: min, max, horizon, id, now, TTL slack; and now, TTL slack.
constexpr std::size_t kAcquireArguments = 6;
constexpr std::size_t kReleaseArguments = 2;

constexpr std::string_view kServersClock;  // In place of an instant: Redis' own TIME.

// A permit's id: the run, the ask's lowest 48 bits, and the permit's place, all big-endian.
constexpr std::size_t kAskIdBytes = 14;
constexpr std::size_t kPermitIdBytes = 16;

Script make_script(lua::Entry entry, std::span<const std::string_view> algorithms) {
  std::string text = lua::script(entry, algorithms);
  std::string sha1 = sha1_hex(text);
  return {std::move(text), std::move(sha1)};
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
  line.acquire.clear();
  append_name(line.acquire, CallBy::digest, line.scripts->acquire,
              line.body_elements + kAcquireArguments);
  line.acquire.append(line.body);
}

void ScriptCalls::append_acquire(std::string& out, CallBy by, const Line& line,
                                 const core::Ask& ask) const {
  if (by == CallBy::digest) {
    out.append(line.acquire);
  } else {
    append_name(out, by, line.scripts->acquire, line.body_elements + kAcquireArguments);
    out.append(line.body);
  }
  append_number(out, ask.min.value);
  append_number(out, std::min<std::int64_t>(ask.max.value, kMaxPermitsPerAsk));
  append_number(out, ask.horizon.us);
  char id[kAskIdBytes];
  write_id(id, ask.ask);
  append_bulk(out, {id, sizeof id});
  append_bulk(out, kServersClock);
  append_number(out, kTtlSlackMs);
}

void ScriptCalls::append_release(std::string& out, CallBy by, const Line& line,
                                 std::span<const PermitId> permits) const {
  append_name(out, by, line.scripts->release,
              line.body_elements + kReleaseArguments + permits.size());
  out.append(line.body);
  append_bulk(out, kServersClock);
  append_number(out, kTtlSlackMs);
  for (const PermitId& permit : permits) {
    char id[kPermitIdBytes];
    write_id(id, permit.ask);
    id[kAskIdBytes] = static_cast<char>(permit.index >> 8);
    id[kAskIdBytes + 1] = static_cast<char>(permit.index & 0xff);
    append_bulk(out, {id, sizeof id});
  }
}

void ScriptCalls::append_name(std::string& out, CallBy by, const Script& script,
                              std::size_t arguments) {
  append_array(out, 2 + arguments);
  append_bulk(out, by == CallBy::digest ? "EVALSHA" : "EVAL");
  append_bulk(out, by == CallBy::digest ? script.sha1 : script.text);
}

void ScriptCalls::write_id(char* to, core::AskId ask) const {
  to = std::copy(run_.begin(), run_.end(), to);
  for (int shift = 40; shift >= 0; shift -= 8) *to++ = static_cast<char>(ask.value >> shift);
}

}  // namespace einlass::redis
