#include "app/asking/why_verb.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/kafka/check/members.h"
#include "app/asking/admin_client.h"
#include "app/process/exit_codes.h"
#include "app/setup/wiring.h"
#include "app/views/why.h"
#include "config/options/kafka_login.h"
#include "text/shown.h"
#include "text/span_words.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

// Keys, topics and what servers answered may hold anything.
std::string text_of(const Json& json, const char* name) {
  return shown(json.at(name).get<std::string>());
}

std::string record_name(const Json& record) {
  return text_of(record, "topic") + "-" +
         std::to_string(record.at("partition").get<std::int64_t>()) + "@" +
         std::to_string(record.at("offset").get<std::int64_t>());
}

// The first of a lane is only described once, however many wait behind it.
std::string line_for(const Json& record, std::int64_t now_us, std::string& described) {
  std::string line = record_name(record);
  if (now_us > 0) {
    const Duration age{now_us - record.at("written").get<std::int64_t>()};
    line += " (" + span_in_words(age) + " old)";
  }
  line += ": " + text_of(record, "says") + "\n";
  const std::string error = text_of(record, "last_error");
  if (!error.empty()) line += "  its last attempt failed: " + error + "\n";
  const auto first = record.find("first");
  if (first == record.end() || first->is_null()) return line;
  if (std::exchange(described, record_name(*first)) == record_name(*first)) return line;
  std::string nothing;
  return line + "  the first of them, " + line_for(*first, 0, nothing);
}

// Whether it has nothing of what was asked for, so that another gate may.
bool wants_others(const Json& answer) {
  if (answer.contains("key")) return answer.at("inside") == 0 && answer.value("complete", true);
  return answer.at("state") == "elsewhere";
}

std::vector<TopicPartition> partitions_of(const kafka::Member& member) {
  std::vector<TopicPartition> partitions;
  for (const auto& one : member.partitions) partitions.push_back({one.topic, one.number});
  return partitions;
}

// What the asked gate has now; nothing where it does not say.
std::set<TopicPartition> own_partitions(const config::Config& config) {
  std::set<TopicPartition> own;
  const auto answer = ask_admin(config, "/v1/status");
  const auto* page = std::get_if<AdminPage>(&answer);
  if (page == nullptr) return own;
  const Json status = Json::parse(page->body);
  for (const Json& one : status.at("kafka").at("partitions")) {
    own.insert({one.at("topic").get<std::string>(),
                PartitionNumber{one.at("partition").get<std::int32_t>()}});
  }
  return own;
}

// Not where it is logged in with tokens: these have a server to be asked first.
std::string other_gates(const config::Config& config) {
  constexpr Duration kPatience = Duration::seconds(3);
  if (logs_in_with_tokens(config.kafka)) return "";
  const ShardNumber shard = shard_numbers(config).front();
  std::variant<std::vector<kafka::Member>, std::string> members;
  try {
    members = kafka::members_of(source_options(config, shard), kPatience);
  } catch (const std::exception& error) {
    members = std::string(error.what());
  }
  if (const auto* why = std::get_if<std::string>(&members)) {
    return "which gates there are could not be found out: " + shown(*why) + "\n";
  }
  return others_in_words(std::get<std::vector<kafka::Member>>(members), own_partitions(config));
}

}  // namespace

// Not by their names: not every member says one, and one may begin as another does.
std::string others_in_words(std::span<const kafka::Member> members,
                            const std::set<TopicPartition>& own) {
  std::string lines;
  for (const kafka::Member& member : members) {
    const std::vector<TopicPartition> partitions = partitions_of(member);
    const bool is_own = std::ranges::any_of(
        partitions, [&](const auto& partition) { return own.contains(partition); });
    if (is_own || partitions.empty()) continue;
    const std::string name = member.name.empty() ? "a gate" : "gate " + member.name;
    lines += shown("ask " + name + " at " + member.host + ": it has " +
                   partitions_in_words(partitions)) +
             "\n";
  }
  return lines;
}

std::string why_for_people(const std::string& text) {
  const Json answer = Json::parse(text);
  const Json& records = answer.at("records");
  std::string lines;
  if (answer.contains("key") || records.empty()) {
    const std::string subject =
        answer.contains("key") ? "key '" + text_of(answer, "key") + "'" : record_name(answer);
    lines = subject + ": " + text_of(answer, "says") + "\n";
  }
  std::string described;
  const auto now = answer.at("at").get<std::int64_t>();
  for (const Json& record : records) lines += line_for(record, now, described);
  return lines;
}

int ask_why(const config::Config& config, const WhyOptions& options) {
  const WhyQuestion question{options.topic, PartitionNumber{options.partition},
                             Offset{options.offset}, options.key};
  const auto answer = ask_admin(config, "/v1/why?" + why_query(question));
  if (const auto* trouble = std::get_if<AdminTrouble>(&answer)) return fail(trouble->text);
  const std::string& body = std::get<AdminPage>(answer).body;
  try {
    std::printf("%s", (options.json ? shown_lines(body) : why_for_people(body)).c_str());
    if (!options.json && wants_others(Json::parse(body))) {
      std::printf("%s", other_gates(config).c_str());
    }
  } catch (const nlohmann::json::exception&) {
    return fail(kNoSuchGate);
  }
  return kExitDone;
}

}  // namespace einlass::app
