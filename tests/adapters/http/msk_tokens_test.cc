// Where the credentials of a token come from, and when they are asked for again; the time is the
// test's.
#include "adapters/http/aws/msk_tokens.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/recorder.h"
#include "adapters/temporary_directory.h"
#include "net/encoding.h"

namespace einlass::http::testing {
namespace {

using adapters::testing::TemporaryDirectory;

constexpr Instant kStart{1'795'581'000'000'000};  // 2026-11-25T04:30:00Z
constexpr Duration kMinute = Duration::seconds(60);

// Credentials number N as a server gives them, with their end in so many minutes of the hour 05.
std::string credentials(int number, int minute) {
  const std::string n = std::to_string(number);
  return json_answer(R"({"Code": "Success", "AccessKeyId": "KEY)" + n +
                     R"(", "SecretAccessKey": "hush)" + n + R"(", "Token": "session)" + n +
                     R"(", "Expiration": "2026-11-25T05:)" + (minute < 10 ? "0" : "") +
                     std::to_string(minute) + R"(:00Z"})");
}

class Tokens : public ::testing::Test {
 protected:
  void write(const std::string& text) {
    std::ofstream(files.file("new")) << text;
    std::filesystem::rename(files.file("new"), options.file = files.file("credentials"));
  }
  void use_container(const std::string& authorization = "") {
    options.container = AwsServer{.host = "127.0.0.1",
                                  .port = server.port(),
                                  .path = "/creds?id=1",
                                  .authorization = authorization,
                                  .authorization_file = ""};
  }
  void use_metadata() {
    options.metadata = AwsServer{
        .host = "127.0.0.1", .port = server.port(), .authorization = "", .authorization_file = ""};
  }

  TokenAnswer ask(Duration later = {}) {
    if (!tokens) {
      tokens.emplace(io, options, "eu-west-1", [this](const TokenAnswer& a) { answer = a; });
    }
    answer.reset();
    tokens->ask(kStart + later);
    while (!answer && io.run_one() > 0) {
    }
    return answer.value_or(TokenAnswer{});
  }

  // The access key with which the token was signed; empty if there is none.
  static std::string key_in(const TokenAnswer& answer) {
    std::string text = answer.token;
    for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
    text.append((4 - text.size() % 4) % 4, '=');
    const std::string url = net::base64_decoded(text).value_or("");
    const std::string before = "&X-Amz-Credential=";
    const std::size_t at = url.find(before);
    if (at == url.npos) return "";
    return url.substr(at + before.size(), url.find('%', at) - at - before.size());
  }

  void expect_trouble(const std::string& why) {
    const TokenAnswer got = ask();
    EXPECT_EQ(got.token, "");
    EXPECT_EQ(got.trouble, "no AWS credentials: " + why);
    tokens.reset();
  }
  std::string peer() const { return "127.0.0.1:" + std::to_string(server.port()); }

