// What answers mean where the configuration says so, and what people get to see of them.
#include <gtest/gtest.h>

#include "adapters/http/target/answer_rules.h"
#include "adapters/http/target/batch_answer.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

std::string answer(const std::string& status, const std::string& body = "",
                   const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Outcome outcome(const AnswerOptions& options, unsigned status, std::string_view body = {}) {
  Answer one{.status = status, .retry_after = {}, .trouble = {}};
  one.body = body;
  return AnswerRules(options).outcome(one);
}

TEST(AnswerRules, without_rules_it_is_the_standard) {
  for (unsigned status = 0; status < 1000; ++status) {
    EXPECT_EQ(outcome({}, status), outcome_of(status)) << status;
  }
}

TEST(AnswerRules, a_status_means_what_is_written_last) {
  const AnswerOptions options{.by_status = {{200, 299, Outcome::refused},
                                            {500, 599, Outcome::refused},
                                            {202, 202, Outcome::accepted},
                                            {503, 503, Outcome::retry},
                                            {409, 409, Outcome::accepted}},
                              .by_body = {}};
  EXPECT_EQ(outcome(options, 200), Outcome::refused);
  EXPECT_EQ(outcome(options, 202), Outcome::accepted);
  EXPECT_EQ(outcome(options, 503), Outcome::retry);
  EXPECT_EQ(outcome(options, 500), Outcome::refused);
  EXPECT_EQ(outcome(options, 409), Outcome::accepted);
  EXPECT_EQ(outcome(options, 429), Outcome::retry);
  EXPECT_EQ(outcome(options, 0), Outcome::retry);
  EXPECT_EQ(outcome(options, 700), Outcome::refused);
}

TEST(AnswerRules, a_body_says_more_than_its_status) {
  const AnswerOptions options{.by_status = {},
                              .by_body = {{"/error/code", "RATE_LIMIT", Outcome::retry},
                                          {"/error/code", "7", Outcome::refused},
                                          {"/ok", "true", Outcome::accepted},
                                          {"/list/01", "x", Outcome::accepted},
                                          {"/list/0", "x", Outcome::refused}}};
  EXPECT_EQ(outcome(options, 200, R"({"error": {"code": "RATE_LIMIT"}})"), Outcome::retry);
  EXPECT_EQ(outcome(options, 503, R"({"error": {"code": 7}})"), Outcome::refused);
  EXPECT_EQ(outcome(options, 400, R"({"ok": true})"), Outcome::accepted);
  EXPECT_EQ(outcome(options, 200, R"({"list": ["x"]})"), Outcome::refused);
  EXPECT_EQ(outcome(options, 200, R"({"error": {"code": null}})"), Outcome::accepted);
  EXPECT_EQ(outcome(options, 400, R"({"error": {"code": "RATE_LIMIT"})"), Outcome::refused)
      << "no JSON as a whole";
  EXPECT_EQ(outcome(options, 400, ""), Outcome::refused);
  const std::string large = R"({"ok": true, "x": ")" + std::string(70'000, 'x') + "\"}";
  EXPECT_EQ(outcome(options, 400, large), Outcome::refused) << "too large to be looked into";
}

TEST(AnswerRules, what_is_no_pointer_is_refused_at_the_start) {
  const AnswerOptions options{.by_status = {}, .by_body = {{"a", "b", Outcome::retry}}};
  EXPECT_THROW(AnswerRules{options}, std::runtime_error);
}

TEST(Answers, a_rule_for_bodies_holds_on_the_wire_however_they_come) {
  ScriptedServer server(
      always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
             "8\r\n{\"error\"\r\n16\r\n: {\"code\": \"LIMIT\"}}  \r\n0\r\n\r\n"));
  TargetWorld world(server.port());
  world.options.answers.by_body = {{"/error/code", "LIMIT", Outcome::retry}};
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(world.trouble(), "status 200: {\"error\": {\"code\": \"LIMIT\"}}");
  EXPECT_EQ(world.deliver().outcome, Outcome::retry);
  EXPECT_EQ(server.connections(), 1);
}

// Of a body that ends with the connection.
Outcome outcome_of_cut(std::string_view body) {
  ScriptedServer server(once_and_end("HTTP/1.1 200 OK\r\n\r\n" + std::string(body)));
  TargetWorld world(server.port());
  world.options.answers.by_body = {{"/ok", "0", Outcome::refused}};
  const core::DeliveryEnded end = world.deliver();
  EXPECT_TRUE(end.counts);
  EXPECT_FALSE(end.hold_target);
  world.destroy_target();
  return end.outcome;
}

