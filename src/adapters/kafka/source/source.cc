#include "adapters/kafka/source/source.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/login.h"
#include "adapters/kafka/source/source_state.h"
#include "units/topic_pattern.h"

namespace einlass::kafka {
namespace {

// The main queue must be read more often than max.poll.interval.ms, and a wake-up that was lost in
// a full pipe is made up for this much later.
constexpr Duration kTick = Duration::seconds(1);

// How many messages of one partition are read before the next has its turn.
constexpr int kTurn = 64;

constexpr Wakeups::Key kMainQueue = 0xffffffff;
constexpr Wakeups::Key kLogQueue = 0xfffffffe;

constexpr int kCloseSliceMs = 10;

// Anything else is no topic of Kafka.
void check_topics(const std::vector<SourceOptions::Topic>& topics) {
  constexpr std::string_view kLegal =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (topics.empty()) throw std::runtime_error("kafka: there is no topic to read");
  for (const auto& topic : topics) {
    if (TopicPattern::is_one(topic.name) && TopicPattern::refusal(topic.name).empty()) continue;
    if (topic.name.empty() || topic.name.find_first_not_of(kLegal) != std::string::npos) {
      throw std::runtime_error("kafka: '" + topic.name + "' cannot be the name of a topic");
    }
  }
}

// Without a commit all that the log holds is still to be done; but before the group has said what
// is committed nobody knows.
std::optional<std::uint64_t> lag_of(const Partition& partition) {
  const bool asks = partition.finding == Finding::sought && partition.committed.value < 0;
  if (!partition.log || asks) return std::nullopt;
  const std::int64_t from = std::max(partition.committed.value, partition.log->start.value);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(partition.log->end.value - from, 0));
}

// Not those that patterns may bring: of them it is enough to know what is assigned.
std::vector<std::string> named_topics(const SourceOptions& options) {
  std::vector<std::string> names = options.dead_letters;
  for (const SourceOptions::Topic& topic : options.topics) {
    if (TopicPattern::is_one(topic.name)) continue;
    names.push_back(topic.name);
  }
  return names;
}

std::optional<Offset> log_start_of(const Partition& partition) {
  return partition.log ? std::optional(partition.log->start) : std::nullopt;
}

// Has no owner, and is never destroyed: rd_kafka_destroy() waits for ever once a topic was deleted
// while it was assigned (6 of 6 with librdkafka 2.0.2), and for a look-up of a broker's name at any
// time. It ends with the process.
rd_kafka_t* new_consumer(const SourceOptions& options, const Notify& notify) {
  check_topics(options.topics);
  ConfHandle conf = source_configuration(options, rd_kafka_version());
  warn_of_known_trouble(conf.get(), rd_kafka_version(), notify);
  return new_client(RD_KAFKA_CONSUMER, std::move(conf), "kafka.properties");
}

}  // namespace

Source::State::State(boost::asio::io_context& io, SourceOptions source_options,
                     core::Events& gate_events, MessageSink& message_sink, Notify notify_people)
    : options(std::move(source_options)),
      events(gate_events),
      sink(message_sink),
      notify(std::move(notify_people)),
      client(new_consumer(options, notify)),
      log_queue(rd_kafka_queue_new(client)),
      wakeups(io,
              [this](Wakeups::Key key) {
                if (key == kMainQueue) {
                  main_ready = true;
                } else if (key == kLogQueue) {
                  log_ready = true;
                } else {
                  assignment.woken(key);
                }
              }),
      log_ends(io, client, assignment),
      topic_configs(client, assignment, named_topics(options)),
      group_topics(client, options.group),
      lookup(io, client, [this](std::vector<Position> found) {
        std::ranges::move(found, std::back_inserter(answers));
        main_ready = true;
      }) {
  rd_kafka_poll_set_consumer(client);
  if (options.login) options.login->serve(client);
  main_queue.reset(rd_kafka_queue_get_consumer(client));
  rd_kafka_set_log_queue(client, log_queue.get());
  wakeups.watch(main_queue.get(), kMainQueue);
  wakeups.watch(log_queue.get(), kLogQueue);
  wakeups.tick_every(kTick, [this] { tick(); });
}

Source::State::~State() {
  if (main_queue != nullptr) Wakeups::unwatch(main_queue.get());
  Wakeups::unwatch(log_queue.get());
}

void Source::State::subscribe() {
  const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(options.topics.size())));
  for (const auto& topic : options.topics) {
    rd_kafka_topic_partition_list_add(list.get(), topic.name.c_str(), RD_KAFKA_PARTITION_UA);
  }
  const auto error = rd_kafka_subscribe(client, list.get());
  if (error) throw std::runtime_error(std::string("kafka: subscribe: ") + rd_kafka_err2str(error));
}

