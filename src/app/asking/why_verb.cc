#include "app/asking/why_verb.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <variant>

#include "app/asking/admin_client.h"
#include "app/setup/exit_codes.h"
#include "app/views/why.h"
#include "units/shown.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

// Keys, topics and what servers answered may hold anything.
std::string text_of(const Json& json, const char* name) {
  return shown(json.at(name).get<std::string>());
}

std::string place_name(const Json& record) {
  return text_of(record, "topic") + "-" +
         std::to_string(record.at("partition").get<std::int64_t>()) + "@" +
         std::to_string(record.at("offset").get<std::int64_t>());
}

std::string line_for(const Json& record) {
  std::string line = place_name(record) + ": " + text_of(record, "says") + "\n";
  const std::string error = text_of(record, "last_error");
  if (!error.empty()) line += "  its last attempt failed: " + error + "\n";
  if (const auto first = record.find("first"); first != record.end() && !first->is_null()) {
    line += "  the first of them, " + line_for(*first);
  }
  return line;
}

}  // namespace

std::string why_for_people(const std::string& text) {
  const Json answer = Json::parse(text);
  const Json& records = answer.at("records");
  std::string lines;
  if (answer.contains("key") || records.empty()) {
    const std::string subject =
        answer.contains("key") ? "key '" + text_of(answer, "key") + "'" : place_name(answer);
    lines = subject + ": " + text_of(answer, "says") + "\n";
  }
  for (const Json& record : records) lines += line_for(record);
  return lines;
}

int ask_why(const config::Config& config, const WhyOptions& options) {
  const WhyQuestion question{options.topic, PartitionNumber{options.partition},
                             Offset{options.offset}, options.key};
  const auto answer = ask_admin(config, "/v1/why?" + why_query(question));
  if (const auto* trouble = std::get_if<AdminTrouble>(&answer)) {
    std::fprintf(stderr, "einlass: %s\n", trouble->text.c_str());
    return kExitFailed;
  }
  const std::string& body = std::get<AdminPage>(answer).body;
  try {
    std::printf("%s", (options.json ? shown_lines(body) : why_for_people(body)).c_str());
  } catch (const nlohmann::json::exception&) {
    std::fprintf(stderr, "einlass: what answers on admin.listen is not a gate of this version\n");
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace einlass::app