TEST(Answers, one_that_may_be_cut_is_not_accepted_where_its_body_decides) {
  for (const std::string_view cut : {"", "{", "{\"ok\":fal", "{\"ok\": false", "OK", "12"}) {
    EXPECT_EQ(outcome_of_cut(cut), Outcome::retry) << cut;
  }
  EXPECT_EQ(outcome_of_cut("{\"ok\": true}\n"), Outcome::accepted);
  EXPECT_EQ(outcome_of_cut("{\"ok\": 0}"), Outcome::refused);
  EXPECT_EQ(outcome_of_cut("{\"x\": \"" + std::string(70'000, 'x')), Outcome::accepted)
      << "judged by its status alone";
}

TEST(Answers, one_that_may_be_cut_is_told_and_one_with_an_end_is_not_cut) {
  for (const char* whole :
       {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK", "HTTP/1.1 204 No Content\r\n\r\n"}) {
    ScriptedServer server(once_and_end(whole));
    TargetWorld world(server.port());
    world.options.answers.by_body = {{"/ok", "false", Outcome::retry}};
    EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << whole;
    world.destroy_target();
  }
  ScriptedServer server(once_and_end("HTTP/1.1 200 OK\r\n\r\n{\"ok\":fal"));
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << "by its status alone";
  world.destroy_target();
  ScriptedServer other(once_and_end("HTTP/1.1 200 OK\r\n\r\n{\"ok\":fal"));
  TargetWorld judging(other.port());
  judging.options.answers.by_body = {{"/ok", "false", Outcome::retry}};
  judging.deliver();
  EXPECT_EQ(judging.trouble(),
            "status 200: the answer may be cut: its body ends with the connection and is no whole "
            "JSON: {\"ok\":fal");
  judging.destroy_target();
}

TEST(Answers, the_first_200_bytes_are_shown_in_one_line_and_not_in_the_log) {
  ScriptedServer server(
      always(answer("400 Bad", "no\r\nsuch \x1b[31mf\xc3\xbcld " + std::string(1000, 'x'))));
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_TRUE(world.trouble().starts_with("status 400: no  such ?[31mf??ld xxx"))
      << world.trouble();
  EXPECT_EQ(world.trouble().size(), std::string("status 400: ").size() + 200);
  EXPECT_EQ(world.ended(0).status, 400u);
  EXPECT_EQ(world.ended(0).reason, world.trouble());
  EXPECT_EQ(world.notices.at(0).detail, "attempts at billing fail: status 400");
}

TEST(Answers, a_secret_that_is_sent_back_without_its_scheme_or_name_is_not_shown) {
  ScriptedServer server([](Peer& peer) {
    while (!peer.read_request().empty()) {
      peer.write(answer("400 Bad", "wrong key sk-123, wrong session abcd, wrong user efgh"));
    }
  });
  TargetWorld world(server.port());
  world.options.headers = {{"Authorization", "ApiKey sk-123"}, {"Cookie", "s=abcd; user=efgh"}};
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(), "status 400: wrong key ***, wrong session ***, wrong user ***");
}

TEST(Answers, a_secret_that_is_sent_back_is_not_shown) {
  ScriptedServer server([](Peer& peer) {
    std::string request;
    while (!(request = peer.read_request()).empty()) peer.write(answer("400 Bad", request));
  });
  TargetWorld world(server.port());
  world.options.headers = {{"X-Api-Key", "hunter2"}};
  world.options.login.kind = LoginOptions::Kind::bearer;
  world.options.login.secret.value = "s" + std::string(1000, 'e') + "cret";
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_NE(world.trouble().find("X-Api-Key: ***"), std::string::npos) << world.trouble();
  EXPECT_NE(world.trouble().find("Authorization: Bearer ***"), std::string::npos)
      << world.trouble();
  EXPECT_EQ(world.trouble().find("hunter2"), std::string::npos);
  EXPECT_EQ(world.trouble().find("see"), std::string::npos);
}

// As Express does with a path that it does not know.
TEST(Answers, a_secret_of_the_url_is_not_shown_either_however_the_server_writes_it) {
  ScriptedServer server(
      always(answer("404 Not Found", "Cannot POST /a%2Fb+c&amp;d, {\"a\\/b+c&d\"}")));
  TargetWorld world(server.port());
  world.options.url_secrets = {"a/b+c&d"};
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(), "status 404: Cannot POST /***, {\"***\"}");
  EXPECT_EQ(world.ended(0).reason, world.trouble()) << "which the dead letter has";
}

TEST(Answers, a_secret_of_the_url_is_not_shown_where_a_redirect_points) {
  ScriptedServer server(
      always(answer("302 Found", "", "Location: https://h/a/0123456789abcdef/\r\n")));
  TargetWorld world(server.port());
  world.options.url_secrets = {"0123456789abcdef"};
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_NE(world.trouble().find("(to https://h/a/***/)"), std::string::npos) << world.trouble();
}

TEST(Answers, a_redirect_is_refused_and_says_where_it_points) {
  ScriptedServer server(
      always(answer("302 Found", "", "Location: https://elsewhere.example/a?token=hunter2\r\n")));
  TargetWorld world(server.port());
  EXPECT_EQ(world.deliver().outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(),
            "status 302: redirects are not followed (to https://elsewhere.example/a)");
  EXPECT_EQ(world.ended(0).reason, world.trouble());
  EXPECT_EQ(world.notices.at(0).detail,
            "attempts at billing fail: status 302: redirects are not followed")
      << "a server that adds a slash repeats a path that has a key in it";
}

TEST(AnswerRules, of_a_batch_the_whole_list_is_kept_whatever_the_status) {
  const KeptBody kept = AnswerRules({}, true).kept_body();
  EXPECT_GE(kept.of_2xx, kMostBatchAnswer);
  EXPECT_GE(kept.of_others, kMostBatchAnswer);
}

}  // namespace
}  // namespace einlass::http::testing
