// Calls of the limiter's scripts, as bytes: EVALSHA with the script's digest, or EVAL with the
// whole script for a server that does not know it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/calls/line.h"
#include "core/contract/command.h"

namespace einlass::redis {

// Added to every key's lifetime, so that a replica whose clock is ahead does not drop state early.
inline constexpr std::int64_t kTtlSlackMs = 2'000;

// The due times of one answer must fit into a reply that is read. Who asks for more gets at most
// these, and may ask again at once.
inline constexpr std::size_t kMaxPermitsPerAsk = 4'000;
inline constexpr std::size_t kMaxPermitsOfFlows = 1'000;  // Where each is one flow's.

enum class CallBy : std::uint8_t { digest, text };

class ScriptCalls {
 public:
  // `run` is the first half of every permit id.
  explicit ScriptCalls(const std::array<std::uint8_t, 8>& run);

  // Fills what the calls need of the line: scripts, memo and acquire.
  void prepare(Line& line);

  // REQUIRES: the line was prepared.
  // `unremembered`: without the memo, so with no key but the bucket's. REQUIRES: then the line has
  // one bucket, and its flows are not shared.
  void append_acquire(std::string& out, CallBy by, const Line& line, const core::Ask& ask,
                      bool unremembered = false) const;

  // What has ended names only the buckets that count what is under way: while a slot of a cluster
  // moves, a call with one key always runs at one of two nodes. REQUIRES: the line was prepared and
  // has such buckets, if they ended; there are permits, all of one cost if those have any.
  void append_release(std::string& out, CallBy by, const Line& line,
                      std::span<const PermitId> permits, Return why = Return::unused) const;

 private:
  void append_shared(std::string& out, CallBy by, const Line& line, const core::Ask& ask) const;
  void append_demand(std::string& out, const Line& line, const core::Ask& ask,
                     std::string_view memo) const;
  void write_id(char* to, core::AskId ask) const;

  std::array<std::uint8_t, 8> run_;
  std::map<std::vector<std::string_view>, Scripts> scripts_;  // By the algorithms.
};

}  // namespace einlass::redis
