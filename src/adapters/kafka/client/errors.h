// Turns librdkafka's errors into sentences for people, and keeps those that still stand.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/contract/event.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::kafka {

// Until when a trouble lasts.
enum class Lasts : std::uint8_t {
  passing,     // Not at all: it is said and that is all.
  connection,  // Until the brokers can be reached again.
  group,       // Until the group takes a commit or gives an assignment.
  topic,       // Until the topic has its partitions again.
  for_ever,    // The client is of no more use.
};

struct Trouble {
  Severity severity = Severity::warning;
  const char* what = "";  // A fixed name, as "kafka_unknown_topic".
  Lasts lasts = Lasts::passing;
  std::string topic;   // Where it is about one.
  std::string detail;  // One sentence: what, where, and what to do.
};

// Where the error happened, for the sentence.
struct ErrorContext {
  std::string_view brokers;
  std::string_view group;
  std::string_view instance;
  std::string_view topic;
};

// `reason` is librdkafka's own text.
Trouble explain(rd_kafka_resp_err_t code, bool fatal, std::string_view reason,
                const ErrorContext& context);

// Which topic is not there, or may not be seen: librdkafka's event has no more than its sentence,
// "Subscribed topic not available: NAME: Broker: ...". Of another sentence some part, or nothing.
std::string_view topic_in(std::string_view reason);

// Where brokers answer and librdkafka goes on looking for the group's coordinator, of which it says
// nothing.
Trouble no_coordinator(const ErrorContext& context);

// The same for a line of librdkafka's log. What is not worth a warning is at `debug`; there is
// little of it unless the property `debug` asks for more. None for what is no such line.
std::optional<Trouble> explain_log(rd_kafka_event_t* event);

// The record, or the batch that it came in, is larger than the topic takes.
bool is_too_large(rd_kafka_resp_err_t code);

// What a commit's error means to the gate. `keeps`: what is assigned stays so through a rebalance.
// Then an old generation only means that one goes on, and there is no new assignment after it.
core::CommitResult commit_result(rd_kafka_resp_err_t code, bool keeps);

// Why a partition is not read whose leader is not there; `partitions` names it, or several.
std::string nobody_leads(const std::string& partitions);

// What to do about a topic that is written to, for whoever tells of it.
inline constexpr std::string_view kCreateDeadLetter =
    " is not there, and is not made by the gate; create it, or correct the route's dead_letter; ";
inline constexpr std::string_view kGrantWrite = "grant it WRITE and DESCRIBE on the topic";
inline constexpr std::string_view kGrantOldWrite =
    " (brokers older than 2.8: IDEMPOTENT_WRITE on the cluster)";

// Whether some broker is connected and logged in, by librdkafka's statistics. It says when the
// brokers are gone, not when they are back, and who has nothing to read, to write or to commit
// would not notice.
bool a_broker_is_up(std::string_view statistics);

// For those who are not told the time: by what clock Troubles know how long ago they told
// something.
Instant notice_time();

// The troubles that stand, each once.
class Troubles {
 public:
  // `quiet`: for how long people are not told of the same thing again.
  explicit Troubles(Duration quiet) : quiet_(quiet) {}

  // Keeps the trouble while it stands. Returns whether people should be told: not while it has
  // been standing, nor in the quiet time after they were told. What is at `debug` is no trouble,
  // and not kept: whoever wants it wants all of it.
  bool add(const Trouble& trouble, Instant now);

  // What stood until then is over.
  void brokers_answer();    // Some broker is connected and logged in.
  void connection_works();  // The group, too, takes what we send.
  void topic_works(std::string_view topic);
  void end(std::string_view what);  // Of whatever topic.

  bool any(Lasts lasts) const;
  bool has(std::string_view what) const;
  bool has(std::string_view what, std::string_view topic) const;
  // The topics of which something stands.
  std::set<std::string> topics() const;

  // The one that is most worth telling, or all rights that are missing; empty if none stands. Those
  // of the name `besides` do not count.
  std::string worst(std::string_view besides = {}) const;

 private:
  static constexpr std::size_t kMost = 1000;  // Kinds times topics; more are said but not kept.

  struct Entry {
    Trouble trouble;
    Instant told;
    bool stands = false;
  };
  Duration quiet_;
  std::map<std::string, Entry, std::less<>> entries_;  // By what and topic.
};

}  // namespace einlass::kafka
