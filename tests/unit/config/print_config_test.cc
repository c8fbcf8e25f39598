#include "config/print_config.h"

#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

std::string printed(const std::string& text) {
  const auto result = parse_config(text, "F", test_environment);
  if (std::holds_alternative<Mistakes>(result)) return mistakes_in(text);
  return print_config(std::get<Config>(result));
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(PrintConfig, ReadsBackToTheSame) {
  const std::string texts[] = {
      kTargets + kRoutes,
      contents(project() / "config/gate.yaml"),
      contents(project() / "config/http-shared-limit.yaml"),
      contents(project() / "config/per-tenant.yaml"),
      top("admin: {listen: '[::1]:80'}\ndrain_timeout: 1.5s"),
      top("redis: {url: rediss://h:1/2, ca_file: /a b, server_name: 'on'}"),
      top("kafka: {group: 'no', brokers: 'a,b', properties: {a: 'x: y', b: \"1\\t\\n$$\", c: ''}}"),
      http("headers: {X: ' a ', Y: \"q\\\"\\\\\", $Z: '$${HOME}', 'on': 'null'}, method: PUT"),
      http("forward_headers: [x-a, x-b], content_type: 'text/plain; charset=utf-8'"),
      log_limit("key: 'json:/a~1b/$$c', horizon: 0, use_within: 1us, cost: 3"),
      log_limit("key: 'header:x y'"),
      limit("algorithm: token_bucket, rate: 7/13s, burst: 5"),
      limit("algorithm: token_bucket, rate: 1000000/s, burst: 5"),
      route("limits: [m], order: none, dead_letter: d, retry: {attempts: 3}"),
  };
  for (const std::string& text : texts) {
    const std::string once = printed(text);
    EXPECT_EQ(printed(once), once) << text;
  }
}

TEST(PrintConfig, DefaultsAreFilledIn) {
  const std::string text = printed(contents(project() / "config/gate.yaml"));
  EXPECT_TRUE(has_line(text, "  listen: \"127.0.0.1:9465\"")) << text;
  EXPECT_TRUE(has_line(text, "  url: redis://127.0.0.1:6379/0"));
  EXPECT_TRUE(has_line(text, "    use_within: 100ms"));
  EXPECT_TRUE(has_line(text, "      initial: 200ms"));
}

TEST(PrintConfig, SecretsAreStars) {
  const std::string text = printed(
      "redis: {url: 'rediss://user:hunter2@h'}\n"
      "kafka: {properties: {sasl.password: hunter2, ssl.key.password: hunter2,\n"
      "  sasl.oauthbearer.client.secret: hunter2, sasl.username: me}}\n"
      "targets: {t: {http: {url: 'http://h/?a=b&api_key=hunter2&token=hunter2',\n"
      "  headers: {Authorization: Bearer hunter2, X-Api-Key: hunter2, X-Source: me}}}}\n" +
      kRoutes);
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_TRUE(has_line(text, "  password: \"***\""));
  EXPECT_TRUE(has_line(text, "    sasl.password: \"***\""));
  EXPECT_TRUE(has_line(text, "    sasl.username: me"));
  EXPECT_TRUE(has_line(text, "        Authorization: \"***\""));
  EXPECT_TRUE(has_line(text, "        X-Source: me"));
  EXPECT_TRUE(has_line(text, "      url: \"http://h/?a=b&api_key=***&token=***\""));
}

}  // namespace
}  // namespace einlass::config
