#include <array>
#include <string>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/set_properties.h"

namespace einlass::kafka {
namespace {

// What may be changed by the user, for everything that the gate writes.
constexpr std::array kProducerDefaults = {
    Property{"client.id", "einlass"},
    // Only what this process may hold; how large a record may be is the broker's to say. What came
    // out of a topic must not fail here because a dead letter has more headers.
    Property{"message.max.bytes", "33554432"},
    // How long it goes unnoticed that a topic was created, or the right to write to it granted.
    Property{"topic.metadata.refresh.interval.ms", "5000"},
    // Before a topic that nobody knows is said to be missing; it is looked for all the same.
    Property{"topic.metadata.propagation.max.ms", "5000"},
    // How long it goes unnoticed that the brokers are back, while there is nothing to write.
    Property{"statistics.interval.ms", "5000"},
    Property{"reconnect.backoff.max.ms", "1000"},
    Property{"socket.nagle.disable", "true"},
    Property{"socket.keepalive.enable", "true"},
    Property{"enable.metrics.push", "false"},
};

constexpr std::array kDeadLettersDefaults = {
    Property{"linger.ms", "5"},
    Property{"message.timeout.ms", "30000"},
    // A topic's max.message.bytes is for a whole batch, and one that is too large fails with all
    // that is in it: a small record must not wait because of those that it travels with.
    Property{"batch.size", "16384"},
    // And that bound counts what is compressed: what came out of a topic must go into another one.
    Property{"compression.type", "gzip"},
    Property{"queue.buffering.max.messages", "10000"},
    Property{"queue.buffering.max.kbytes", "65536"},
};

constexpr std::array kTargetDefaults = {
    // With one record of a lane under way at a time, whatever is waited for is lost. Batches form
    // by themselves while requests are on their way.
    Property{"linger.ms", "0"},
    // As Java's producers do.
    Property{"partitioner", "murmur2_random"},
    // A batch that the topic refuses for its size is written again one by one, so it need not be
    // small; beyond this size a larger one saves nothing.
    Property{"batch.size", "262144"},
};

// As librdkafka demands: longer than a record may take. One that is left open by a gate that was
// killed keeps readers waiting until it comes back, or for so long.
constexpr Duration kTransactionMargin = Duration::seconds(30);

void set_transactions(rd_kafka_conf_t* conf, const TargetOptions& options) {
  set_own_property(conf, "transactional.id", options.transactional_id, "kafka");
  set_own_property(conf, "transaction.timeout.ms",
                   std::to_string((options.timeout + kTransactionMargin).us / 1000), "kafka");
}

void set_producer_promises(rd_kafka_conf_t* conf, const std::string& brokers) {
  set_own_property(conf, "bootstrap.servers", brokers, "kafka.brokers");
  set_own_property(conf, "enable.idempotence", "true", "kafka");
  set_own_property(conf, "acks", "all", "kafka");
  set_own_property(conf, "log.queue", "true", "kafka");
  // A topic that is not there is somebody's to make, with the partitions that it needs.
  set_default(conf, {"allow.auto.create.topics", "false"});
  rd_kafka_conf_set_events(
      conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG | RD_KAFKA_EVENT_STATS);
}

}  // namespace

ConfHandle dead_letters_configuration(const DeadLettersOptions& options) {
  ConfHandle conf(rd_kafka_conf_new());
  for (const Property& property : kProducerDefaults) set_default(conf.get(), property);
  for (const Property& property : kDeadLettersDefaults) set_default(conf.get(), property);
  set_login(conf.get(), options.login.get());
  set_user_properties(conf.get(), {"kafka.properties", options.properties, 'C'},
                      rd_kafka_version());
  set_producer_promises(conf.get(), options.brokers);
  return conf;
}

// The brokers say how large a record may be, and say it of what is compressed.
ConfHandle large_letters_configuration(const DeadLettersOptions& options) {
  ConfHandle conf = dead_letters_configuration(options);
  set_own_property(conf.get(), "message.max.bytes", "1000000000", "kafka");
  set_own_property(conf.get(), "queue.buffering.max.kbytes", "2000000", "kafka");
  return conf;
}

// Who writes waits 5 s for an answer, and what ended without one must not be sent later. The end
// comes up to a second after this, for librdkafka looks so often.
ConfHandle fleet_table_configuration(const DeadLettersOptions& options) {
  ConfHandle conf = dead_letters_configuration(options);
  set_own_property(conf.get(), "message.timeout.ms", "3000", "kafka");
  set_own_property(conf.get(), "linger.ms", "0", "kafka");
  return conf;
}

std::string properties_path(const TargetOptions& options) {
  return "targets." + options.name + ".kafka.properties";
}

ConfHandle target_configuration(const TargetOptions& options, bool alone) {
  ConfHandle conf(rd_kafka_conf_new());
  for (const Property& property : kProducerDefaults) set_default(conf.get(), property);
  for (const Property& property : kTargetDefaults) set_default(conf.get(), property);
  set_login(conf.get(), options.login.get());
  // A transaction that begins right behind another one would wait ten times as long.
  if (!options.transactional_id.empty()) set_default(conf.get(), {"retry.backoff.ms", "10"});
  const std::string path = properties_path(options);
  set_user_properties(conf.get(), {path, options.properties, 'C'}, rd_kafka_version());
  set_producer_promises(conf.get(), options.brokers);
  const std::string timeout = "targets." + options.name + ".kafka.timeout";
  set_own_property(conf.get(), "message.timeout.ms", std::to_string(options.timeout.us / 1000),
                   timeout.c_str());
  // The gate has bounds of its own for what is inside and what is under way.
  set_own_property(conf.get(), "queue.buffering.max.messages", "1000000", "kafka");
  if (!options.transactional_id.empty()) set_transactions(conf.get(), options);
  if (alone) set_own_property(conf.get(), "batch.num.messages", "1", "kafka");
  return conf;
}

}  // namespace einlass::kafka
