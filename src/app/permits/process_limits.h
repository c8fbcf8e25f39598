// What all shards of a process share of its limits: those that are kept in memory, and the parts of
// the others that hold while Redis does not answer.
#pragma once

#include <cstddef>
#include <vector>

#include "adapters/memory/table.h"
#include "app/permits/limit_values.h"
#include "app/record/flow_weights.h"
#include "config/model/config.h"
#include "limits/contract/limit.h"

namespace einlass::app {

// What one of so many gates has of a limit under these numbers, which are its own or those of a
// key.
limits::Limit local_share_of(const config::Limit& limit, const limits::Parameters& parameters,
                             int instances);

// The shards use the limits through the tables, each on its own thread. Outlives the shards.
class ProcessLimits {
 public:
  explicit ProcessLimits(const config::Config& config);
  ProcessLimits(const ProcessLimits&) = delete;
  ProcessLimits& operator=(const ProcessLimits&) = delete;

  // Other numbers for all shards at once; what was spent stays spent. REQUIRES: the same limits in
  // the same order and forms.
  void change(const config::Config& config);

  // A limit in memory, by its index in the configuration.
  memory::Table& memory() { return memory_; }
  const limits::Limit* limit(std::size_t i) const { return &limits_[i]; }

  // The numbers for single keys, of all limits.
  LimitValues& values() { return values_; }

  // By which weights flows divide them, where those are not the file's.
  FlowWeights& weights() { return weights_; }

  // This process's part of a limit in Redis, by its index in the configuration.
  memory::Table& shares() { return shares_table_; }
  const limits::Limit* share(std::size_t i) const { return &shares_[i]; }

 private:
  LimitValues values_;
  FlowWeights weights_;
  memory::Table memory_;
  memory::Table shares_table_;
  // By the limit's index in the configuration; as many as there, for ever.
  std::vector<limits::Limit> limits_;
  std::vector<limits::Limit> shares_;
};

}  // namespace einlass::app
