#include "adapters/metrics/families.h"

#include <prometheus/text_serializer.h>

#include <limits>

#include "text/utf8.h"

namespace einlass::metrics {
namespace {

constexpr double kMicrosPerSecond = 1e6;

// Of the fine bounds from 1 ms on, every so many.
constexpr std::size_t kStep = 5;
static_assert(core::Histogram::kPerDecade % kStep == 0);

bool is_shown(std::size_t i, Families::Bounds bounds) {
  constexpr std::size_t kFirst = core::Histogram::kCoarse;
  constexpr std::size_t kHour = core::Histogram::kWithinAnHour - 1;
  if (i > kHour) return bounds == Families::Bounds::days || i == core::Histogram::kBounds.size();
  if (bounds == Families::Bounds::fine || i < kFirst) return true;
  return (i - kFirst) % kStep == 0 || i == kHour;
}

}  // namespace

void Families::counter(const char* name, const char* help) {
  open(name, help, prometheus::MetricType::Counter);
}

void Families::gauge(const char* name, const char* help) {
  open(name, help, prometheus::MetricType::Gauge);
}

void Families::histogram(const char* name, const char* help) {
  open(name, help, prometheus::MetricType::Histogram);
}

void Families::add(Labels labels, double value) {
  prometheus::ClientMetric& metric = sample(labels);
  metric.counter.value = value;
  metric.gauge.value = value;
}

void Families::add(Labels labels, std::uint64_t value) { add(labels, static_cast<double>(value)); }

void Families::add(Labels labels, const core::Histogram& histogram, Bounds shown) {
  constexpr auto& bounds = core::Histogram::kBounds;
  prometheus::ClientMetric::Histogram& out = sample(labels).histogram;
  out.bucket.reserve(histogram.counts.size());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    out.sample_count += histogram.counts[i];
    if (!is_shown(i, shown)) continue;
    const double bound = i < bounds.size() ? static_cast<double>(bounds[i]) / kMicrosPerSecond
                                           : std::numeric_limits<double>::infinity();
    out.bucket.push_back({out.sample_count, bound});
  }
  out.sample_sum = histogram.sum_us / kMicrosPerSecond;
}

std::string Families::text() const {
  std::vector<prometheus::MetricFamily> present;
  present.reserve(families_.size());
  for (const auto& family : families_) {
    if (!family.metric.empty()) present.push_back(family);
  }
  return prometheus::TextSerializer().Serialize(present);
}

void Families::open(const char* name, const char* help, prometheus::MetricType type) {
  families_.push_back({name, help, type, {}});
}

prometheus::ClientMetric& Families::sample(Labels labels) {
  prometheus::ClientMetric& metric = families_.back().metric.emplace_back();
  metric.label.reserve(labels.size());
  for (const Label& label : labels) metric.label.push_back({label.name, valid_utf8(label.value)});
  return metric;
}

}  // namespace einlass::metrics
