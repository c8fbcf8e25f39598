// One random walk over a few buckets, step by step, in both stores.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/draw.h"
#include "conformance/redis_server.h"

namespace einlass::conformance {

// What walks have in common.
struct Shape {
  std::string name;
  std::vector<Kind> kinds;  // One for each bucket.
  bool horizon;
  bool cost;
};

class Walk {
 public:
  Walk(RedisServer& server, const Shape& shape, std::uint64_t seed);

  // Takes a step in memory. Returns what Redis is to be asked.
  RedisSide::Command step();

  // Whether Redis answered the step as the memory did. Otherwise difference() says more.
  bool same(const Numbers& reply);
  std::string difference() const;

  std::int64_t granted() const { return granted_; }
  std::int64_t denied() const { return denied_; }

 private:
  // A permit that was granted, and what it took of the buckets whose cost comes from the record.
  struct Out {
    limits::Returned permit;
    Permits cost;
  };

  void new_configuration();
  void change_rules();
  void move_clock();
  void to_an_edge();
  void use(std::int64_t cost);
  RedisSide::Command ask();
  RedisSide::Command give_back();
  RedisSide::Command peek();
  std::vector<Out> some_out();
  void say(const std::string& what);

  RedisServer& server_;
  const Shape& shape_;
  Draw draw_;
  std::string name_;
  std::vector<std::vector<Rule>> rules_;  // One configuration, or two that are asked in turn.
  std::vector<bool> from_record_;         // Of each bucket, whether its cost changes all the time.
  std::optional<MemorySide> memory_;
  std::optional<RedisSide> redis_;
  std::vector<Out> out_;
  Permits cost_{1};  // Of the record.
  int steps_ = 0;
  std::int64_t now_ = 0;
  std::int64_t retry_ = 0;
  std::uint64_t asks_ = 0;
  std::optional<std::int64_t> asked_at_;  // The last of them.
  bool last_granted_ = false;             // So that asking again gets the same permits.
  std::optional<Numbers> expected_;       // None: whatever Redis answers.
  Numbers got_;
  std::deque<std::string> history_;
  std::int64_t granted_ = 0;
  std::int64_t denied_ = 0;
};

}  // namespace einlass::conformance
