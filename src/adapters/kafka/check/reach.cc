#include "adapters/kafka/check/reach.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/login.h"
#include "adapters/kafka/client/topic_routes.h"

namespace einlass::kafka {
namespace {

// What librdkafka tells of: above all the last error, for it knows why a broker cannot be reached.
// That all of them are down is only what comes of it.
struct Told {
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string reason;
  bool may_write = false;  // A producer's: the brokers have given it the id that it writes under.
};

void remember(rd_kafka_t*, int code, const char* reason, void* last) {
  // A producer that is not let in comes to an end, sooner or later; refused_to_write() says why.
  if (code == RD_KAFKA_RESP_ERR__FATAL) return;
  Told& error = *static_cast<Told*>(last);
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && error.code) return;
  error.code = static_cast<rd_kafka_resp_err_t>(code);
  error.reason = reason;
}

int look_at_statistics(rd_kafka_t*, char* json, std::size_t size, void* last) {
  std::string_view text(json, size);
  const std::size_t at = text.find("\"idemp_state\"");
  if (at == std::string_view::npos) return 0;
  text = text.substr(at, text.find(',', at) - at);
  if (text.find("\"Assigned\"") != std::string_view::npos) {
    static_cast<Told*>(last)->may_write = true;
  }
  return 0;  // librdkafka frees it.
}

// Why nothing was heard about a topic, where librdkafka told: what the brokers themselves answered
// about it (their codes are not negative) stands on its own. Of a server that takes the connection
// and is silent it tells later than a check waits.
std::optional<std::string> unheard(rd_kafka_resp_err_t error, const Told& last,
                                   const std::string& brokers) {
  const bool is_silent = error == RD_KAFKA_RESP_ERR__TRANSPORT && !last.code;
  const rd_kafka_resp_err_t code = is_silent ? error : last.code;
  if (error >= RD_KAFKA_RESP_ERR_NO_ERROR || !code) return {};
  return explain(code, false, last.reason, {brokers, "", "", ""}).detail;
}

// One patience for all that a call asks for, however many topics there are.
class Patience {
 public:
  explicit Patience(Duration patience) : end_(notice_time() + patience) {}
  // At least the time of an answer on its way, so that what can be told still is.
  int left_ms() const {
    return static_cast<int>(std::max<std::int64_t>(100, (end_ - notice_time()).us / 1000));
  }

 private:
  Instant end_;
};

// A client that only asks, and keeps what it tells of in `last`. It has no owner and ends with the
// process: destroying it waits for a look-up of a broker's name at any time.
rd_kafka_t* new_asker(rd_kafka_type_t type, ConfHandle configuration, Told& last,
                      const std::string& path) {
  rd_kafka_conf_set_events(configuration.get(), 0);
  rd_kafka_conf_set(configuration.get(), "log.queue", "false", nullptr, 0);
  rd_kafka_conf_set_log_cb(configuration.get(), nullptr);
  rd_kafka_conf_set_error_cb(configuration.get(), remember);
  rd_kafka_conf_set(configuration.get(), "statistics.interval.ms", "50", nullptr, 0);
  rd_kafka_conf_set_stats_cb(configuration.get(), look_at_statistics);
  rd_kafka_conf_set_opaque(configuration.get(), &last);
  return new_client(type, std::move(configuration), path);
}

// Without brokers there is no look-up of a name that its end would wait for.
void try_client(rd_kafka_type_t type, ConfHandle configuration, const std::string& path) {
  rd_kafka_conf_set(configuration.get(), "bootstrap.servers", "", nullptr, 0);
  Told last;
  rd_kafka_t* const client = new_asker(type, std::move(configuration), last, path);
  rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

// Whether the topic is there. Asking makes none, whatever the brokers do for others: no client of
// ours allows it.
rd_kafka_resp_err_t find(rd_kafka_t* client, const std::string& name, int timeout_ms) {
  const TopicHandle topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  if (!topic) return rd_kafka_last_error();
  const struct rd_kafka_metadata* metadata = nullptr;
  const auto error = rd_kafka_metadata(client, 0, topic.get(), &metadata, timeout_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
  const auto of_topic =
      metadata->topic_cnt > 0 ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  rd_kafka_metadata_destroy(metadata);
  return of_topic;
}

// The same in words; empty if it is there.
std::string in_words(rd_kafka_resp_err_t error) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return "";
  if (error != RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) return rd_kafka_err2str(error);
  return "this login may not see it; grant it DESCRIBE and READ (WRITE for a topic that is "
         "written)";
}

// Why nothing can be written with this login; empty if the brokers let an idempotent producer in,
// which they do where it may write to some topic.
std::string refused_to_write(rd_kafka_t* client, const Told& last, int timeout_ms) {
  constexpr int kTurnMs = 50;
  for (int waited = 0; !last.may_write; waited += kTurnMs) {
    if (rd_kafka_fatal_error(client, nullptr, 0) == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED)
      return "this login may not write to any topic there; " + std::string(kGrantWrite) +
             std::string(kGrantOldWrite);
    if (waited >= timeout_ms) return "the brokers did not say whether anything may be written";
    rd_kafka_poll(client, kTurnMs);
  }
  return "";
}

// What that means to a dead letter topic.
std::string why_no_letter(rd_kafka_resp_err_t error) {
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    return "the topic" + std::string(kCreateDeadLetter) +
           "until then a record that needs it waits, and so do the records ordered behind it";
  }
  if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED) {
    return "this login may not see the topic; " + std::string(kGrantWrite);
  }
  return rd_kafka_err2str(error);
}

