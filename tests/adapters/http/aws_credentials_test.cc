// AWS credentials, and what is signed with them: against AWS' own signer, and against what files
// and servers may hold that are somebody else's.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/aws/credentials.h"
#include "adapters/http/aws/credentials_answer.h"
#include "adapters/http/aws/msk_token.h"
#include "adapters/http/aws/shared_file.h"
#include "adapters/http/msk_token_vectors.h"

namespace einlass::http::testing {
namespace {

// The way back of base64url, by nothing of ours.
std::string address_in(const std::string& token) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string address;
  unsigned bits = 0, count = 0;
  for (const char c : token) {
    const std::size_t value = kLetters.find(c);
    if (value == kLetters.npos) return "not base64url: " + token;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xffffu;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    address += static_cast<char>(bits >> count & 0xff);
  }
  return address;
}

// What stands behind the question mark, by name.
std::map<std::string, std::string> parameters(std::string_view address) {
  std::map<std::string, std::string> all;
  address.remove_prefix(address.find('?') + 1);
  while (!address.empty()) {
    const std::string_view one = address.substr(0, address.find('&'));
    address.remove_prefix(std::min(one.size() + 1, address.size()));
    const std::size_t equals = one.find('=');
    EXPECT_TRUE(all.emplace(one.substr(0, equals), one.substr(equals + 1)).second) << one;
  }
  return all;
}

TEST(MskToken, is_the_one_that_aws_own_signer_makes) {
  for (const MskTokenVector& vector : kMskTokenVectors) {
    const AwsCredentials credentials{std::string(vector.access_key_id),
                                     std::string(vector.secret_access_key),
                                     std::string(vector.session_token), std::nullopt};
    const std::string token =
        msk_token(credentials, vector.region, Instant{vector.seconds * 1'000'000 + 999'999});
    const std::string address = address_in(token);
    EXPECT_EQ(address.substr(0, address.find('?')),
              vector.address.substr(0, vector.address.find('?')));
    auto made = parameters(address);
    EXPECT_EQ(made.extract("User-Agent").mapped(), "einlass");
    EXPECT_EQ(made, parameters(vector.address)) << address;
  }
}

TEST(AwsProfile, is_found_among_others_and_whatever_else_a_file_holds) {
  constexpr std::string_view kFile =
      "aws_access_key_id = nobody's\r\n"
      "# a comment\n; another\n\n"
      "[ default ]\r\n"
      "  AWS_Access_Key_Id=AKIA1\r\n"
      "aws_secret_access_key = a/b+c=d\t\n"
      "region = eu-west-1\n"
      "s3 =\n  max_queue_size = 10\n"
      "[half]\naws_access_key_id = AKIA2\n"
      "[prod]\naws_access_key_id = AKIA3\naws_secret_access_key = s\naws_session_token = t==\n"
      "[empty]\n"
      "[default]\nno equals\naws_session_token = later\n[[odd]";
  EXPECT_EQ(profile_in(kFile, "default"), (AwsCredentials{"AKIA1", "a/b+c=d", "later", {}}));
  EXPECT_EQ(profile_in(kFile, "prod"), (AwsCredentials{"AKIA3", "s", "t==", {}}));
  EXPECT_EQ(profile_in(kFile, "half"), (AwsCredentials{"AKIA2", "", "", {}}));
  EXPECT_EQ(profile_in(kFile, "empty"), AwsCredentials{});
  EXPECT_EQ(profile_in(kFile, "none"), std::nullopt);
  EXPECT_EQ(profile_in("", "default"), std::nullopt);
}

TEST(AwsProfile, has_nothing_of_the_one_behind_it_whatever_stands_beside_its_name) {
  constexpr std::string_view kFile =
      "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = s\n"
      "[prod] ; [not] ours\naws_access_key_id = AKIA2\naws_session_token = t\n"
      "[more]# [default]\naws_access_key_id = AKIA3\n"
      "[cut\naws_access_key_id = AKIA4\n";
  EXPECT_EQ(profile_in(kFile, "default"), (AwsCredentials{"AKIA1", "s", "", {}}));
  EXPECT_EQ(profile_in(kFile, "prod"), (AwsCredentials{"AKIA2", "", "t", {}}));
  EXPECT_EQ(profile_in(kFile, "more"), (AwsCredentials{"AKIA3", "", "", {}}));
  EXPECT_EQ(profile_in(kFile, "cut"), std::nullopt);
}

constexpr Instant kNow{1'795'581'000'000'000};  // 2026-11-25T04:30:00Z

TEST(AwsAnswer, of_a_container_and_of_an_instance_is_read) {
  const AwsAnswer container = read_credentials(
      R"({"AccessKeyId": "ASIA1", "SecretAccessKey": "s/+", "Token": "t==", "RoleArn": "arn",
          "Expiration": "2026-11-25T04:40:00Z"})",
      kNow);
  EXPECT_EQ(container.trouble, "");
  EXPECT_EQ(container.credentials,
            (AwsCredentials{"ASIA1", "s/+", "t==", kNow + Duration::seconds(600)}));
  const AwsAnswer instance = read_credentials(
      R"({"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "A", "SecretAccessKey": "s"})",
      kNow);
  EXPECT_EQ(instance.trouble, "");
  EXPECT_EQ(instance.credentials, (AwsCredentials{"A", "s", "", std::nullopt}));
}

TEST(AwsAnswer, that_is_no_good_is_refused_without_a_word_of_it) {
  const std::string begin = R"({"AccessKeyId": "AKIA1", "SecretAccessKey": "hush")";
  const std::string huge(16 * 1024 + 1, 'h');
  const std::pair<std::string, std::string> wrong[] = {
      {"", "the answer is not a JSON object"},
      {"hush", "the answer is not a JSON object"},
      {R"(["hush"])", "the answer is not a JSON object"},
      {begin, "the answer is not a JSON object"},
      {R"({"Code": "hush"})", "the answer's Code is not Success"},
      {R"({"Code": 7, "AccessKeyId": "a", "SecretAccessKey": "hush"})",
       "the answer's Code is not Success"},
      {R"({"SecretAccessKey": "hush"})", "in the answer AccessKeyId is missing"},
      {R"({"AccessKeyId": "a", "SecretAccessKey": ["hush"]})",
       "in the answer SecretAccessKey is missing"},
      {R"({"AccessKeyId": "hush\r\nX: y", "SecretAccessKey": "s"})",
       "in the answer AccessKeyId has a blank or another character that no AWS credential has"},
      {begin + R"(, "Token": "hu sh"})",
       "in the answer Token has a blank or another character that no AWS credential has"},
      {begin + R"(, "Token": ")" + huge + "\"}", "in the answer Token is longer than 16KiB"},
      {begin + R"(, "Expiration": "hush"})", "the answer's Expiration is not a time"},
      {begin + R"(, "Expiration": 1795581000})", "the answer's Expiration is not a time"},
      {begin + R"(, "Expiration": "2026-11-25T04:30:00Z"})",
       "the credentials in the answer have expired"},
      {std::string(60'000, '['), "the answer is not a JSON object"},
  };
  for (const auto& [body, why] : wrong) {
    const AwsAnswer answer = read_credentials(body, kNow);
    EXPECT_EQ(answer.trouble, why) << body.substr(0, 100);
    EXPECT_EQ(answer.credentials, AwsCredentials{});
  }
}

}  // namespace
}  // namespace einlass::http::testing
