#include "adapters/kafka/check/old_scram.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/kafka/client/configuration.h"
#include "adapters/kafka/client/handles.h"

namespace einlass::kafka {
namespace {

// Of each client in turn.
constexpr int kTurnMs = 10;

// Kafka 4 no longer understands what these requests were before (KIP-896). Other servers that speak
// Kafka's protocol have left out one or the other of them, but not both.
constexpr OldestVersion kFetchOfKafka4{1, 4};
constexpr OldestVersion kOffsetCommitOfKafka4{8, 2};

// A client that asks the brokers of one login what they understand.
class Asking {
 public:
  // `path` is where its properties stand.
  Asking(std::string path, std::string brokers, ConfHandle configuration)
      : path_(std::move(path)),
        brokers_(std::move(brokers)),
        mechanism_(property(configuration.get(), "sasl.mechanisms")) {
    rd_kafka_conf_t* conf = configuration.get();
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_LOG);
    rd_kafka_conf_set(conf, "log.queue", "true", nullptr, 0);
    rd_kafka_conf_set(conf, "log_level", "7", nullptr, 0);
    rd_kafka_conf_set(conf, "debug", "feature", nullptr, 0);
    client_ = new_client(RD_KAFKA_PRODUCER, std::move(configuration), path_);
    queue_.reset(rd_kafka_queue_get_main(client_));
    rd_kafka_set_log_queue(client_, queue_.get());
  }

  // The client would log in, again and again. That it leaves may take as long as the look-up of a
  // broker's name, which nobody waits for.
  ~Asking() {
    queue_.reset();
    try {
      std::thread([client = client_] { rd_kafka_destroy(client); }).detach();
    } catch (const std::system_error&) {
      // No thread can be had now: it stays.
    }
  }

  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  void look() {
    const EventHandle event(rd_kafka_queue_poll(queue_.get(), kTurnMs));
    const char* facility = nullptr;
    const char* line = nullptr;
    int level = 0;
    if (event == nullptr || rd_kafka_event_log(event.get(), &facility, &line, &level) != 0) return;
    const auto oldest = read_oldest_version(line);
    if (!oldest) return;
    if (oldest->request == kFetchOfKafka4.request) fetch_ = oldest->version;
    if (oldest->request == kOffsetCommitOfKafka4.request) offset_commit_ = oldest->version;
  }

  bool answered() const { return fetch_ && offset_commit_; }

  std::string refusal() const {
    if (fetch_.value_or(0) < kFetchOfKafka4.version ||
        offset_commit_.value_or(0) < kOffsetCommitOfKafka4.version) {
      return {};
    }
    return path_ + ".sasl.mechanisms: " + mechanism_ + " cannot log in at " + brokers_ +
           ": these brokers are Kafka 4 or later, which take a mistake that librdkafka " +
           rd_kafka_version_str() +
           " makes in SCRAM for a wrong password; use librdkafka 2.6.1 or later, PLAIN over TLS, "
           "or client certificates";
  }

 private:
  const std::string path_;
  const std::string brokers_;
  const std::string mechanism_;
  rd_kafka_t* client_ = nullptr;
  QueueHandle queue_;
  std::optional<int> fetch_, offset_commit_;
};

std::string refused(const std::vector<std::unique_ptr<Asking>>& all, Duration patience) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::microseconds(patience.us);
  const auto answered = [](const auto& asking) { return asking->answered(); };
  while (!std::all_of(all.begin(), all.end(), answered) && steady_clock::now() < end) {
    for (const auto& asking : all) {
      if (!asking->answered()) asking->look();
    }
  }
  for (const auto& asking : all) {
    if (std::string why = asking->refusal(); !why.empty()) return why;
  }
  return {};
}

// Reads the number that `text` begins with, and what follows it; none if there is no number.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<OldestVersion> read_oldest_version(std::string_view line) {
  constexpr std::string_view kRequest = "ApiKey ", kNumber = " (", kVersions = ") Versions ";
  auto at = line.find(kRequest);
  if (at == line.npos) return {};
  line.remove_prefix(at + kRequest.size());
  at = line.find(kNumber);
  if (at == line.npos) return {};
  line.remove_prefix(at + kNumber.size());
  const auto request = take_number(line);
  if (!request || !line.starts_with(kVersions)) return {};
  line.remove_prefix(kVersions.size());
  const auto oldest = take_number(line);
  if (!oldest || !line.starts_with("..")) return {};
  return OldestVersion{*request, *oldest};
}

std::string refused_scram(const SourceOptions& source, Duration patience) {
  ConfHandle conf = source_configuration(source, rd_kafka_version());
  if (!has_old_scram(conf.get(), rd_kafka_version())) return {};
  // A consumer should not be destroyed, and what writes its dead letters logs in alike.
  std::vector<std::unique_ptr<Asking>> one;
  one.push_back(std::make_unique<Asking>(
      "kafka.properties", source.brokers,
      dead_letters_configuration({source.brokers, source.properties, source.login})));
  return refused(one, patience);
}

std::string refused_scram(std::span<const TargetOptions> targets, Duration patience) {
  std::vector<std::unique_ptr<Asking>> all;
  for (const TargetOptions& target : targets) {
    ConfHandle conf = target_configuration(target);
    if (!has_old_scram(conf.get(), rd_kafka_version())) continue;
    all.push_back(
        std::make_unique<Asking>(properties_path(target), target.brokers, std::move(conf)));
  }
  return refused(all, patience);
}

}  // namespace einlass::kafka