// librdkafka joins the group with the first topic that there is.
std::string Source::State::awaited_topics() const {
  std::string patterns;
  for (const auto& topic : options.topics) {
    if (!TopicPattern::is_one(topic.name)) return "";
    patterns += (patterns.empty() ? "" : " or ") + topic.name;
  }
  return "not yet in the consumer group; it is joined once there is a topic that fits " + patterns;
}

void Source::State::poll(Instant at, int budget) {
  now = at;
  if (log_ready) serve_log();
  if (main_ready) {
    serve_main_queue();
    serve_lookup();
    tell_losses();
  }
  while (budget > 0) {
    Partition* partition = assignment.ready();
    if (partition == nullptr) break;
    budget -= read(*partition, std::min(budget, kTurn));
    if (partition->more && partition->readable()) assignment.to_the_end(*partition);
  }
}

void Source::State::tick() {
  if (main_queue == nullptr) return;  // Closed: it would join again.
  main_ready = true;
  assignment.for_each([this](Partition& partition) { assignment.more(partition); });
  tell_rebalance_failure(positions.tick());
  const bool reachable = !troubles.has("kafka_brokers_down");
  log_ends.tick(now, reachable);
  topic_configs.tick(reachable);
  if (!reachable) return;
  commits.tell_began_anew(client, main_queue.get());
  tell_offline();
  look_at_group();
}

// Those that are read by their names, and of which there is nothing here. None while partitions
// move; and only a static member comes back to what it had.
std::set<std::string> Source::State::not_here() {
  std::set<std::string> topics;
  if (options.instance.empty() || !rebalance.joined()) return topics;
  for (const auto& topic : options.topics) {
    if (!TopicPattern::is_one(topic.name)) topics.insert(topic.name);
  }
  for (const std::string& topic : troubles.topics()) topics.erase(topic);
  for (const std::string& topic : topic_configs.missing()) topics.erase(topic);
  bool moves = false;
  assignment.for_each([&](const Partition& partition) {
    topics.erase(partition.topic);
    moves |= partition.leaving;
  });
  return moves ? std::set<std::string>{} : topics;
}

// One that leaves and joins again makes the group divide its partitions again.
void Source::State::look_at_group() {
  std::string names;
  for (const std::string& topic : group_topics.tick(not_here())) {
    names += (names.empty() ? "" : ", ") + topic;
  }
  if (names.empty()) return;
  tell({Severity::warning,
        "kafka_topics_of_nobody",
        Lasts::passing,
        {},
        "the group " + options.group + " has given nobody " + names +
            ": Kafka takes no notice of a static member that comes back with other topics; this "
            "gate leaves the group and joins it again, so that its partitions are divided again"});
  if (!rd_kafka_unsubscribe(client)) subscribe();
}

Source::Source(boost::asio::io_context& io, SourceOptions options, core::Events& events,
               MessageSink& sink, Notify notify)
    : state_(std::make_unique<State>(io, std::move(options), events, sink, std::move(notify))) {}

Source::~Source() = default;

void Source::join() { state_->subscribe(); }

void Source::poll(Instant now, int budget) { state_->poll(now, budget); }

bool Source::has_more() const {
  return state_->main_ready || state_->log_ready || state_->assignment.ready() != nullptr;
}

void Source::hold(core::PartitionId partition) { state_->assignment.at(partition).held = true; }

void Source::read(core::PartitionId id) {
  Partition& partition = state_->assignment.at(id);
  partition.held = false;
  state_->assignment.more(partition);  // What its queue holds already makes no event.
}

void Source::commit(std::span<const core::CommitEntry> entries) {
  State& state = *state_;
  // What it says of the group must be known before.
  if (state.main_ready) state.serve_main_queue();
  // librdkafka would keep it until a broker is back, and send it though the assignment may be lost
  // by then: Kafka 3.9 answers that by fencing the static member, who is dead from then on.
  const bool reachable = !state.troubles.has("kafka_brokers_down");
  state.commits.begin(state.client, state.main_queue.get(), entries, reachable);
}

std::optional<GroupOffsets> Source::offsets_for(std::span<const core::CommitEntry> entries) {
  State& state = *state_;
  // What it says of the group must be known before.
  if (state.main_ready) state.serve_main_queue();
  return state.commits.offsets_for(state.client, entries);
}

void Source::transaction_ended(std::span<const core::CommitEntry> entries, TransactionEnd end) {
  State& state = *state_;
  state.commits.transaction_ended(entries, end);
  if (end != TransactionEnd::unknown) return;
  for (const core::CommitEntry& entry : entries) {
    Partition* partition = state.assignment.in_use(entry.partition);
    if (partition == nullptr) continue;
    if (partition->phase != Phase::reading && partition->phase != Phase::revoking) continue;
    state.notify({Severity::warning, "kafka_transaction_unknown",
                  name_of(entry.partition) +
                      ": whether its last transaction was committed could not be learned; the "
                      "partition is read on from what the group has, which knows"});
    state.positions.start_over(*partition);
  }
}

