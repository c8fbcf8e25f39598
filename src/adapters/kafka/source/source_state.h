// What a Source is made of: source.cc builds and drives it, serve_events.cc takes librdkafka's
// events, read_messages.cc its messages.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/client/errors.h"
#include "adapters/kafka/client/handles.h"
#include "adapters/kafka/client/wakeups.h"
#include "adapters/kafka/partitions/assignment.h"
#include "adapters/kafka/partitions/fetching.h"
#include "adapters/kafka/partitions/log_ends.h"
#include "adapters/kafka/partitions/lookup.h"
#include "adapters/kafka/partitions/topic_configs.h"
#include "adapters/kafka/source/commits.h"
#include "adapters/kafka/source/group_topics.h"
#include "adapters/kafka/source/positions.h"
#include "adapters/kafka/source/rebalance.h"
#include "adapters/kafka/source/source.h"

namespace einlass::kafka {

struct Source::State {
  static constexpr Duration kQuiet = Duration::seconds(30);  // For how long nothing is told twice.

  State(boost::asio::io_context& io, SourceOptions source_options, core::Events& gate_events,
        MessageSink& message_sink, Notify notify_people);
  ~State();

  void subscribe();
  std::string awaited_topics() const;  // Empty where some are named.
  void poll(Instant at, int budget);
  void tick();
  void look_at_group();
  std::set<std::string> not_here();

  void serve_main_queue();
  void serve(EventHandle event);
  void serve_commit(rd_kafka_resp_err_t error);
  void serve_statistics(std::string_view statistics);
  void serve_rebalance(EventHandle event);
  void serve_lookup();
  void serve_error(rd_kafka_event_t* event);
  void serve_log();

  int read(Partition& partition, int budget);
  void keep_fetching(Partition& partition);
  bool admit(Partition& partition, const rd_kafka_message_t& message);
  void reached_end(Partition& partition, Offset end);

  void tell(const Trouble& trouble);
  void tell(rd_kafka_resp_err_t code, bool fatal, const char* reason, std::string_view topic);
  ErrorContext error_context(std::string_view topic) const;
  std::string why_not_read(const Partition& partition) const;  // Empty if it is read.
  void tell_rebalance(rd_kafka_event_t* event);                // What came or left.
  void tell_rebalance_failure(const std::string& error);
  void tell_lookup_failures();
  void ask_of_others(std::vector<Position>& questions);
  void take_others();
  void tell_losses();
  void tell_offline();
  void tell_uncommitted(const Partition& partition);

  SourceOptions options;
  core::Events& events;
  MessageSink& sink;
  Notify notify;
  rd_kafka_t* client;
  QueueHandle main_queue;
  QueueHandle log_queue;
  Wakeups wakeups;
  Assignment assignment{wakeups};
  Commits commits{assignment, events};
  Fetching fetching{client, assignment};
  Positions positions{options.auto_offset_reset, assignment, fetching, events, notify};
  Rebalance rebalance{options, {assignment, fetching, positions, commits, events}};
  LogEnds log_ends;
  TopicConfigs topic_configs;
  GroupTopics group_topics;
  Lookup lookup;
  std::vector<Position> answers;  // Of the lookup, until poll() takes them.
  Troubles troubles{kQuiet};
  Instant asked_of_others{};  // Topics in trouble of which nothing is assigned.
  int losses_told = 0;
  int without_coordinator = 0;  // Statistics in a row in which the group has none.
  // The main queue may hold something, or poll() has something else to look after before it reads:
  // what is to be asked of the lookup, or what that has answered.
  bool main_ready = true;
  bool log_ready = true;
  Instant now;
  const bool sleeps_when_full = rd_kafka_version() < 0x02020000;
  Instant woken;                // When it was last woken from that sleep.
  std::vector<Header> headers;  // Used again for each message.
};

}  // namespace einlass::kafka
