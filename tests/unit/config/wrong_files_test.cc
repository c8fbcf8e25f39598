// The wrong files of tests/e2e, each beside what is said about it; FILE stands for its path.
#include <algorithm>

#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

std::vector<std::filesystem::path> wrong_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(project() / "tests/e2e/wrong_configs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(WrongFiles, AreToldWithPlaceAndRemedy) {
  const auto files = wrong_files();
  EXPECT_EQ(files.size(), 40u);
  for (const std::filesystem::path& file : files) {
    const auto result = read_config(file.string(), test_environment);
    ASSERT_TRUE(std::holds_alternative<Mistakes>(result)) << file;
    std::string all;
    for (const Mistake& mistake : std::get<Mistakes>(result)) {
      EXPECT_EQ(mistake.file, file.string());
      all += "FILE" + mistake.to_string().substr(file.string().size()) + "\n";
    }
    EXPECT_EQ(all, contents(std::filesystem::path(file).replace_extension(".txt"))) << file;
  }
}

TEST(WrongFiles, CannotBeRead) {
  const auto said = [](const std::string& path) {
    const auto result = read_config(path, test_environment);
    return std::get<Mistakes>(result).at(0).to_string();
  };
  EXPECT_EQ(said("/no/such/gate.yaml"),
            "/no/such/gate.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(said("/"), "/: cannot be read: Is a directory");
  const TemporaryFile empty("");
  EXPECT_EQ(said(empty.path()), empty.path() + ": the file is empty");
  const TemporaryFile large(std::string((1 << 20) + 1, '#'));
  EXPECT_EQ(said(large.path()), large.path() + ": the file is larger than 1MiB");
}

// What a small file may stand for is bounded, and so is what a large one costs.
TEST(WrongFiles, AreBounded) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'u'; ++c) {
    const std::string above = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + above;
    for (int i = 0; i < 8; ++i) bomb += ", " + above;
    bomb += "]\n";
  }
  EXPECT_EQ(mistakes_in(bomb).substr(0, 41), "6:12: more than 100000 values up to here ");
  EXPECT_EQ(mistakes_in(std::string(100'000, '[')),
            "1:1: lists and sections within each other, too many levels deep");
  std::string many = "limits:\n";
  for (int i = 0; i < 1'001; ++i) many += "  l" + std::to_string(i) + ": {}\n";
  EXPECT_EQ(mistakes_in(many + kTargets + kRoutes),
            "2:3: limits: 1001 entries; the most that works is 1000");
}

TEST(WrongFiles, NeverShowASecret) {
  const TemporaryFile not_a_url("hunter2"), not_a_path("http://h/ {hunter2}"),
      not_a_port("http://h:hunter2/");
  const std::string texts[] = {
      top("redis: {url: 'redis://u:hunter2@h:x/0'}"),
      top("redis: {url: 'http://u:hunter2@h/'}"),
      top("redis: {password: \"hunter2\\n\"}"),
      top("admin: {token: 'hunter2 hunter2'}"),
      top("admin: {token: \"${SECRET}\\n\"}"),
      top("admin: {token: hunter2, token_file: /x}"),
      top("redis: {password: hunter2, password_file: /x}"),
      top("redis: {url: 'redis://u:hunter2@h', password: hunter2}"),
      top("redis: {password: 'hunter2${'}"),
      top("redis: {password: '${hunter2-x}'}"),
      top("redis: {timeout: \"${SECRET}\"}"),
      top("kafka: {brokers: \"${SECRET}:x\"}"),
      top("kafka: {group: \"/${SECRET}\"}"),
      top("kafka: {properties: {sasl.password: hunter2, sasl.password_file: /x}}"),
      http("headers: {Authorization: \"hunter2\\n\"}"),
      http("headers: {Authorization: {hunter2: }}"),
      url("'http://u:hunter2@h/'"),
      url("'http://h/ ?token=hunter2'"),
      targets("{t: {http: {url_file: " + not_a_url.path() + "}}}"),
      targets("{t: {http: {url_file: " + not_a_path.path() + "}}}"),
      targets("{t: {http: {url_file: " + not_a_port.path() + "}}}"),
      limit("algorithm: \"${SECRET}\""),
      route("order: \"${SECRET}\""),
      route("limits: [\"${SECRET}\"]"),
  };
  for (const std::string& text : texts) {
    const std::string mistakes = mistakes_in(text);
    EXPECT_NE(mistakes, "") << text;
    EXPECT_EQ(mistakes.find("hunter2"), std::string::npos) << mistakes;
  }
}

}  // namespace
}  // namespace einlass::config
