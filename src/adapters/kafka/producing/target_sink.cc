#include "adapters/kafka/producing/target_sink.h"

#include <utility>

namespace einlass::kafka {
namespace {

// For how long nothing is told twice.
constexpr Duration kQuiet = Duration::seconds(30);

}  // namespace

TargetSink::TargetSink(TargetOptions given, core::Events& gate_events, Notify notify_people)
    : options(std::move(given)),
      events(gate_events),
      notify(std::move(notify_people)),
      troubles(kQuiet) {}

void TargetSink::tell(const Trouble& trouble) {
  if (!troubles.add(trouble, notice_time())) return;
  notify({trouble.severity, trouble.what, "target " + options.name + ": " + trouble.detail});
}

void TargetSink::worked(std::string_view topic) {
  last_failure.clear();
  troubles.connection_works();
  troubles.topic_works(topic);
}

void TargetSink::failed(rd_kafka_resp_err_t error, std::string_view reason,
                        std::string_view topic) {
  TargetErrorContext at = error_context();
  at.topic = topic;
  take(explain_write(error, reason, at), error, topic);
}

void TargetSink::transaction_failed(rd_kafka_resp_err_t error, std::string_view reason) {
  take(explain_transaction(error, reason, error_context()), error, options.topic);
}

void TargetSink::take(Trouble trouble, rd_kafka_resp_err_t error, std::string_view topic) {
  const Verdict means = verdict(error);
  const bool refused = means == Verdict::refused;
  const bool of_topic = trouble.lasts == Lasts::topic;
  if (refused || (means == Verdict::held && of_topic)) troubles.brokers_answer();
  // The next record may well go. And where none is written any more, none would say that it works.
  if (refused || (of_topic && topic != options.topic)) trouble.lasts = Lasts::passing;
  last_failure = trouble.detail;
  tell(trouble);
}

void TargetSink::set_topic(std::string topic, bool same_partition, Producer& producer) {
  if (topic != options.topic) troubles.topic_works(options.topic);
  options.topic = std::move(topic);
  options.same_partition = same_partition;
  producer.get_ready_for(options.topic.c_str());
}

TargetStatus TargetSink::status(std::size_t in_flight) const {
  TargetStatus status{.in_flight = in_flight, .trouble = last_failure};
  tell_unusable(status, troubles, options.login.get());
  return status;
}

}  // namespace einlass::kafka
