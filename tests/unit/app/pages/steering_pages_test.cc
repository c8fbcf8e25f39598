// What is answered on /v1/quotas and /v1/pauses, and to whom.
#include "app/pages/steering_pages.h"

#include <gtest/gtest.h>

#include "app/status/steering_json.h"
#include "unit/app/steering/fake_table.h"

namespace einlass::app {
namespace {

constexpr char kWithout[] = R"(
kafka: {brokers: [localhost:9092], group: g}
limits: {per_tenant: {algorithm: sliding_log, limit: 100, window: 1s, key: record_key}}
shares: {tenants: {by: record_key}}
targets: {a: {http: {url: "http://localhost/"}}}
routes: [{name: results, topics: [t], target: a, limits: [per_tenant], dead_letter: d}]
)";
constexpr char kAcme[] = "/v1/quotas/per_tenant/acme";
constexpr char kResults[] = "/v1/pauses/route/results";

// A gate's pages, with a table that takes all, or with none.
struct Pages {
  explicit Pages(bool has_table, bool was_read = true)
      : config(read(std::string(has_table ? "quotas: {topic: q}" : "") + kWithout)) {
    steering.start([this](FleetTable::Listener& listener) {
      auto made = std::make_unique<FakeTable>(listener);
      table = made.get();
      return made;
    });
    if (was_read) steering.whole();
  }

  unsigned ask(const std::string& method, const std::string& path, const std::string& body = "",
               bool may_write = true, const std::string& query = "") {
    const http::ServerRequest request{
        .method = method, .path = path, .query = query, .headers = {}, .body = body};
    status = 0;
    said.clear();
    answer_steering(request, may_write, steering, Clock::wall(),
                    [&](const http::ServerResponse& response) {
                      status = response.status;
                      said = response.body;
                    });
    return status;
  }

