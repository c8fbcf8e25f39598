// What the composition root tells each kind of client: where the brokers are, as whom to log in,
// and what to do there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/contract/ids.h"
#include "units/time.h"

namespace einlass::kafka {

class Login;

// Where a partition is read from when the offset that should come next is not in Kafka, or none is
// committed: the log's start, its end, or nowhere, until somebody has decided.
enum class OffsetReset : std::uint8_t { error, earliest, latest };

struct SourceOptions {
  struct Topic {
    std::string name;  // Or a pattern, which begins with ^.
    core::RouteId route;
  };
  std::string brokers;  // host:port, comma separated.
  std::string group;
  std::string instance;  // group.instance.id; empty = dynamic membership.
  std::vector<Topic> topics;
  std::vector<std::string> dead_letters{};  // Topics of the same brokers, to be looked for as well.
  std::vector<std::string> left_out;  // Not read though a pattern may fit. None is in `topics`.
  std::map<std::string, std::string> properties;  // The user's own; they win over our defaults.
  std::shared_ptr<Login> login;                   // Null: the properties say all of it.
  Duration revoke_timeout = Duration::seconds(10);
  OffsetReset auto_offset_reset = OffsetReset::earliest;
};

struct DeadLettersOptions {
  std::string brokers;
  std::map<std::string, std::string>
      properties;                    // As for the source; consumer-only ones are left out.
  std::shared_ptr<Login> login{};    // As for the source.
};

struct TargetOptions {
  std::string name;  // For notices and the properties' path.
  std::string topic;
  std::string brokers;
  std::map<std::string, std::string> properties;  // The user's own; they win over our defaults.
  std::shared_ptr<Login> login{};                 // As for the source.
  bool same_partition = false;                    // As read; else by the key, as Java does.
  Duration timeout = Duration::seconds(30);       // From send() to the acknowledgement.
  std::string transactional_id{};                 // Only for a TransactionalTarget.
};

}  // namespace einlass::kafka