  boost::asio::io_context io;
  TemporaryDirectory files;
  Recorder server;
  AwsOptions options;
  std::optional<MskTokens> tokens;
  std::optional<TokenAnswer> answer;
};

TEST_F(Tokens, come_from_the_first_that_has_credentials) {
  server.answer_by([](const std::string&) { return credentials(3, 59); });
  use_metadata();
  use_container();
  EXPECT_EQ(key_in(ask()), "KEY3");
  write("[default]\naws_access_key_id = KEY2\naws_secret_access_key = s\n");
  tokens.reset();
  EXPECT_EQ(key_in(ask()), "KEY2");
  options.given = AwsCredentials{"KEY1", "s", "", std::nullopt};
  tokens.reset();
  const TokenAnswer first = ask();
  EXPECT_EQ(key_in(first), "KEY1");
  EXPECT_EQ(first.life, kMskTokenLife);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Tokens, of_a_file_are_made_with_what_stands_there_by_then) {
  write("[prod]\naws_access_key_id = KEY1\naws_secret_access_key = s\n");
  options.profile = "prod";
  options.profile_is_chosen = true;
  EXPECT_EQ(key_in(ask()), "KEY1");
  EXPECT_FALSE(tokens->look());
  write("[prod]\naws_access_key_id = KEY2\naws_secret_access_key = s\n");
  EXPECT_TRUE(tokens->look());
  EXPECT_FALSE(tokens->look());
  EXPECT_EQ(key_in(ask(kMinute)), "KEY2");
  // What is half written is not used; what stood there before is, for a while, and that is said.
  write("[prod]\naws_access_key_id = KEY3\n");
  const TokenAnswer kept = ask(kMinute * 2);
  EXPECT_EQ(key_in(kept), "KEY2");
  EXPECT_LE(kept.life, kMinute * 2);
  EXPECT_EQ(kept.trouble, "no AWS credentials: " + options.file +
                              ", profile 'prod': aws_secret_access_key is missing");
}

TEST_F(Tokens, whose_file_is_no_good_fall_back_to_nobody_else) {
  server.answer_by([](const std::string&) { return credentials(1, 59); });
  use_container();
  const std::string keys = "aws_access_key_id = KEY2\naws_secret_access_key = ";
  options.profile = "prod";
  options.profile_is_chosen = true;
  expect_trouble(options.file + ", profile 'prod': there is none");
  write("[default]\n" + keys + "s\n");
  expect_trouble(options.file + ", profile 'prod': there is none");
  write("[prod]\nrole_arn = arn:aws:iam::1:role/r\n");
  expect_trouble(options.file + ", profile 'prod': aws_access_key_id is missing");
  write("[prod]\n" + keys + "hush hush\n");
  expect_trouble(options.file +
                 ", profile 'prod': aws_secret_access_key has a blank or another character that no "
                 "AWS credential has");
  options.profile = "default";
  options.profile_is_chosen = false;
  write("[default]\naws_access_key_id = KEY2\n");
  expect_trouble(options.file + ", profile 'default': aws_secret_access_key is missing");
  EXPECT_EQ(server.requests().size(), 0u);
  write("[default]\nregion = eu-west-1\n");
  EXPECT_EQ(key_in(ask()), "KEY1") << "there are no keys in it";
}

TEST_F(Tokens, of_a_file_that_is_written_anew_are_nobody_elses_meanwhile) {
  server.answer_by([](const std::string&) { return credentials(1, 59); });
  use_container();
  write("[default]\naws_access_key_id = KEY2\naws_secret_access_key = s\n");
  EXPECT_EQ(key_in(ask()), "KEY2");
  const std::string none =
      "no AWS credentials: " + options.file + ", profile 'default': there is none";
  std::ofstream(options.file) << "";  // The new text is still to come.
  EXPECT_EQ(key_in(ask(kMinute)), "KEY2");
  EXPECT_EQ(answer->trouble, none);
  std::filesystem::remove(options.file);
  EXPECT_EQ(key_in(ask(kMinute * 2)), "KEY2");
  EXPECT_EQ(answer->trouble, none);
  write("[default]\naws_access_key_id = KEY3\naws_secret_access_key = s\n");
  EXPECT_EQ(key_in(ask(kMinute * 3)), "KEY3");
  EXPECT_EQ(answer->trouble, "");
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(Tokens, of_a_container_are_asked_for_with_the_authorization_as_it_now_is) {
  server.answer_by([](const std::string&) { return credentials(1, 59); });
  use_container("Basic one");
  ask();
  const std::string request = server.requests().back();
  EXPECT_TRUE(request.starts_with("GET /creds?id=1 HTTP/1.1\r\n")) << request;
  EXPECT_EQ(header_of(request, "Authorization"), "Basic one");
  tokens.reset();
  options.container->authorization_file = files.file("token");
  std::ofstream(options.container->authorization_file) << "two\n";
  ask();
  EXPECT_EQ(header_of(server.requests().back(), "Authorization"), "two");
  std::ofstream(options.container->authorization_file) << "three";
  tokens->was_refused();
  ask();
  EXPECT_EQ(header_of(server.requests().back(), "Authorization"), "three");
  tokens.reset();
  std::ofstream(options.container->authorization_file) << "a\r\nX: y";
  expect_trouble("the authorization token for " + peer() +
                 ": it has a line break or another character that no header may have");
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(Tokens, of_an_instance_are_asked_for_as_version_2_has_it) {
  server.answer_by([](const std::string& request) {
    if (request.starts_with("PUT ")) return json_answer("let-me==");
    if (request.starts_with("GET /latest/meta-data/iam/security-credentials/ ")) {
      return json_answer("gate-role\n");
    }
    return credentials(1, 59);
  });
  use_metadata();
  EXPECT_EQ(key_in(ask()), "KEY1");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[0].starts_with("PUT /latest/api/token HTTP/1.1\r\n"));
  EXPECT_EQ(header_of(requests[0], "X-aws-ec2-metadata-token-ttl-seconds"), "60");
  EXPECT_TRUE(requests[2].starts_with(
      "GET /latest/meta-data/iam/security-credentials/gate-role HTTP/1.1\r\n"));
  for (const std::string& request : {requests[1], requests[2]}) {
    EXPECT_EQ(header_of(request, "X-aws-ec2-metadata-token"), "let-me==");
  }
}

TEST_F(Tokens, need_no_server_while_the_credentials_are_good_for_long) {
  server.answer_by([given = 0](const std::string&) mutable { return credentials(++given, 59); });
  use_container();
  const TokenAnswer first = ask();  // 04:30, good until 05:59.
  EXPECT_EQ(first.life, kMskTokenLife);
  EXPECT_EQ(key_in(ask(kMinute * 58)), "KEY1");
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(key_in(ask(kMinute * 59)), "KEY2") << "half an hour before their end";
  tokens->was_refused();
  EXPECT_EQ(key_in(ask(kMinute)), "KEY3") << "brokers do not take what was signed with the others";
}

TEST_F(Tokens, of_a_file_that_appears_are_taken_though_others_are_good_for_long) {
  server.answer_by([](const std::string&) { return credentials(1, 59); });
  use_container();
  options.file = files.file("credentials");
  EXPECT_EQ(key_in(ask()), "KEY1");
  write("[default]\naws_access_key_id = KEY2\n");
  EXPECT_TRUE(tokens->look());
  for (const int minute : {1, 2}) {
    EXPECT_EQ(key_in(ask(kMinute * minute)), "KEY1");
    EXPECT_EQ(answer->trouble, "no AWS credentials: " + options.file +
                                   ", profile 'default': aws_secret_access_key is missing");
  }
  write("[default]\naws_access_key_id = KEY2\naws_secret_access_key = s\n");
  EXPECT_TRUE(tokens->look());
  EXPECT_EQ(key_in(ask(kMinute * 3)), "KEY2");
  EXPECT_EQ(answer->trouble, "");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Tokens, live_no_longer_than_what_they_are_signed_with) {
  server.answer_by([given = 0](const std::string&) mutable { return credentials(++given, 10); });
  use_container();
  EXPECT_EQ(ask(kMinute * 30).life, kMinute * 10);
  EXPECT_EQ(key_in(ask(kMinute * 37)), "KEY2");
  EXPECT_EQ(answer->life, kMinute * 3);
}

TEST_F(Tokens, are_made_with_the_last_credentials_while_the_server_is_away) {
  bool away = false;
  server.answer_by([&](const std::string&) {
    return away ? json_answer("hush", "500 Oops") : credentials(1, 10);
  });
  use_container();
  ask();
  away = true;
  const TokenAnswer kept = ask(kMinute * 35);  // 05:05, good until 05:10.
  EXPECT_EQ(key_in(kept), "KEY1");
  EXPECT_EQ(kept.life, kMinute * 2) << "so that the server is asked again soon";
  EXPECT_EQ(kept.trouble, "no AWS credentials: " + peer() + ": status 500");
  EXPECT_EQ(ask(kMinute * 39).life, kMinute);
  const TokenAnswer none = ask(kMinute * 40);
  EXPECT_EQ(none.token, "");
  EXPECT_EQ(none.trouble, "no AWS credentials: " + peer() + ": status 500");
  away = false;
  EXPECT_EQ(key_in(ask(kMinute * 39)), "KEY1");
  EXPECT_EQ(answer->trouble, "");
}

TEST_F(Tokens, are_none_where_nobody_has_credentials) {
  expect_trouble("none in the environment, and nobody else to ask");
  options.file = files.file("none");
  expect_trouble("none in the environment nor in " + options.file + ", and nobody else to ask");
}

TEST_F(Tokens, are_none_from_servers_that_answer_what_they_should_not) {
  std::string token = "t", role = "role", body;
  server.answer_by([&](const std::string& request) {
    if (request.starts_with("PUT ")) return json_answer(token);
    if (request.starts_with("GET /latest/meta-data/iam/security-credentials/ ")) {
      return json_answer(role);
    }
    return json_answer(body);
  });
  use_metadata();
  const std::string where =
      "none in the environment, and the metadata of the instance at " + peer();
  expect_trouble(where + ": the answer is not a JSON object");
  for (const std::string& odd : {std::string("../../user-data"), std::string("a/b"), std::string(),
                                 std::string("a b"), std::string(129, 'r'), std::string("\nr")}) {
    role = odd;
    expect_trouble(where + ": it names no role of the instance");
  }
  for (const std::string& odd : {std::string(), std::string("a\r\nX: y"), std::string(1025, 't')}) {
    token = odd;
    expect_trouble(where + ": what it gave to ask on with is no token");
  }
  server.answer_by(
      [](const std::string&) { return json_answer("no such thing", "404 Not Found"); });
  expect_trouble(where + ": status 404");
  server.answer_by([](const std::string&) { return json_answer(std::string(2'000'000, 'x')); });
  expect_trouble(where + ": answer too large");
  server.answer_by([](const std::string&) {
    return std::string(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  });
  expect_trouble(where + ": status 302");
}

TEST_F(Tokens, are_none_from_a_server_that_never_answers) {
  ScriptedServer silent([](Peer& peer) { peer.wait_for_end(); });
  options.container = AwsServer{
      .host = "127.0.0.1", .port = silent.port(), .authorization = "", .authorization_file = ""};
  const std::string where = "127.0.0.1:" + std::to_string(silent.port());
  expect_trouble(where + ": no answer within 2s (" + where + ")");
}

}  // namespace
}  // namespace einlass::http::testing
