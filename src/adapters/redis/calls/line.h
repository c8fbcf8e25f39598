// A line as Redis sees it: the keys of its buckets and the words that describe their limits, in the
// protocol's bytes, made once.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/store_options.h"
#include "core/contract/ids.h"
#include "units/flows.h"
#include "units/time.h"

namespace einlass::redis {

// A key from a record that is longer than this is replaced by its hash.
inline constexpr std::size_t kMaxKeyBytes = 128;

inline constexpr std::size_t kMaxBuckets = 8;

// A script of lua/ and what Redis calls it by.
struct Script {
  std::string text, sha1;
};

// Those for one set of algorithms, which is shorter than one for all: a server runs all of it.
struct Scripts {
  Script acquire, release;
  Script acquire_shared, release_shared;  // Empty until a line has flows that share a bucket.
};

// A permit by what it was asked with and its index in the answer.
struct PermitId {
  core::AskId ask;
  std::uint16_t index = 0;
  Instant at{};     // For which it was granted, on the limiter's clock.
  Permits cost{1};  // What it took of the limits whose cost comes from the record.
  // Where flows share a bucket: whose it was.
  FlowId flow{};
  std::uint8_t level = 0;
};

// Why permits go back: they were not used, or what they were for has ended, which only the limits
// that count what is under way want to know.
enum class Return : std::uint8_t { unused, ended };

// Some buckets, as a call names them.
struct BucketWords {
  std::size_t buckets = 0;
  std::string keys;
  std::string arguments;           // What describes them, ...
  std::vector<std::size_t> costs;  // ... without the record's costs, which belong here.
  std::size_t argument_count = 0;  // With them.
};

// Shared by the store's table and by the calls that are open for it, so that what a late answer
// granted can still be given back after the line was forgotten.
struct Line : BucketWords, boost::intrusive_ref_counter<Line, boost::thread_unsafe_counter> {
  core::LineId id;
  std::uint16_t slot = 0;                    // Of a cluster, where its keys live.
  std::string limits;                        // Their names, for notices.
  bool failing = false;                      // The last answer was an error of this line alone.
  std::vector<std::string_view> algorithms;  // Of its buckets, each once, sorted.
  Scripts* scripts = nullptr;                // Of these algorithms; belongs to ScriptCalls.
  std::string first_key;                     // Of the first bucket, as it is.
  std::string memo;                          // The key that remembers what the last ask got.
  BucketWords held;                          // Those of its buckets that count what is under way.
  std::string acquire;        // EVALSHA of acquire up to the ask; empty if `costs` is not.
  std::vector<Duration> due;  // Of the last answer.
  std::optional<std::size_t> by_flows;  // The index of the bucket that flows share, ...
  std::string share_key;                // ... the key of what they have had, ...
  std::unique_ptr<ToldFlows> told;      // ... and what the last answer says of them.
  std::vector<PermitId> going_back;     // Given back in this turn, not yet sent.
  std::vector<PermitId> ended;          // Whose attempts have ended in this turn, not yet sent.
  Duration ahead;                       // The least that one of the limits bears.
  Duration refill;                      // The most that limits::refill_time() says of one.
  Duration horizon;                     // The longest for which anybody asks ahead.
  // By the gate's clock, see Node::closed().
  std::optional<std::chrono::steady_clock::time_point> closed_since;
  // Its keys are partly at another node, see Node::wait_for_move().
  std::optional<std::chrono::steady_clock::time_point> moves_since;
  Permits most_cost;                    // Of the record's, that all limits may grant some time.
  bool may_be_never = false;            // Some limit may grant nothing ever, by its own numbers.
  core::AskId not_sent{};      // The last ask that failed without a call; 0: none did.
  bool may_lie_ahead = false;  // Some limit's state may, for a burst that only other gates know.

  // Some limit counts the attempts under way.
  bool counts_held() const { return held.buckets > 0; }

  // How long after an ask its limits have forgotten what was granted.
  Duration needs() const { return refill + horizon; }

  const Script& acquire_script() const {
    return by_flows ? scripts->acquire_shared : scripts->acquire;
  }
  // What has ended concerns no flow.
  const Script& release_script(Return why) const {
    return by_flows && why == Return::unused ? scripts->release_shared : scripts->release;
  }
};

using LinePtr = boost::intrusive_ptr<Line>;

// Encodes the buckets. ScriptCalls::prepare() does the rest. REQUIRES: 1 to kMaxBuckets buckets.
LinePtr make_line(core::LineId id, std::string_view name_space, std::span<const Bucket> buckets);

// The Redis key of a bucket: `<namespace>:{<namespace>}:<limit>:<key>`. Lines share buckets in any
// combination and a bucket must have the same key in all of them, so all carry one hash tag and the
// namespace lives in one slot of a cluster. Where the bucket is to be spread, its key is the tag:
// `<namespace>:{<key>}:<limit>:<key>`, or the key's SHA-256 in hexadecimal if it is empty, has a
// brace, or is longer than kMaxKeyBytes; then a line's buckets must all have the same key.
std::string bucket_key(std::string_view name_space, const Bucket& bucket);

}  // namespace einlass::redis
