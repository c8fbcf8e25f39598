// The circuit breaker by itself; gate_breaker_test.cc has what the gate does with it.
#include "core/delivery/breaker.h"

#include <gtest/gtest.h>

namespace einlass::core {
namespace {

constexpr Duration kWait = Duration::millis(500);

BreakerOptions three_failures() {
  return {.failures = 3, .wait = kWait, .max_wait = Duration::seconds(2)};
}

Instant at(int ms) { return Instant{ms * 1000}; }

RecordId record(std::uint32_t slot) { return {slot, 0}; }

// Ends an attempt of that record that began and ended at these times.
void end(Breaker& breaker, std::uint32_t slot, int began_ms, Outcome outcome, int ms) {
  breaker.ended({.record = record(slot), .began = at(began_ms), .outcome = outcome}, at(ms));
}

// Fails `times` attempts, each begun and ended at this time.
void fail(Breaker& breaker, int times, int ms) {
  for (int i = 0; i < times; ++i) end(breaker, 100, ms, Outcome::retry, ms);
}

void fail_by_answer(Breaker& breaker, int times, int ms) {
  for (int i = 0; i < times; ++i) {
    breaker.ended(
        {.record = record(100), .began = at(ms), .outcome = Outcome::retry, .answered = true},
        at(ms));
  }
}

// One probe of that record, begun when it may be, fails 10 ms later. When that is.
int fail_probe_of(Breaker& breaker, std::uint32_t slot, bool answered) {
  constexpr int took = 10;
  const auto now = static_cast<int>(breaker.open_until().us / 1000);
  EXPECT_TRUE(breaker.lets_through(at(now)));
  breaker.sent(record(slot));
  EXPECT_FALSE(breaker.lets_through(at(now)));
  breaker.ended(
      {.record = record(slot), .began = at(now), .outcome = Outcome::retry, .answered = answered},
      at(now + took));
  return now + took;
}

// Each of another record.
int fail_probe(Breaker& breaker, bool answered) {
  return fail_probe_of(breaker, 200 + breaker.failed_probes(), answered);
}

// Three probes each wait 0.5 s and 1 s, the seventh and those after it 2 s; 1 s where it was
// answered.
TEST(Breaker, an_answered_probe_shortens_its_own_wait_and_no_other) {
  Breaker breaker(three_failures());
  fail(breaker, 3, 301);
  int failed_at = 0;
  for (int i = 0; i < 7; ++i) failed_at = fail_probe(breaker, true);
  EXPECT_EQ(breaker.open_until(), at(failed_at + 1000));
  failed_at = fail_probe(breaker, false);
  EXPECT_EQ(breaker.open_until(), at(failed_at + 2000));
}

TEST(Breaker, probes_at_once_after_so_many_failures_in_a_row) {
  Breaker breaker(three_failures());
  fail(breaker, 2, 1);
  end(breaker, 0, 1, Outcome::accepted, 2);
  fail(breaker, 2, 3);
  end(breaker, 0, 1, Outcome::refused, 4);  // The server answers.
  fail(breaker, 2, 305);
  EXPECT_EQ(breaker.state(at(305)), BreakerState::closed);
  fail(breaker, 1, 306);
  EXPECT_EQ(breaker.state(at(306)), BreakerState::probing);
  EXPECT_TRUE(breaker.lets_through(at(306)));
}

TEST(Breaker, nobody_is_not_there_who_was_heard_just_now) {
  Breaker breaker(three_failures());
  end(breaker, 0, 1, Outcome::accepted, 2);
  fail(breaker, 100, 201);
  EXPECT_TRUE(breaker.closed());
  fail(breaker, 1, 202);
  EXPECT_FALSE(breaker.closed());
}

TEST(Breaker, without_a_number_of_failures_never_opens) {
  Breaker breaker(BreakerOptions{});
  fail(breaker, 1000, 1);
  EXPECT_TRUE(breaker.closed());
}

TEST(Breaker, failures_that_the_target_answers_must_be_all_that_is_heard_for_a_second) {
  Breaker breaker(three_failures());
  fail_by_answer(breaker, 1000, 1);
  fail_by_answer(breaker, 1000, 1000);
  EXPECT_TRUE(breaker.closed());
  end(breaker, 0, 1, Outcome::accepted, 1000);
  fail_by_answer(breaker, 1000, 1999);
  EXPECT_TRUE(breaker.closed());
  fail_by_answer(breaker, 1, 2998);
  EXPECT_TRUE(breaker.closed());
  fail_by_answer(breaker, 1, 2999);
  EXPECT_FALSE(breaker.closed());
}

TEST(Breaker, a_record_that_failed_before_others_were_answered_is_in_trouble_of_its_own) {
  Breaker breaker(three_failures());
  fail(breaker, 2, 1);
  end(breaker, 0, 1, Outcome::accepted, 5);
  const auto again = [&](int failed_before) {
    breaker.ended({.record = record(100),
                   .began = at(6),
                   .failed_before = at(failed_before),
                   .outcome = Outcome::retry},
                  at(300));
  };
  for (int i = 0; i < 100; ++i) again(1);
  EXPECT_TRUE(breaker.closed());
  for (int i = 0; i < 3; ++i) again(6);  // Nobody was answered since.
  EXPECT_FALSE(breaker.closed());
}

TEST(Breaker, one_probe_at_a_time_and_twice_the_wait_after_three_records_that_fail) {
  Breaker breaker(three_failures());
  fail(breaker, 3, 0);
  EXPECT_EQ(breaker.open_until(), at(0));
  for (const int wait : {500, 500, 500, 1000, 1000, 1000, 2000, 2000, 2000, 2000}) {
    const int now = fail_probe(breaker, false);
    EXPECT_EQ(breaker.open_until(), at(now + wait));
    EXPECT_EQ(breaker.last_failed(), record(199 + breaker.failed_probes()));
  }
}

TEST(Breaker, one_record_that_fails_again_and_again_lengthens_no_wait) {
  Breaker breaker(three_failures());
  fail(breaker, 3, 0);
  for (int i = 0; i < 20; ++i) {
    const int now = fail_probe_of(breaker, 7 + i % 2, false);
    EXPECT_EQ(breaker.open_until(), at(now + 500)) << i;
  }
  fail_probe_of(breaker, 9, false);  // The third.
  const int now = fail_probe_of(breaker, 7, false);
  EXPECT_EQ(breaker.open_until(), at(now + 1000));
}

TEST(Breaker, a_target_that_answers_is_probed_each_second_at_least) {
  Breaker breaker(three_failures());
  fail(breaker, 3, 0);
  for (const int wait : {500, 500, 500, 1000, 1000, 1000, 1000, 1000}) {
    const int now = fail_probe(breaker, true);
    EXPECT_EQ(breaker.open_until(), at(now + wait));
  }
  BreakerOptions slow = three_failures();
  slow.wait = slow.max_wait = Duration::seconds(2);
  Breaker other(slow);
  fail(other, 3, 0);
  const int failed = fail_probe(other, true);
  EXPECT_EQ(other.open_until(), at(failed + 2000));  // As somebody wants it.
}

TEST(Breaker, a_probe_that_is_answered_closes_it) {
  for (const Outcome answer : {Outcome::accepted, Outcome::refused}) {
    Breaker breaker(three_failures());
    fail(breaker, 3, 0);
    breaker.sent(record(7));
    end(breaker, 7, 500, answer, 510);
    EXPECT_TRUE(breaker.closed());
    EXPECT_LE(breaker.open_until(), at(510));
    EXPECT_EQ(breaker.last_failed(), std::nullopt);
    fail(breaker, 2, 711);
    EXPECT_TRUE(breaker.closed());  // It counts from the beginning.
    fail(breaker, 1, 711);
    EXPECT_FALSE(breaker.closed());
    const int failed = fail_probe(breaker, false);
    EXPECT_EQ(breaker.open_until(), at(failed + 500));
  }
}

TEST(Breaker, of_what_was_sent_before_it_opened_a_success_closes_it_and_a_failure_says_nothing) {
  Breaker breaker(three_failures());
  fail(breaker, 3, 10);
  fail_probe(breaker, false);
  end(breaker, 1, 5, Outcome::retry, 30);
  EXPECT_EQ(breaker.open_until(), at(520));
  end(breaker, 2, 5, Outcome::accepted, 40);
  EXPECT_TRUE(breaker.closed());
  EXPECT_TRUE(breaker.lets_through(at(40)));
  for (std::uint32_t i = 0; i < 20; ++i) end(breaker, i, 10, Outcome::retry, 50);
  EXPECT_TRUE(breaker.closed());
}

}  // namespace
}  // namespace einlass::core