void Source::partition_done(core::PartitionId id) {
  State& state = *state_;
  Partition& partition = state.assignment.at(id);
  if (partition.uncommitted && partition.phase != Phase::lost) state.tell_uncommitted(partition);
  state.tell_rebalance_failure(state.rebalance.partition_done(partition, state.now));
  state.main_ready = true;  // It may have to be asked about anew.
}

void Source::set_offset_reset(OffsetReset policy) {
  state_->positions.set_policy(policy);
  state_->main_ready = true;
}

void Source::close(Duration patience) {
  State& state = *state_;
  Wakeups::unwatch(state.main_queue.get());
  state.main_queue.reset();  // librdkafka demands it.
  const QueueHandle closing(rd_kafka_queue_new(state.client));
  const ErrorHandle error(rd_kafka_consumer_close_queue(state.client, closing.get()));
  if (error != nullptr) return;  // A consumer that had a fatal error; there is nothing to leave.
  constexpr Duration kSlice = Duration::millis(kCloseSliceMs);
  while (!rd_kafka_consumer_closed(state.client) && patience > Duration{}) {
    EventHandle event(rd_kafka_queue_poll(closing.get(), kCloseSliceMs));
    if (event == nullptr) {
      patience = patience - kSlice;
    } else if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_REBALANCE) {
      state.rebalance.handle(std::move(event), state.now);
    }
  }
}

const std::string& Source::topic_of(core::PartitionId id) const {
  return state_->assignment.at(id).topic;
}

std::string Source::name_of(core::PartitionId id) const { return state_->assignment.at(id).name(); }

void Source::set_revoke_timeout(Duration timeout) { state_->rebalance.set_revoke_timeout(timeout); }

void Source::set_dead_letters(std::vector<std::string> topics) {
  state_->options.dead_letters = std::move(topics);
  state_->topic_configs.set_named(named_topics(state_->options));
}

// librdkafka says once that a topic may not be read, and nothing when it may: a record says that.
// Where there is none to read, nothing waits for the right, unless it is to be committed still.
std::string Source::State::why_not_read(const Partition& partition) const {
  const bool all_read = partition.log && partition.next >= partition.log->end.value;
  const bool waits = partition.commit_forbidden || (partition.forbidden && !all_read);
  if (waits) {
    return explain(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, false, "",
                   error_context(partition.topic))
        .detail;
  }
  if (!partition.why_stuck.empty() || !partition.offline) return partition.why_stuck;
  return nobody_leads(partition.topic + " " + std::to_string(partition.number.value));
}

SourceStatus Source::status() const {
  const Troubles& troubles = state_->troubles;
  SourceStatus status;
  status.joined = state_->rebalance.joined() && !troubles.any(Lasts::for_ever) &&
                  !troubles.has("kafka_group_forbidden") && !troubles.has("kafka_topic_forbidden");
  status.brokers_down = troubles.has("kafka_brokers_down");
  status.lost = state_->rebalance.lost();
  status.missing_topics = state_->topic_configs.missing();
  // A login needs a right of its own for that. Of those that are read librdkafka says it, too.
  for (const SourceOptions::Topic& topic : state_->options.topics) {
    if (troubles.has("kafka_unknown_topic", topic.name)) status.missing_topics.insert(topic.name);
  }
  // Which topics are missing is said by itself, where some other is read.
  const bool said = status.joined && !status.missing_topics.empty();
  status.trouble = troubles.worst(said ? "kafka_unknown_topic" : "");
  if (!status.joined && status.trouble.empty()) status.trouble = state_->awaited_topics();
  if (state_->options.login) {
    const std::string no_token = state_->options.login->trouble();
    if (!no_token.empty()) status.joined = false, status.trouble = no_token;
  }
  status.offsets_skipped = state_->positions.skipped();
  status.retention = state_->topic_configs.retention();
  state_->assignment.for_each([&](const Partition& partition) {
    const Phase phase = partition.phase;
    status.partitions.push_back({.partition = partition.id,
                                 .topic = partition.topic,
                                 .number = partition.number,
                                 .held = partition.held,
                                 .revoking = phase == Phase::revoking || phase == Phase::lost,
                                 .waiting = phase == Phase::waiting,
                                 .stuck = state_->why_not_read(partition),
                                 .committed = partition.committed,
                                 .lag = lag_of(partition),
                                 .lag_asked = partition.log_asked,
                                 .log_start = log_start_of(partition)});
    if (status.trouble.empty()) status.trouble = status.partitions.back().stuck;
  });
  return status;
}

}  // namespace einlass::kafka
