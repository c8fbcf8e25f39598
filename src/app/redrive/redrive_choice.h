// Which dead letters are sent again, and under which route.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "adapters/kafka/source/source.h"
#include "app/record/dead_story.h"
#include "config/model/config.h"
#include "core/contract/ids.h"

namespace einlass::app {

// What becomes of one dead letter.
struct Choice {
  enum class Kind {
    send,
    skip,   // Another reason is wanted.
    leave,  // It cannot be sent; `why` says so.
  } kind = Kind::leave;
  core::RouteId route;  // Of those to be sent.
  DeadStory story;      // Empty where it could not be read.
  std::string why;
};

class RedriveChoice {
 public:
  // `reasons`: those that are wanted; empty: all. REQUIRES: the config outlives it.
  RedriveChoice(const config::Config& config, std::vector<std::string> reasons);

  // Views are into the headers.
  Choice of(std::span<const kafka::Header> headers) const;

 private:
  const config::Config& config_;
  std::vector<std::string> reasons_;
};

}  // namespace einlass::app
