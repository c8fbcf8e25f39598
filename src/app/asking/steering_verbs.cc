#include "app/asking/steering_verbs.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "app/asking/admin_client.h"
#include "app/process/exit_codes.h"
#include "app/steering/steer.h"
#include "config/model/address.h"
#include "text/shown.h"
#include "text/utc_text.h"
#include "text/utf8.h"

namespace einlass::app {
namespace {

using Json = nlohmann::ordered_json;

// Who types this, for the log and the lists of every gate.
std::string who() {
  const char* user = std::getenv("USER");
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string who = valid_utf8(std::string(user != nullptr ? user : "somebody") + "@" + host.data());
  while (who.size() > kLongestBy || valid_utf8(who) != who) who.pop_back();
  return who;
}

std::string encoded(const std::string& text) { return config::percent_encoded(text); }

std::string quota_path(const QuotaOptions& options) {
  return "/v1/quotas/" + encoded(options.limit) + "/" + encoded(options.key);
}

// Of a change that the table has and the gate that was asked has not read in time.
std::string pending(const Json& answer) {
  return answer.contains("pending") ? " (written; the gate has not read it yet)" : "";
}

// As one line: what it is about, its values, until when, who and why.
std::string line_for(const Json& entry) {
  std::string line;
  if (entry.contains("what")) {
    line = value_text(entry.at("what")) + " " + value_text(entry.at("name"));
    if (entry.contains("key")) line += " " + value_text(entry.at("key"));
    line += " paused";
  } else {
    line = value_text(entry.at("limit")) + " " + value_text(entry.at("key"));
    for (const auto& [name, value] : entry.at("values").items()) {
      line += " " + name + "=" + value_text(value);
    }
  }
  if (entry.at("since").is_number()) line += " since " + utc_text(entry.at("since"));
  if (entry.at("until").is_number()) line += " until " + utc_text(entry.at("until"));
  if (!value_text(entry.at("by")).empty()) line += " by " + value_text(entry.at("by"));
  if (!value_text(entry.at("note")).empty()) line += ": " + value_text(entry.at("note"));
  return shown(line) + pending(entry) + "\n";
}

// Prints what `words` make of the answer, or fails with its reason.
int print(const AdminAnswer& answer, const std::function<std::string(const Json&)>& words) {
  if (const auto* trouble = std::get_if<AdminTrouble>(&answer)) return fail(trouble->text);
  try {
    std::printf("%s", words(Json::parse(std::get<AdminPage>(answer).body)).c_str());
    return kExitDone;
  } catch (const nlohmann::json::exception&) {
    return fail(kNoSuchGate);
  }
}

Json body_of(const std::string& length, const std::string& note) {
  Json body{{"by", who()}};
  if (!length.empty()) body["for"] = length;
  if (!note.empty()) body["note"] = note;
  return body;
}

std::string pause_path(const PauseOptions& options) {
  const std::pair<const char*, const std::string*> names[] = {
      {"route", &options.route}, {"target", &options.target}, {"topic", &options.topic}};
  for (const auto& [kind, name] : names) {
    if (!name->empty()) return std::string("/v1/pauses/") + kind + "/" + encoded(*name);
  }
  return "/v1/pauses/limit/" + encoded(options.limit) + "/" + encoded(options.key.value_or(""));
}

// Has it written, and prints as above. What was typed has to be UTF-8, as all JSON is.
int change(const config::Config& config, const char* method, const std::string& path,
           const Json& body, const std::function<std::string(const Json&)>& words) {
  for (const auto& [name, value] : body.items()) {
    for (const std::string& text : {name, value.get<std::string>()}) {
      if (valid_utf8(text) == text) continue;
      std::fprintf(stderr, "einlass: '%s' is not UTF-8, as what stands in the table has to be\n",
                   shown(text).c_str());
      return kExitUsage;
    }
  }
  return print(tell_admin(config, method, path, body.dump()), words);
}

std::string lines_for(const Json& entries) {
  std::string lines;
  for (const Json& entry : entries) lines += line_for(entry);
  return lines;
}

}  // namespace

int get_quota(const config::Config& config, const QuotaOptions& options) {
  return print(ask_admin(config, quota_path(options)), line_for);
}

int set_quota(const config::Config& config, const QuotaOptions& options) {
  Json body = body_of(options.length, options.note);
  for (const std::string& pair : options.values) {
    const std::size_t mark = pair.find('=');
    if (mark == std::string::npos || mark == 0) {
      fail("'" + shown(pair) + "' is no value; write NAME=VALUE, as limit=500");
      return kExitUsage;
    }
    body[pair.substr(0, mark)] = pair.substr(mark + 1);
  }
  return change(config, "POST", quota_path(options), body, line_for);
}

int unset_quota(const config::Config& config, const QuotaOptions& options) {
  const Json body = body_of("", options.note);
  return change(config, "DELETE", quota_path(options), body, [&](const Json& answer) {
    const auto subject = quota_subject(options.limit, options.key);
    const bool weight = subject && subject->kind == Subject::Kind::weight;
    const std::string holds =
        weight ? " has the file's weight again" : " has no quota of its own any more";
    return shown(options.limit + " " + options.key + holds) + pending(answer) + "\n";
  });
}

int list_quotas(const config::Config& config, const QuotaOptions& options) {
  std::string after;  // Percent-encoded, as the gate names it.
  for (;;) {
    const auto answer = ask_admin(
        config, "/v1/quotas?most=1000&limit=" + encoded(options.limit) + "&after=" + after);
    after.clear();
    const int code = print(answer, [&](const Json& page) {
      if (page.at("after").is_string()) after = page.at("after");
      return options.json ? page.dump() + "\n" : lines_for(page.at("quotas"));
    });
    if (code != kExitDone || after.empty()) return code;
  }
}

int pause(const config::Config& config, const PauseOptions& options) {
  if (options.list) {
    return print(ask_admin(config, "/v1/pauses"), [](const Json& page) {
      const std::string more =
          page.contains("more_pauses") ? "and " + page.at("more_pauses").dump() + " more\n" : "";
      return lines_for(page.at("pauses")) + more;
    });
  }
  const Json body = body_of(options.length, options.note);
  return change(config, "POST", pause_path(options), body, line_for);
}

int resume(const config::Config& config, const PauseOptions& options) {
  return change(config, "DELETE", pause_path(options), body_of("", options.note),
                [](const Json& answer) { return "it is paused no more" + pending(answer) + "\n"; });
}

}  // namespace einlass::app
