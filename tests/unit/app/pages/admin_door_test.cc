#include "app/pages/admin_door.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace einlass::app {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr char kTokenShown[] = "Bearer a-token";

config::Admin admin(const std::string& host, const std::string& token, bool tls = false) {
  config::Admin made;
  made.listen.host = host;
  made.token.value = token;
  if (tls) made.tls = config::AdminTls{"/no/such/file", "/no/such/file"};
  return made;
}

// The status of the refusal; 0: there is none.
unsigned refused(AdminDoor& door, std::string_view path, const Headers& headers,
                 std::string_view method = "GET") {
  const http::ServerRequest request{
      .method = method, .path = path, .query = {}, .headers = headers, .body = {}};
  const auto refusal = door.refusal(request);
  return refusal ? refusal->status : 0;
}

TEST(AdminDoor, without_a_token_everything_is_for_whoever_is_on_this_machine) {
  AdminDoor door(admin("127.0.0.1", ""), nullptr);
  for (const char* path : {"/", "/metrics", "/healthz", "/-/reload"}) {
    EXPECT_EQ(refused(door, path, {{"host", "localhost:9465"}}), 0u) << path;
    EXPECT_EQ(refused(door, path, {{"host", "evil.example"}}), 403u) << path;
  }
}

TEST(AdminDoor, by_which_name_it_is_asked_is_nothing_to_one_that_others_reach) {
  for (const char* host : {"0.0.0.0", "::", "10.1.2.3", "gate.example.org"}) {
    AdminDoor door(admin(host, ""), nullptr);
    EXPECT_EQ(refused(door, "/metrics", {{"host", "gate.example.org"}}), 0u) << host;
  }
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    AdminDoor door(admin(host, ""), nullptr);
    EXPECT_EQ(refused(door, "/metrics", {{"host", "gate.example.org"}}), 403u) << host;
  }
}

TEST(AdminDoor, with_a_token_all_but_the_probes_need_it) {
  AdminDoor door(admin("127.0.0.1", "a-token"), nullptr);
  const Headers with = {{"host", "evil.example"}, {"authorization", kTokenShown}};
  const Headers without = {{"host", "evil.example"}};
  for (const char* path : {"/", "/metrics", "/v1/status", "/v1/why", "/v1/events", "/-/reload",
                           "/nothing", "/healthz/", "/readyz2", "//healthz"}) {
    EXPECT_EQ(refused(door, path, without), 401u) << path;
    EXPECT_EQ(refused(door, path, with), 0u) << path;
  }
  for (const char* path : {"/healthz", "/readyz"}) {
    EXPECT_EQ(refused(door, path, without), 0u) << path;
  }
}

TEST(AdminDoor, what_a_page_of_another_site_sends_changes_nothing_even_with_the_token) {
  for (const char* token : {"", "a-token"}) {
    AdminDoor door(admin("0.0.0.0", token), nullptr);
    Headers headers = {{"host", "gate"}, {"authorization", kTokenShown}};
    EXPECT_EQ(refused(door, "/-/reload", headers, "POST"), 0u);
    headers.emplace_back("origin", "https://evil.example");
    EXPECT_EQ(refused(door, "/-/reload", headers, "POST"), 403u);
  }
}

// It could not read the answer, but the question costs the gate time.
TEST(AdminDoor, what_a_page_of_another_site_asks_is_not_answered_but_its_links_are) {
  AdminDoor door(admin("127.0.0.1", ""), nullptr);
  Headers headers = {{"host", "127.0.0.1:9465"}};
  for (const char* path : {"/", "/metrics", "/v1/why"}) {
    headers.resize(1);
    headers.emplace_back("sec-fetch-site", "cross-site");
    EXPECT_EQ(refused(door, path, headers), 403u) << path;
    headers.emplace_back("sec-fetch-mode", "navigate");
    EXPECT_EQ(refused(door, path, headers), 403u) << path;
    headers.emplace_back("sec-fetch-dest", "iframe");
    EXPECT_EQ(refused(door, path, headers), 403u) << path;
    headers.back() = {"sec-fetch-dest", "document"};
    const bool is_question = std::string_view(path) == "/v1/why";
    EXPECT_EQ(refused(door, path, headers), is_question ? 403u : 0u) << path;
    EXPECT_EQ(refused(door, path, headers, "POST"), 403u) << path;
  }
}

TEST(AdminDoor, another_token_holds_from_then_on) {
  AdminDoor door(admin("127.0.0.1", "first"), nullptr);
  door.set_token({.value = "a-token", .file = ""});
  EXPECT_EQ(refused(door, "/", {{"authorization", "Bearer first"}}), 401u);
  EXPECT_EQ(refused(door, "/", {{"authorization", kTokenShown}}), 0u);
  door.set_token({});
  EXPECT_EQ(refused(door, "/", {}), 0u);
}

TEST(OpenDoor, is_told_where_others_come_to_it) {
  for (const char* host : {"127.0.0.1", "::1", "localhost"}) {
    EXPECT_EQ(open_door(admin(host, "")), "") << host;
  }
  EXPECT_EQ(open_door(admin("0.0.0.0", "a-token", true)), "");
  EXPECT_EQ(
      open_door(admin("0.0.0.0", "")),
      "anyone who can reach 0.0.0.0:9465 can read the admin pages and reload the configuration; "
      "write admin.token_file and admin.tls, or restrict who can reach it");
  EXPECT_EQ(open_door(admin("::", "", true)),
            "anyone who can reach [::]:9465 can read the admin pages and reload the configuration; "
            "write admin.token_file, or restrict who can reach it");
  EXPECT_EQ(open_door(admin("10.1.2.3", "a-token")),
            "the admin pages and their token go over the network in the clear on 10.1.2.3:9465; "
            "write admin.tls if others may read along there");
}

}  // namespace
}  // namespace einlass::app
