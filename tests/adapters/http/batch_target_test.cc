// How the attempts of one request with several records end.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// Per record: its outcome, and of how many it was told together.
using Ends = std::vector<std::pair<Outcome, std::uint32_t>>;

struct Batching : ::testing::Test {
  // Three records, of which the last is not in the body, and how their attempts end.
  Ends deliver(std::string answer) {
    ScriptedServer server(always(std::move(answer)));
    return deliver_to(server.port());
  }

  Ends deliver_to(std::uint16_t port, bool any_fits = true) {
    TargetWorld world(port);
    world.options.batches = true;
    world.options.login = login;
    std::vector<BatchMember> members;
    for (std::uint32_t i = 0; i < 3; ++i) members.push_back({{i, 1}, {i + 5}, ""});
    members[2].unfit = "no JSON";
    if (!any_fits) members[0].unfit = members[1].unfit = "none either";
    world.target().send(Request{.record = members[0].record,
                                .attempt = members[0].attempt,
                                .members = members,
                                .id = "results-3-7",
                                .content_type = {},
                                .headers = {},
                                .body = any_fits ? "[1,2]" : ""});
    EXPECT_TRUE(world.events.empty()) << "ended inside send()";
    world.run_until_ended(3);
    Ends ends;
    for (std::uint32_t i = 0; i < world.events.size(); ++i) {
      EXPECT_EQ(world.ended(i).record, (core::RecordId{i, 1})) << "in order";
      EXPECT_EQ(world.ended(i).attempt.value, i + 5);
      EXPECT_EQ(world.ended(i).asked, any_fits && i < 2) << "the last does not fit";
      ends.emplace_back(world.ended(i).outcome, world.ended(i).together);
      over_one.push_back(world.ended(i).over_one);
      counts.push_back(world.ended(i).counts);
      if (world.ended(i).outcome == Outcome::accepted) continue;
      failed.emplace_back(world.ended(i).status, world.ended(i).reason);
    }
    notices = world.notices;
    return ends;
  }

  std::vector<std::pair<unsigned, std::string>> failed;
  std::vector<bool> over_one, counts;
  std::vector<Notice> notices;
  LoginOptions login;
};

std::string json(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_F(Batching, all_are_accepted_but_what_was_not_in_it) {
  EXPECT_EQ(deliver(std::string(kNoContent)),
            (Ends{{Outcome::accepted, 1}, {Outcome::accepted, 1}, {Outcome::refused, 1}}));
  EXPECT_EQ(failed, (decltype(failed){{0, "no JSON"}}));
}

TEST_F(Batching, a_login_that_is_refused_is_no_records_fault) {
  const std::string answer = json(R"({"failed": [{"index": 1, "status": 401}]})");
  EXPECT_EQ(deliver(answer)[1].first, Outcome::refused);
  EXPECT_TRUE(counts[1]);
  login.kind = LoginOptions::Kind::basic;
  login.username = "somebody";
  login.secret.value = "secret";
  counts.clear();
  EXPECT_EQ(deliver(answer)[1].first, Outcome::retry);
  EXPECT_FALSE(counts[1]);
}

TEST_F(Batching, the_answer_names_who_failed_and_how) {
  EXPECT_EQ(deliver(json(R"({"failed": [{"index": 1, "status": 503, "error": "later\n"}]})")),
            (Ends{{Outcome::accepted, 1}, {Outcome::retry, 1}, {Outcome::refused, 1}}));
  ASSERT_EQ(failed.size(), 2u);
  EXPECT_EQ(failed[0].first, 503u);
  EXPECT_EQ(failed[0].second.substr(0, 42), "status 503 in the answer to its batch: lat");
}

TEST_F(Batching, without_names_all_that_were_in_it_fail_together) {
  const Ends refused = {{Outcome::refused, 2}, {Outcome::refused, 2}, {Outcome::refused, 1}};
  EXPECT_EQ(deliver("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"), refused);
  const Ends again = {{Outcome::retry, 2}, {Outcome::retry, 2}, {Outcome::refused, 1}};
  EXPECT_EQ(deliver("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), again);
}

TEST_F(Batching, what_a_server_fails_may_be_over_one_of_them_unless_it_is_about_itself) {
  const auto is_over_one = [this](const std::string& head) {
    over_one.clear();
    deliver("HTTP/1.1 " + head + "\r\nContent-Length: 0\r\n\r\n");
    EXPECT_FALSE(over_one[2]) << "it was not in it";
    EXPECT_EQ(over_one[0], over_one[1]);
    return bool(over_one[0]);
  };
  for (const char* head : {"500 No", "501 No", "507 No"}) EXPECT_TRUE(is_over_one(head)) << head;
  for (const char* head : {"204 OK", "400 No", "408 No", "425 No", "429 No", "502 No", "503 No",
                           "504 No", "500 No\r\nRetry-After: 1"}) {
    EXPECT_FALSE(is_over_one(head)) << head;
  }
  over_one.clear();
  deliver(json(R"({"failed": [{"index": 2, "status": 503}]})"));
  EXPECT_TRUE(over_one[0] && over_one[1]) << "its list cannot be used";
  over_one.clear();
  deliver_to(1);
  EXPECT_FALSE(over_one[0]) << "there is no server";
}

TEST_F(Batching, a_list_that_cannot_be_used_means_again) {
  EXPECT_EQ(deliver(json(R"({"failed": [{"index": 2, "status": 503}]})")),
            (Ends{{Outcome::retry, 2}, {Outcome::retry, 2}, {Outcome::refused, 1}}));
  const std::string trouble =
      "status 200: the answer does not say which records failed: an entry of failed has no index "
      "from 0 to 1";
  EXPECT_EQ(failed[0].second, trouble + R"(: {"failed": [{"index": 2, "status": 503}]})");
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].what, "target_failing");
  EXPECT_NE(notices[0].detail.find(trouble), std::string::npos) << notices[0].detail;
}

TEST_F(Batching, a_list_that_may_have_been_cut_means_again) {
  const Ends again = {{Outcome::retry, 2}, {Outcome::retry, 2}, {Outcome::refused, 1}};
  const auto deliver_ended = [this](const std::string& body) {
    ScriptedServer server(once_and_end("HTTP/1.1 200 OK\r\n\r\n" + body));
    return deliver_to(server.port());
  };
  for (const char* cut : {"", " ", "{", "OK"}) EXPECT_EQ(deliver_ended(cut), again) << cut;
  EXPECT_EQ(failed[0].second,
            "status 200: the answer may be cut: its body ends with the connection and is no whole "
            "JSON");
  EXPECT_EQ(deliver_ended(R"({"failed": [{"index": 0, "status": 400}]})"),
            (Ends{{Outcome::refused, 1}, {Outcome::accepted, 1}, {Outcome::refused, 1}}));
  EXPECT_EQ(deliver_ended("{}"),
            (Ends{{Outcome::accepted, 1}, {Outcome::accepted, 1}, {Outcome::refused, 1}}));
}

TEST_F(Batching, no_request_is_made_of_nothing) {
  EXPECT_EQ(deliver_to(1, false),
            (Ends{{Outcome::refused, 1}, {Outcome::refused, 1}, {Outcome::refused, 1}}));
  EXPECT_EQ(failed, (decltype(failed){{0, "none either"}, {0, "none either"}, {0, "no JSON"}}));
}

TEST_F(Batching, without_a_server_all_are_tried_again) {
  EXPECT_EQ(deliver_to(1), (Ends{{Outcome::retry, 2}, {Outcome::retry, 2}, {Outcome::refused, 1}}));
}

}  // namespace
}  // namespace einlass::http::testing
