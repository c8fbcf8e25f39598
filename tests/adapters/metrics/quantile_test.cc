// "What is the p99 wait?" read off the page's buckets, as Prometheus does, is within a tenth.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "adapters/metrics/full_snapshot.h"
#include "adapters/metrics/page.h"

namespace einlass::metrics {
namespace {

struct Bucket {
  double bound, count;
};

std::vector<Bucket> buckets_of(const std::string& page, const std::string& name) {
  std::vector<Bucket> buckets;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(name + "_bucket{", 0) != 0) continue;
    const std::string bound = line.substr(line.find("le=\"") + 4);
    const double count = std::stod(line.substr(line.rfind(' ')));
    buckets.push_back({bound[0] == '+' ? INFINITY : std::stod(bound), count});
  }
  return buckets;
}

// As histogram_quantile() of Prometheus.
double quantile(double q, const std::vector<Bucket>& buckets) {
  const double rank = q * buckets.back().count;
  std::size_t i = 0;
  while (buckets[i].count < rank) ++i;
  if (i + 1 == buckets.size()) return buckets[i - 1].bound;
  const double low = i == 0 ? 0 : buckets[i - 1].bound;
  const double before = i == 0 ? 0 : buckets[i - 1].count;
  return low + (buckets[i].bound - low) * (rank - before) / (buckets[i].count - before);
}

void expect_within_a_tenth(const std::string& what, std::vector<std::int64_t> waits) {
  Snapshot snapshot = full_snapshot();
  for (const std::int64_t us : waits) snapshot.routes[0].stats.admission_wait.observe({us});
  const auto buckets = buckets_of(render(snapshot), "einlass_admission_wait_seconds");
  std::sort(waits.begin(), waits.end());
  for (const double q : {0.5, 0.9, 0.99}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(waits.size())));
    const double truth = static_cast<double>(waits[rank - 1]) / 1e6;
    EXPECT_NEAR(quantile(q, buckets), truth, truth * 0.1) << what << ", quantile " << q;
  }
}

TEST(Quantiles, AreWithinATenthWhateverTheWaitsAre) {
  // All alike is the worst: the true one may be anywhere in its bucket.
  for (double us = 1001; us < 3.6e9; us *= 1.013) {
    expect_within_a_tenth("all wait " + std::to_string(us) + " us",
                          std::vector<std::int64_t>(100, std::llround(us)));
  }
  std::mt19937 random(7);
  std::lognormal_distribution<double> lognormal(std::log(2e6), 1.5);
  std::exponential_distribution<double> exponential(1.0 / 3e5);
  std::uniform_real_distribution<double> uniform(1e3, 60e6);
  for (const auto& [what, draw] : std::vector<std::pair<std::string, std::function<double()>>>{
           {"lognormal", [&] { return lognormal(random); }},
           {"exponential", [&] { return exponential(random) + 1e3; }},
           {"uniform", [&] { return uniform(random); }}}) {
    std::vector<std::int64_t> waits(20'000);
    for (std::int64_t& us : waits) us = std::llround(draw());
    expect_within_a_tenth(what, std::move(waits));
  }
}

TEST(Quantiles, OfTheOthersHaveFiveBucketsADecade) {
  const std::string page = render(full_snapshot());
  const auto fine = buckets_of(page, "einlass_admission_wait_seconds");
  const auto coarse = buckets_of(page, "einlass_attempt_duration_seconds");
  EXPECT_EQ(fine.size(), core::Histogram::kWithinAnHour + 1);
  EXPECT_EQ(coarse.size(), 38u);
  for (std::size_t i = 5; i + 1 < coarse.size(); ++i) {
    EXPECT_LE(coarse[i].bound / coarse[i - 1].bound, 1.6) << coarse[i].bound;
  }
  EXPECT_EQ(coarse[coarse.size() - 2].bound, 3600);
}

TEST(Quantiles, OfTheDelayGoOnToAWeek) {
  const auto days = buckets_of(render(full_snapshot()), "einlass_delivery_delay_seconds");
  EXPECT_EQ(days.size(), 38u + 7u);
  EXPECT_EQ(days[36].bound, 3600);
  EXPECT_EQ(days[37].bound, 7200);
  EXPECT_EQ(days[43].bound, 7 * 24 * 3600);
}

}  // namespace
}  // namespace einlass::metrics