  boost::asio::io_context io;
  const Clock clock;
  const config::Config config;
  LimitValues values{config};
  FlowWeights weights;
  std::vector<std::string> notices;
  Steering steering{io,
                    config,
                    values,
                    weights,
                    clock,
                    {.notify = [this](const Notice& notice) { notices.push_back(notice.detail); },
                     .paused = [](const Pauses&) {},
                     .ready = [] {}}};
  FakeTable* table = nullptr;
  unsigned status = 0;  // Of the last answer; 0 until there is one, ...
  std::string said;     // ... and what it said.
};

TEST(SteeringPages, WhoShowsNoTokenReadsAndWritesNothing) {
  Pages pages(true);
  ASSERT_EQ(pages.ask("POST", kResults, "{}"), 200u);
  for (const char* method : {"POST", "DELETE"}) {
    for (const char* path : {kAcme, kResults}) {
      EXPECT_EQ(pages.ask(method, path, R"({"limit": 5})", false), 403u) << method << path;
      EXPECT_NE(pages.said.find("write admin.token_file"), std::string::npos) << pages.said;
    }
  }
  EXPECT_EQ(pages.table->written_last.find("pause:route/results {"), 0u) << "the first alone";
  EXPECT_EQ(pages.ask("GET", kResults, "", false), 200u);
  EXPECT_EQ(pages.ask("GET", "/v1/quotas", "", false), 200u);
}

TEST(SteeringPages, WithoutATableNothingCanBeWritten) {
  Pages pages(false);
  EXPECT_EQ(pages.ask("POST", kAcme, R"({"limit": 5})"), 409u);
  EXPECT_NE(pages.said.find("write quotas: {topic: NAME}"), std::string::npos) << pages.said;
  EXPECT_EQ(pages.ask("POST", kResults), 409u);
  EXPECT_EQ(pages.ask("DELETE", kAcme), 404u);
  EXPECT_EQ(pages.ask("DELETE", kResults), 404u);
  EXPECT_EQ(pages.ask("POST", kAcme, R"({"limit": 0})"), 400u) << "what is wrong is said first";
}

// Or people would take what is paused for running.
TEST(SteeringPages, ATableThatWasNotReadYetIsNotSaidToBeEmpty) {
  Pages pages(true, false);
  for (const char* path : {kAcme, kResults, "/v1/quotas", "/v1/pauses"}) {
    EXPECT_EQ(pages.ask("GET", path), 503u) << path;
    EXPECT_NE(pages.said.find("were not read yet"), std::string::npos) << pages.said;
  }
  EXPECT_EQ(pages.ask("DELETE", kResults), 503u) << "it may be paused";
  EXPECT_EQ(pages.table->written_last, "");
  pages.steering.whole();
  EXPECT_EQ(pages.ask("GET", "/v1/pauses"), 200u);
  EXPECT_EQ(pages.ask("DELETE", kResults), 404u);
}

TEST(SteeringPages, AnswersAsItsPageSays) {
  Pages pages(true);
  EXPECT_EQ(pages.ask("POST", kAcme, R"({"limit": 500})"), 200u);
  EXPECT_EQ(pages.ask("GET", kAcme), 200u);
  EXPECT_EQ(pages.ask("DELETE", kAcme), 200u);
  EXPECT_EQ(pages.ask("DELETE", kAcme), 404u);
  EXPECT_EQ(pages.ask("GET", kAcme), 404u);
  EXPECT_EQ(pages.ask("POST", kAcme, "no object"), 400u);
  EXPECT_EQ(pages.ask("POST", kAcme, R"({"limit": 5, "colour": "red"})"), 400u);
  EXPECT_EQ(pages.ask("POST", "/v1/pauses/route/nobody"), 400u);
  EXPECT_EQ(pages.ask("POST", "/v1/pauses/moon/results"), 404u);
  EXPECT_EQ(pages.ask("POST", "/v1/quotas/per_tenant"), 404u);
  EXPECT_EQ(pages.ask("PUT", kAcme, "{}"), 405u);
  pages.table->refuses = "no broker";
  EXPECT_EQ(pages.ask("POST", kAcme, R"({"limit": 5})"), 503u);
  EXPECT_NE(pages.said.find("no broker"), std::string::npos) << pages.said;
}

// The table has it, and the gate has not read it again within its patience.
TEST(SteeringPages, WhatIsWrittenButNotReadYetIsSaidAsWritten) {
  Pages pages(true);
  ASSERT_EQ(pages.ask("POST", kAcme, R"({"limit": 500})"), 200u);
  EXPECT_FALSE(Json::parse(pages.said).contains("pending"));
  pages.table->tells = false;
  for (const auto& [method, body] :
       {std::pair("POST", R"({"limit": 7})"), std::pair("DELETE", "")}) {
    EXPECT_EQ(pages.ask(method, kAcme, body), 0u) << "not answered yet";
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (pages.status == 0 && std::chrono::steady_clock::now() < patience) {
      pages.io.run_one_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(pages.status, 202u) << method;
    const Json said = Json::parse(pages.said);
    EXPECT_EQ(said.at("pending"), true) << pages.said;
    EXPECT_EQ(said.contains("values"), body != std::string()) << pages.said;
    if (said.contains("values")) {
      EXPECT_EQ(said.at("values").at("limit"), 7);
    }
  }
}

TEST(SteeringPages, WhoTakesSomethingOutMaySayWhoAndWhy) {
  Pages pages(true);
  for (const char* path : {kAcme, kResults}) {
    const std::string set = path == kAcme ? R"({"limit": 5})" : "{}";
    ASSERT_EQ(pages.ask("POST", path, set), 200u);
    EXPECT_EQ(pages.ask("DELETE", path, R"({"by": "ann@desk", "note": "upgraded"})"), 200u);
    EXPECT_TRUE(pages.notices.back().starts_with("by ann@desk (upgraded): ")) << path;
    EXPECT_TRUE(pages.notices.back().ends_with("-> nothing"));
    ASSERT_EQ(pages.ask("POST", path, set), 200u);
    const std::string long_note(kLongestNote + 1, 'x');
    for (const std::string& wrong :
         {std::string("no object"), std::string(R"({"by": 5})"), std::string(R"({"limit": 5})"),
          std::string(R"({"for": "2h"})"), R"({"note": ")" + long_note + R"("})"}) {
      EXPECT_EQ(pages.ask("DELETE", path, wrong), 400u) << path << wrong;
    }
    EXPECT_EQ(pages.ask("GET", path), 200u) << "nothing was taken out";
    EXPECT_EQ(pages.ask("DELETE", path), 200u);
    EXPECT_TRUE(pages.notices.back().starts_with("by a request with the token: "));
  }
}

TEST(SteeringPages, HasOneEnd) {
  Pages pages(true);
  EXPECT_EQ(pages.ask("POST", kResults, R"({"for": "2h", "until": 4102444800000})"), 400u);
  EXPECT_NE(pages.said.find("for and until"), std::string::npos) << pages.said;
}

TEST(SteeringPages, AWeightIsAskedForWhereQuotasAre) {
  Pages pages(true);
  constexpr char kFlow[] = "/v1/quotas/share:tenants/acme";
  EXPECT_EQ(pages.ask("GET", kFlow), 404u);
  EXPECT_NE(pages.said.find("share tenants, flow acme has no weight set"), std::string::npos);
  EXPECT_EQ(pages.ask("POST", kFlow, R"({"weight": 5})", false), 403u);
  EXPECT_EQ(pages.ask("POST", kFlow, R"({"weight": 5, "for": "2h", "note": "sale"})"), 200u);
  EXPECT_EQ(pages.table->written_last.find(R"(share:tenants/acme {"weight":5,)"), 0u);
  EXPECT_EQ(pages.ask("GET", "/v1/quotas/share%3Atenants/acme"), 200u);
  const Json said = Json::parse(pages.said);
  EXPECT_EQ(said.at("limit"), "share:tenants");
  EXPECT_EQ(said.at("key"), "acme");
  EXPECT_EQ(said.at("values"), (Json{{"weight", 5}}));
  EXPECT_EQ(said.at("note"), "sale");
  EXPECT_TRUE(said.at("until").is_number());
  EXPECT_EQ(pages.ask("DELETE", kFlow), 200u);
  EXPECT_EQ(pages.ask("DELETE", kFlow), 404u);
  for (const char* wrong : {R"({"weight": 0})", R"({"weight": 1001})", R"({"limit": 5})", "{}"}) {
    EXPECT_EQ(pages.ask("POST", kFlow, wrong), 400u) << wrong;
  }
  EXPECT_EQ(pages.ask("POST", "/v1/quotas/share:none/acme", R"({"weight": 5})"), 400u);
  EXPECT_NE(pages.said.find("there is no share none"), std::string::npos) << pages.said;
  EXPECT_EQ(pages.ask("POST", "/v1/quotas/share:/acme", R"({"weight": 5})"), 404u);
  EXPECT_EQ(pages.ask("POST", "/v1/pauses/limit/share:tenants/acme"), 404u) << "no pause of a flow";
}

TEST(SteeringPages, OfManyPausesItIsSaidHowManyAreNotNamed) {
  Pages pages(true);
  const auto pause = [&](std::size_t i) {
    pages.steering.entry("pause:limit/per_tenant/" + std::to_string(i), R"({"paused": true})");
  };
  for (std::size_t i = 0; i < Steering::kMostNamed; ++i) pause(i);
  EXPECT_EQ(pages.ask("GET", "/v1/pauses"), 200u);
  EXPECT_FALSE(Json::parse(pages.said).contains("more_pauses"));
  for (std::size_t i = 0; i < 5; ++i) pause(Steering::kMostNamed + i);
  EXPECT_EQ(pages.ask("GET", "/v1/pauses"), 200u);
  EXPECT_EQ(Json::parse(pages.said).at("pauses").size(), Steering::kMostNamed);
  EXPECT_EQ(Json::parse(pages.said).at("more_pauses"), 5);
  const Json shown = steering_json(pages.steering, 10);
  EXPECT_EQ(shown.at("pauses").size(), 10u);
  EXPECT_EQ(shown.at("more_pauses"), Steering::kMostNamed - 5);
}

TEST(SteeringPages, AListHasQuotasAndWeightsOnItsPages) {
  Pages pages(true);
  const std::pair<const char*, const char*> all[] = {
      {"/v1/quotas/per_tenant/acme", R"({"limit": 5})"},
      {"/v1/quotas/share:tenants/acme", R"({"weight": 5})"},
      {"/v1/quotas/share:tenants/bolt", R"({"weight": 7})"}};
  for (const auto& [path, body] : all) ASSERT_EQ(pages.ask("POST", path, body), 200u) << path;
  ASSERT_EQ(pages.ask("POST", kResults, "{}"), 200u);
  const auto listed = [&](const std::string& query) {
    EXPECT_EQ(pages.ask("GET", "/v1/quotas", "", true, query), 200u);
    std::string names;
    const Json page = Json::parse(pages.said);
    for (const Json& one : page.at("quotas")) {
      names += one.at("limit").get<std::string>() + "/" + one.at("key").get<std::string>() + " ";
    }
    return names;
  };
  EXPECT_EQ(listed(""), "per_tenant/acme share:tenants/acme share:tenants/bolt ");
  EXPECT_EQ(listed("most=2"), "per_tenant/acme share:tenants/acme ");
  EXPECT_EQ(listed("after=" + Json::parse(pages.said).at("after").get<std::string>()),
            "share:tenants/bolt ");
  EXPECT_EQ(listed("limit=share:tenants&most=1"), "share:tenants/acme ");
  EXPECT_EQ(listed("limit=per_tenant"), "per_tenant/acme ");
  const Json status = steering_json(pages.steering, 10);
  EXPECT_EQ(status.at("quotas"), 3);
  EXPECT_EQ(status.at("pauses").size(), 1u);
}

TEST(SteeringPages, APauseIsNoQuotaWhateverItsPath) {
  Pages pages(true);
  ASSERT_EQ(pages.ask("POST", kResults, "{}"), 200u);
  for (const char* method : {"GET", "POST", "DELETE"}) {
    EXPECT_EQ(pages.ask(method, "/v1/quotas/pause:route/results", "{}"), 404u) << method;
  }
  EXPECT_EQ(pages.ask("GET", kResults), 200u) << "it is still paused";
}

TEST(SteeringPages, ALongListGoesOnAlsoBehindAKeyThatIsNoText) {
  Pages pages(true);
  const std::vector<std::string> keys = {"%00",    "%20", "%25",   "%80",
                                         "%C3%A4", "%FF", "a%09b", "a%2Fb"};
  for (const std::string& key : keys) {
    ASSERT_EQ(pages.ask("POST", "/v1/quotas/per_tenant/" + key, R"({"limit": 5})"), 200u) << key;
  }
  std::vector<std::string> behind;
  for (std::string after; behind.size() <= keys.size();) {
    ASSERT_EQ(pages.ask("GET", "/v1/quotas", "", true, "most=1&after=" + after), 200u);
    const Json page = Json::parse(pages.said);
    ASSERT_EQ(page.at("quotas").size(), 1u) << pages.said;
    if (page.at("after").is_null()) break;
    after = page.at("after");
    behind.push_back(after);
  }
  const std::vector<std::string> all_but_the_last = {
      "per_tenant/%00", "per_tenant/%20", "per_tenant/%25",   "per_tenant/a%09b",
      "per_tenant/a/b", "per_tenant/%80", "per_tenant/%C3%A4"};
  EXPECT_EQ(behind, all_but_the_last);
}

TEST(SteeringMetrics, tell_keys_apart_that_are_no_text) {
  Pages pages(true);
  pages.steering.entry("pause:limit/per_tenant/\xfe", R"({"paused": true})");
  pages.steering.entry("pause:limit/per_tenant/\xff", R"({"paused": true})");
  const metrics::Steering shown = steering_metrics(pages.steering, Instant{});
  ASSERT_EQ(shown.paused.size(), 2u);
  EXPECT_EQ(shown.paused[0].name, "per_tenant/\\xFE");
  EXPECT_EQ(shown.paused[1].name, "per_tenant/\\xFF");
}

}  // namespace
}  // namespace einlass::app