// The topics that this route of a pattern would read now, by their names; sets `error` where they
// cannot be had.
std::vector<std::string> fitting(rd_kafka_t* client, const SourceOptions& options,
                                 const SourceOptions::Topic& pattern, int timeout_ms,
                                 rd_kafka_resp_err_t& error) {
  const struct rd_kafka_metadata* metadata = nullptr;
  error = rd_kafka_metadata(client, 1, nullptr, &metadata, timeout_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const TopicRoutes routes(options);
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const std::string name = metadata->topics[i].topic;
    if (!TopicPattern(pattern.name).fits(name) || routes.find(name) != pattern.route) continue;
    names.push_back(name);
  }
  rd_kafka_metadata_destroy(metadata);
  std::sort(names.begin(), names.end());
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostListed) {
    text += " and " + std::to_string(names.size() - kMostListed) + " more";
  }
  return text;
}

// Why the group cannot be used; empty if it can. Asks what it has committed; where the right is
// missing no coordinator is found to answer that, and the consumer says why. Where nothing of the
// kind was ever asked the brokers make the topic first that they need for it.
std::string look_up_group(rd_kafka_t* client, const SourceOptions& options,
                          const Patience& patience) {
  const ListHandle list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), options.topics[0].name.c_str(), 0);
  constexpr int kSliceMs = 500;
  const ErrorContext context{options.brokers, options.group, "", ""};
  for (bool last = false; !last;) {
    last = patience.left_ms() <= kSliceMs;
    const auto error = rd_kafka_committed(client, list.get(), kSliceMs);
    const MessageHandle told(rd_kafka_consumer_poll(client, 0));
    const auto why = told != nullptr ? told->err : error;
    if (why == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED) {
      return explain(why, false, "", context).detail;
    }
    if (error != RD_KAFKA_RESP_ERR__TIMED_OUT) return "";
  }
  return no_coordinator(context).detail;
}

}  // namespace

void check_configuration(const SourceOptions& options) {
  source_configuration(options, rd_kafka_version());
}

void check_configuration(const DeadLettersOptions& options) { dead_letters_configuration(options); }

void try_client(const SourceOptions& options) {
  try_client(RD_KAFKA_CONSUMER, source_configuration(options, rd_kafka_version()),
             "kafka.properties");
}

void try_client(const DeadLettersOptions& options) {
  try_client(RD_KAFKA_PRODUCER, dead_letters_configuration(options), "kafka.properties");
}

void try_client(const TargetOptions& options) {
  try_client(RD_KAFKA_PRODUCER, target_configuration(options), properties_path(options));
}

Reached reach(const SourceOptions& options, Duration patience) {
  static Told last;  // The client may still write to it at the end of the process.
  last = {};
  ConfHandle configuration = source_configuration(options, rd_kafka_version());
  // Where an offset is in an open transaction the group would not say it before that has ended.
  rd_kafka_conf_set(configuration.get(), "isolation.level", "read_uncommitted", nullptr, 0);
  rd_kafka_t* client =
      new_asker(RD_KAFKA_CONSUMER, std::move(configuration), last, "kafka.properties");
  if (options.login) options.login->serve(client);
  const Patience left(patience);
  Reached reached;
  for (const SourceOptions::Topic& topic : options.topics) {
    auto error = RD_KAFKA_RESP_ERR_NO_ERROR;
    std::string reason;
    if (TopicPattern::is_one(topic.name)) {
      const auto names = fitting(client, options, topic, left.left_ms(), error);
      if (!names.empty())
        reached.patterns.push_back(topic.name + " fits " + listed(names));
      else if (!error)
        reason = "no topic fits it that another route does not read already";
    } else {
      error = find(client, topic.name, left.left_ms());
    }
    rd_kafka_poll(client, 0);
    if (auto why = unheard(error, last, options.brokers)) return {{*std::move(why)}, {}};
    if (error) reason = in_words(error);
    if (!reason.empty()) reached.trouble.push_back("topic " + topic.name + ": " + reason);
  }
  if (std::string reason = look_up_group(client, options, left); !reason.empty()) {
    reached.trouble.push_back(std::move(reason));
  }
  return reached;
}

std::string reach(const TargetOptions& options, Duration patience) {
  // Each target's stays, for the client may still write to it at the end of the process.
  auto& last = *new Told;
  rd_kafka_t* client =
      new_asker(RD_KAFKA_PRODUCER, target_configuration(options), last, properties_path(options));
  if (options.login) options.login->serve(client);
  const Patience left(patience);
  const rd_kafka_resp_err_t error = find(client, options.topic, left.left_ms());
  rd_kafka_poll(client, 0);
  if (error) return unheard(error, last, options.brokers).value_or(in_words(error));
  // Who writes in transactions is let in under their name, and only where he asks for it.
  return options.transactional_id.empty() ? refused_to_write(client, last, left.left_ms()) : "";
}

std::vector<std::string> reach(const DeadLettersOptions& options,
                               std::span<const std::string> topics, Duration patience) {
  static Told last;  // As above.
  last = {};
  rd_kafka_t* client =
      new_asker(RD_KAFKA_PRODUCER, dead_letters_configuration(options), last, "kafka.properties");
  if (options.login) options.login->serve(client);
  const Patience left(patience);
  std::vector<std::string> reasons;
  for (const std::string& topic : topics) {
    const rd_kafka_resp_err_t error = find(client, topic, left.left_ms());
    rd_kafka_poll(client, 0);
    if (const auto why = unheard(error, last, options.brokers)) {
      return std::vector<std::string>(topics.size(), *why);
    }
    reasons.push_back(error ? why_no_letter(error)
                            : refused_to_write(client, last, left.left_ms()));
  }
  return reasons;
}

}  // namespace einlass::kafka
