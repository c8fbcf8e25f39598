// Who may have the pages, and what a browser was only led to ask.
#include "adapters/http/server/access.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "adapters/temporary_directory.h"
#include "net/encoding.h"

namespace einlass::http::testing {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

ServerRequest with(const Headers& headers) {
  return {.method = "GET", .path = "/", .query = {}, .headers = headers, .body = {}};
}

// In one step, as secrets are renewed.
void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path + ".next") << text;
  std::filesystem::rename(path + ".next", path);
}

std::string basic(const std::string& login) { return "Basic " + net::base64(login); }

TEST(Access, is_for_whoever_shows_the_token) {
  Access access({.value = "right", .file = ""}, nullptr);
  EXPECT_TRUE(access.needs_token());
  for (const std::string& good :
       {std::string("Bearer right"), std::string("bearer  right"), basic("anybody:right"),
        basic(":right"), "bASIC" + basic("a:right").substr(5)}) {
    EXPECT_TRUE(access.may(good)) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("right"), std::string("Bearer"), std::string("Bearer "),
        std::string("Bearer Right"), std::string("Bearer right!"), std::string("Bearer righ"),
        std::string("Bearer right right"), std::string("Digest right"), basic("right"),
        basic("right:"), basic("right:wrong"), basic("a:b:right"), std::string("Basic right"),
        std::string("Basic "), std::string("Basic ===="), std::string("Basic \x01")}) {
    EXPECT_FALSE(access.may(bad)) << bad;
  }
  const Headers twice = {{"authorization", "Bearer wrong"}, {"authorization", "Bearer right"}};
  EXPECT_FALSE(access.may(with(twice).header("authorization"))) << "the first one counts";
}

TEST(Access, is_for_everybody_where_there_is_no_token) {
  Access access({}, nullptr);
  EXPECT_FALSE(access.needs_token());
  EXPECT_TRUE(access.may(""));
  EXPECT_TRUE(access.may("Bearer whatever"));
}

TEST(Access, a_password_may_have_colons) {
  Access access({.value = "a:b", .file = ""}, nullptr);
  EXPECT_TRUE(access.may(basic("user:a:b")));
}

TEST(Access, a_token_that_is_renewed_on_disk_holds_at_once) {
  const adapters::testing::TemporaryDirectory directory;
  const std::string file = directory.file("token");
  write_file(file, "first\n");
  std::vector<std::string> told;
  Access access({.value = "first", .file = file}, [&](const Notice& notice) {
    told.push_back(notice.what);
    EXPECT_EQ(notice.detail.find("second"), std::string::npos);
  });
  EXPECT_TRUE(access.may("Bearer first"));
  write_file(file, "second\n");
  EXPECT_FALSE(access.may("Bearer first"));
  EXPECT_TRUE(access.may("Bearer second"));
  for (const std::string unusable : {"", "the second", "second\nsecond\n"}) {
    write_file(file, unusable);
    EXPECT_TRUE(access.may("Bearer second")) << "what cannot be a token changes nothing";
    EXPECT_FALSE(access.may("Bearer ")) << "least of all to nothing";
  }
  write_file(file, "third-one");
  EXPECT_TRUE(access.may("Bearer third-one"));
  EXPECT_EQ(told, (std::vector<std::string>{"admin_token_failing", "admin_token_ok"}));
}

TEST(Access, says_what_is_no_token) {
  EXPECT_EQ(token_trouble("abcXYZ019-._~+/=:"), "");
  EXPECT_EQ(token_trouble(std::string(4096, 'x')), "");
  EXPECT_EQ(token_trouble(""), "it is empty");
  EXPECT_EQ(token_trouble(std::string(4097, 'x')), "it is longer than 4096 characters");
  for (const std::string bad : {"a b", "a\n", "\x7f", "\xc3\xa4", "a\tb"}) {
    EXPECT_NE(token_trouble(bad), "") << bad;
  }
}

TEST(Browser, what_another_site_asks_for_is_seen) {
  const auto cross = [](const Headers& headers) { return is_cross_site(with(headers)); };
  EXPECT_FALSE(cross({{"host", "gate:9465"}}));
  EXPECT_FALSE(cross({{"host", "gate:9465"}, {"origin", "http://gate:9465"}}));
  EXPECT_FALSE(cross({{"host", "gate"}, {"origin", "https://gate"}}));
  EXPECT_FALSE(cross({{"host", "gate"}, {"sec-fetch-site", "same-origin"}}));
  EXPECT_FALSE(cross({{"host", "gate"}, {"sec-fetch-site", "none"}}));
  EXPECT_TRUE(cross({{"host", "gate:9465"}, {"origin", "http://gate:80"}}));
  EXPECT_TRUE(cross({{"host", "gate:9465"}, {"origin", "https://evil.example"}}));
  EXPECT_TRUE(cross({{"host", "gate"}, {"origin", "null"}}));
  EXPECT_TRUE(cross({{"host", "gate"}, {"sec-fetch-site", "cross-site"}}));
  EXPECT_TRUE(cross({{"host", "gate"}, {"sec-fetch-site", "same-site"}}));
  EXPECT_TRUE(cross({{"origin", "http://gate"}}));
}

TEST(Browser, a_name_that_may_be_a_strangers_is_seen) {
  const auto strange = [](const std::string& host) {
    const Headers headers = {{"host", host}};
    return asks_by_a_strangers_name(with(headers));
  };
  for (const std::string own :
       {"127.0.0.1:9465", "127.0.0.1", "[::1]:9465", "[::1]", "10.1.2.3:80", "localhost",
        "LocalHost:9465", "gate.localhost:9465", "gate-1:9465", "", "[", ":9465"}) {
    EXPECT_FALSE(strange(own)) << own;
  }
  for (const std::string other : {"evil.example:9465", "evil.example", "localhost.evil.example",
                                  "evil.example.", "a.notlocalhost", "127.0.0.1.evil.example"}) {
    EXPECT_TRUE(strange(other)) << other;
  }
  EXPECT_FALSE(asks_by_a_strangers_name(with({})));
}

}  // namespace
}  // namespace einlass::http::testing
