// What an error of a write means to a target: which outcome it is, and what to say of it.
#pragma once

#include <librdkafka/rdkafka.h>

#include <string_view>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/login.h"
#include "units/target_status.h"

namespace einlass::kafka {

enum class Verdict : std::uint8_t {
  accepted,  // The brokers have it.
  again,     // May well go next time.
  held,      // Nothing goes there before somebody acts: the topic, the login or a right is missing.
  alone,     // The same of this record only: its partition is missing, or no room for it.
  refused,   // This record never will.
};

Verdict verdict(rd_kafka_resp_err_t code);

// The target as sentences name it.
struct TargetErrorContext {
  std::string_view name;
  std::string_view brokers;
  std::string_view topic;
  std::string_view transactional_id{};  // Empty where it has none.
};

// As explain(), in words for a target.
Trouble explain_write(rd_kafka_resp_err_t code, std::string_view reason,
                      const TargetErrorContext& context);

// As explain_write(), where a transaction as such has failed: it is the group's, too.
Trouble explain_transaction(rd_kafka_resp_err_t code, std::string_view reason,
                            const TargetErrorContext& context);

// Where the brokers let no transaction begin or end. librdkafka goes on, and says nothing of it.
Trouble transactions_wait(const TargetErrorContext& context);

// What ProducerSink::given_up() means to a target.
Trouble nothing_can_be_written(std::string_view reason, std::string_view brokers);

// Why nothing goes to the target before somebody acts, if something says so. `login` may be null.
// REQUIRES: status.trouble is set.
void tell_unusable(TargetStatus& status, const Troubles& troubles, const Login* login);

}  // namespace einlass::kafka
