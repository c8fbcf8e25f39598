#include "app/pages/steering_pages.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "app/status/steering_json.h"
#include "app/steering/entry_json.h"
#include "config/model/address.h"
#include "config/model/query.h"
#include "config/text/values.h"

namespace einlass::app {
namespace {

constexpr std::string_view kQuotas = "/v1/quotas";
constexpr std::string_view kPauses = "/v1/pauses";
constexpr std::size_t kUsualPage = 100;
constexpr Duration kLongestFor = Duration::seconds(366 * 24 * 3600);

http::ServerResponse json_page(unsigned status, const Json& json) {
  http::ServerResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return response;
}

http::ServerResponse refused(unsigned status, const std::string& why) {
  return json_page(status, {{"error", why}});
}

struct Refused {
  std::string why;
};

http::ServerResponse not_found() {
  return refused(404,
                 "write /v1/quotas/LIMIT/KEY or /v1/quotas/share:SHARE/FLOW, or "
                 "/v1/pauses/route/NAME, /target/NAME, /topic/NAME or /limit/LIMIT/KEY");
}

// Without what stands before it; none where the path is not below it.
std::optional<std::string_view> below(std::string_view path, std::string_view front) {
  if (!path.starts_with(front)) return std::nullopt;
  path.remove_prefix(front.size());
  if (path.empty()) return path;
  if (path.front() != '/') return std::nullopt;
  return path.substr(1);
}

// The text up to the next slash, which is taken off; none where it is not percent-encoded.
std::optional<std::string> take_part(std::string_view& rest) {
  const std::string_view part = rest.substr(0, rest.find('/'));
  rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  return config::any_percent_decoded(part);
}

std::optional<Subject> quota_of(std::string_view rest) {
  if (rest.find('/') == std::string_view::npos) return std::nullopt;
  const auto limit = take_part(rest);
  const auto key = config::any_percent_decoded(rest);
  if (!limit || !key) return std::nullopt;
  return quota_subject(*limit, *key);
}

std::optional<Subject> pause_subject(std::string_view rest) {
  const auto kind = take_part(rest);
  if (!kind || rest.empty()) return std::nullopt;
  if (*kind == "limit") {
    auto subject = quota_of(rest);
    if (!subject || subject->kind != Subject::Kind::quota) return std::nullopt;
    subject->kind = Subject::Kind::tenant;
    return subject;
  }
  const auto name = config::any_percent_decoded(rest);
  for (const auto one : {Subject::Kind::route, Subject::Kind::target, Subject::Kind::topic}) {
    if (word_of(one) == *kind && name) return Subject{one, *name, {}};
  }
  return std::nullopt;
}

// ---- what is asked ----

constexpr std::string_view kListUsage = "ask with ?limit=NAME, most=NUMBER and after=KEY";

http::ServerResponse list_quotas(std::string_view query, const Steering& steering) {
  const auto read = config::parse_query(query, {"limit", "most", "after"}, kListUsage);
  if (const auto* wrong = std::get_if<std::string>(&read)) return refused(400, *wrong);
  const auto& fields = std::get<config::QueryFields>(read);
  const auto text_of = [&](std::string_view name) {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  };
  std::size_t most = kUsualPage;
  if (const std::string text = text_of("most"); !text.empty()) {
    const auto number = config::parse_whole(text, {1, Steering::kMostNamed});
    if (const auto* wrong = std::get_if<config::Refusal>(&number)) {
      return refused(400, "most '" + text + "' " + wrong->text);
    }
    most = static_cast<std::size_t>(std::get<std::int64_t>(number));
  }
  auto some = steering.quotas(text_of("limit"), text_of("after"), most + 1);
  const bool more = some.size() > most;
  if (more) some.pop_back();
  Json json{{"quotas", entries_json(some)}};
  json["after"] = more ? Json(config::percent_encoded(some.back().key)) : Json(nullptr);
  return json_page(200, json);
}

// What a body says beside what an entry holds: `for`, instead of `until`.
std::variant<Steer, std::string> steer_of(const Subject& subject, std::string_view body,
                                          Instant now) {
  Json json = Json::parse(body.empty() ? std::string_view("{}") : body, nullptr, false);
  if (!json.is_object()) return std::string("the body is no JSON object");
  const std::int64_t now_ms = now.us / 1000;
  json["since"] = now_ms;
  if (const auto found = json.find("for"); found != json.end()) {
    if (json.contains("until")) return std::string("for and until are two ways to say one thing");
    const std::string text = value_text(*found);
    const auto length = config::parse_duration(text, {Duration::seconds(1), kLongestFor});
    if (const auto* wrong = std::get_if<config::Refusal>(&length)) return "for " + wrong->text;
    json["until"] = now_ms + std::get<Duration>(length).us / 1000;
    json.erase("for");
  }
  return read_steer(subject, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

constexpr std::string_view kSomebody = "a request with the token";

// Who takes it out and why, for the log alone: checked as what is set.
std::variant<std::string, Refused> who_unsets(std::string_view body) {
  if (body.empty()) return std::string(kSomebody);
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object()) return Refused{"the body is no JSON object"};
  for (const auto& [name, value] : json.items()) {
    if (name == "by" || name == "note") continue;
    return Refused{name + " means nothing here; a DELETE takes by and note, or no body"};
  }
  const Subject pause{Subject::Kind::route, {}, {}};  // Which has nothing beside these two.
  const auto read = read_steer(pause, body);
  if (const auto* wrong = std::get_if<std::string>(&read)) return Refused{*wrong};
  const Steer& said = std::get<Steer>(read);
  const std::string who = said.by.empty() ? std::string(kSomebody) : said.by;
  return said.note.empty() ? who : who + " (" + said.note + ")";
}

void write(const http::ServerRequest& request, const Subject& subject, Steering& steering,
           Instant now, const http::Server::Respond& respond) {
  // What was written, as it is there once the gate has read it.
  const auto answer = [respond](Json written) {
    return [respond, written = std::move(written)](const Steering::Outcome& outcome) {
      if (outcome.status >= 400) return respond(refused(outcome.status, outcome.text));
      Json said = written;
      if (outcome.status == 202) said["pending"] = true;
      respond(json_page(outcome.status, said));
    };
  };
  if (request.method == "DELETE") {
    const auto who = who_unsets(request.body);
    if (const auto* wrong = std::get_if<Refused>(&who)) return respond(refused(400, wrong->why));
    return steering.unset(subject, std::get<std::string>(who), answer(Json::object()));
  }
  auto steer = steer_of(subject, request.body, now);
  if (const auto* wrong = std::get_if<std::string>(&steer)) return respond(refused(400, *wrong));
  Steer& read = std::get<Steer>(steer);
  const std::string by = read.by.empty() ? std::string(kSomebody) : read.by;
  Json written = entry_json(subject, read);
  steering.set(subject, std::move(read), by, answer(std::move(written)));
}

}  // namespace

bool is_steering_page(std::string_view path) {
  return below(path, kQuotas).has_value() || below(path, kPauses).has_value();
}

void answer_steering(const http::ServerRequest& request, bool may_write, Steering& steering,
                     Instant now, const http::Server::Respond& respond) {
  const auto quotas = below(request.path, kQuotas);
  const std::string_view rest = quotas ? *quotas : *below(request.path, kPauses);
  const bool reads = request.method == "GET";
  // Nobody may take what is known of it by then for all that it has.
  const std::string unread = why_not_steered(steering);
  if (reads && !unread.empty()) return respond(refused(503, unread));
  if (rest.empty() && reads) {
    if (quotas) return respond(list_quotas(request.query, steering));
    return respond(json_page(200, pauses_json(steering)));
  }
  const auto subject = quotas ? quota_of(rest) : pause_subject(rest);
  if (!subject) return respond(not_found());
  if (reads) {
    const auto steer = steering.find(*subject);
    if (steer) return respond(json_page(200, entry_json(*subject, *steer)));
    return respond(refused(404, not_there(*subject)));
  }
  if (request.method != "POST" && request.method != "DELETE") {
    auto refusal = refused(405, "only GET, POST and DELETE are served here");
    refusal.headers = {{"Allow", "GET, POST, DELETE"}};
    return respond(std::move(refusal));
  }
  if (!may_write) {
    return respond(refused(403,
                           "changing this needs a token, and this gate has none; write "
                           "admin.token_file"));
  }
  if (request.method == "DELETE" && !unread.empty()) {
    return respond(refused(503, unread + "; nothing was written"));
  }
  write(request, *subject, steering, now, respond);
}

}  // namespace einlass::app
