// `einlass why`: asks the running gate why a record waits.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "adapters/kafka/check/members.h"
#include "config/model/config.h"
#include "text/partition_words.h"

namespace einlass::app {

struct WhyOptions {
  std::string topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::optional<std::string> key;
  bool json = false;
};

// Prints the answer and returns the exit code.
int ask_why(const config::Config& config, const WhyOptions& options);

// The answer of /v1/why as lines for people.
std::string why_for_people(const std::string& json);

// Whom to ask instead of the gate that has `own`, by lines: the members of its group that have
// others.
std::string others_in_words(std::span<const kafka::Member> members,
                            const std::set<TopicPartition>& own);

}  // namespace einlass::app
