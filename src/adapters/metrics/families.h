// Gathers samples into the families of Prometheus' data model.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/stats.h"

namespace einlass::metrics {

struct Label {
  const char* name;
  std::string_view value;  // Made valid UTF-8 on the way.
};

using Labels = std::initializer_list<Label>;

// Families in the order of their declaration; each sample goes to the family declared last.
class Families {
 public:
  void counter(const char* name, const char* help);
  void gauge(const char* name, const char* help);
  void histogram(const char* name, const char* help);

  // A sample of a counter or a gauge.
  void add(Labels labels, double value);
  void add(Labels labels, std::uint64_t value);
  // A sample of a histogram, in seconds. `fine` shows every bound up to an hour, for quantiles that
  // are read off closely; else five a decade, for each bound is a series. `days` goes on to a week.
  enum class Bounds { fine, coarse, days };
  void add(Labels labels, const core::Histogram& histogram, Bounds bounds = Bounds::coarse);

  // The text format. A family without samples is left out.
  std::string text() const;

 private:
  void open(const char* name, const char* help, prometheus::MetricType type);
  prometheus::ClientMetric& sample(Labels labels);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace einlass::metrics
