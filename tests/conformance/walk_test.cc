// Random walks through both stores with an invented clock: not one difference in what is granted,
// when it is due, when to ask again, which limit was the reason and what remains.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "conformance/both_stores.h"
#include "conformance/redis_server.h"
#include "limits/refusal.h"

namespace einlass::conformance {
namespace {

constexpr int kSteps = 20'000;
constexpr int kStepsOfAConfiguration = 200;
constexpr std::int64_t kStart = 1'800'000'000'000'000;

struct Shape {
  const char* name;
  std::vector<bool> logs;  // One for each bucket: a sliding log, or a token bucket.
  bool horizon;
  bool cost;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.name; }

class Walk : public testing::TestWithParam<Shape> {
 protected:
  static void SetUpTestSuite() { server_ = new RedisServer; }
  static void TearDownTestSuite() { delete server_; }

  std::int64_t pick(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  bool one_in(std::int64_t n) { return pick(1, n) == 1; }

  Rule rule(bool log) {
    Rule result;
    if (log) {
      result.parameters = limits::SlidingLogParameters{
          {one_in(4) ? pick(20, 300) : pick(1, 8)}, {one_in(2) ? pick(1, 50) : pick(100, 5'000)}};
    } else {
      const limits::Rate rate =
          one_in(30) ? limits::Rate{0, 1}
                     : limits::reduced({pick(1, 20), one_in(2) ? pick(1, 40) : pick(50, 9'000)});
      result.parameters = limits::TokenBucketParameters{
          rate, {one_in(50) ? (limits::kExactBelow - 1) / rate.micros : pick(1, 12)}};
    }
    result.cost = {GetParam().cost && one_in(2) ? pick(1, 4) : 1};
    return result;
  }

  void new_configuration(int number) {
    rules_.clear();
    for (const bool log : GetParam().logs) rules_.push_back(rule(log));
    memory_.emplace(rules_);
    redis_.emplace(*server_, std::string(GetParam().name) + std::to_string(number), rules_);
    now_ = kStart + pick(0, 100'000'000);
    out_.clear();
    asked_at_.reset();
    retry_ = 0;
  }

  // A reloaded configuration: the same buckets under another limit, rate or burst.
  void change_rules() {
    for (Rule& rule : rules_) {
      if (auto* log = std::get_if<limits::SlidingLogParameters>(&rule.parameters)) {
        log->limit = {pick(1, 20)};
      } else if (auto* bucket = std::get_if<limits::TokenBucketParameters>(&rule.parameters)) {
        bucket->burst = {pick(1, 20)};
        if (one_in(2)) bucket->rate = limits::reduced({pick(0, 20), pick(1, 9'000)});
      }
    }
    memory_->change(rules_);
    redis_->change(rules_);
  }

  void move_clock() {
    switch (pick(0, 9)) {
      case 0:
      case 1:
        break;  // The same instant again.
      case 2:
        now_ += retry_ > 0 ? retry_ : 1;
        break;
      case 3:
        now_ += retry_ > 1 ? retry_ - 1 : 1;
        break;
      case 4:
        now_ += pick(0, 4'000);
        break;
      case 5:
        now_ -= pick(0, 300);  // Time going back.
        break;
      case 6:
        // Long idle, also just as long as a bucket remembers.
        if (one_in(10)) now_ += one_in(2) ? limits::kGiveBackWithin.us : pick(1, 40'000'000);
        break;
      default:
        now_ += pick(0, 60);
    }
  }

  void ask() {
    Asked asked;
    asked.min = one_in(3) ? pick(1, 6) : 1;
    asked.max = asked.min + (one_in(2) ? pick(0, 8) : 0);
    if (one_in(100)) asked.max += 300;
    if (GetParam().horizon && !one_in(4))
      asked.horizon = one_in(5) ? pick(0, 20'000) : pick(0, 500);
    asked.again = one_in(6);
    const bool same = asked.again && asked_at_ && now_ - *asked_at_ <= 10'000'000 && !one_in(6);
    const std::uint64_t number = same ? asks_ : ++asks_;  // Else it was lost on its way.
    if (!same) asked_at_ = now_;
    const Result memory = memory_->acquire(asked, number, now_);
    const Result redis = redis_->acquire(asked, number, now_);
    ASSERT_EQ(memory, redis) << "min " << asked.min << " max " << asked.max << " horizon "
                             << asked.horizon << " at " << now_;
    ASSERT_EQ(redis_->last_now(), now_);
    retry_ = memory.retry;
    granted_ += memory.granted;
    denied_ += memory.granted == 0;
    for (std::int64_t i = 0; i < memory.granted; ++i) {
      out_.push_back(limits::permit_id(prefix(number), static_cast<std::uint16_t>(i)));
    }
  }

  void release() {
    std::vector<limits::PermitId> ids;
    for (std::int64_t n = pick(1, 5); n > 0 && !out_.empty(); --n) {
      const auto newest = static_cast<std::int64_t>(out_.size()) - 1;
      const auto i = static_cast<std::size_t>(one_in(3) ? pick(0, newest) : newest);
      ids.push_back(out_[i]);
      if (!one_in(5)) out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(i));  // Else again.
    }
    ASSERT_EQ(memory_->release(ids, now_), redis_->release(ids, now_)) << "at " << now_;
  }

  void step() {
    move_clock();
    if (one_in(5)) {
      release();
    } else if (one_in(10)) {
      ASSERT_EQ(memory_->peek(now_), redis_->peek(now_)) << "at " << now_;
    } else {
      ask();
    }
  }

  static RedisServer* server_;
  std::mt19937_64 random_{20'240'917};
  std::vector<Rule> rules_;
  std::optional<MemorySide> memory_;
  std::optional<RedisSide> redis_;
  std::vector<limits::PermitId> out_;
  std::int64_t now_ = 0;
  std::int64_t retry_ = 0;
  std::uint64_t asks_ = 0;
  std::optional<std::int64_t> asked_at_;  // The last of them.
  std::int64_t granted_ = 0;
  std::int64_t denied_ = 0;
};

RedisServer* Walk::server_ = nullptr;

TEST_P(Walk, BothStoresSayTheSame) {
  for (int i = 0; i < kSteps; ++i) {
    if (i % kStepsOfAConfiguration == 0) new_configuration(i);
    if (one_in(300)) change_rules();
    ASSERT_NO_FATAL_FAILURE(step()) << "step " << i;
  }
  // A walk that is always granted or always denied would prove little.
  EXPECT_GT(granted_, kSteps / 10);
  EXPECT_GT(denied_, kSteps / 10);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, Walk,
    testing::Values(Shape{"Log", {true}, false, false}, Shape{"LogAhead", {true}, true, true},
                    Shape{"Bucket", {false}, false, false},
                    Shape{"BucketAhead", {false}, true, true},
                    Shape{"LogAndBucket", {true, false}, false, true},
                    Shape{"LogAndBucketAhead", {true, false}, true, true},
                    Shape{"ThreeAhead", {false, true, false}, true, true},
                    Shape{"FourAhead", {true, false, true, false}, true, true}),
    [](const auto& walk) { return std::string(walk.param.name); });

}  // namespace
}  // namespace einlass::conformance
