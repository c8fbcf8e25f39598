// What `einlass redrive --dry-run` shows.
#include "app/redrive/redrive_preview.h"

#include <gtest/gtest.h>

#include <string>

namespace einlass::app {
namespace {

TEST(RedrivePreview, brings_no_commands_of_letters_into_a_terminal) {
  constexpr std::string_view kCommands =
      "\x1b]0;PWNED\x07\xc2\x9b"
      "2J\x7f";
  config::Config config;
  config.routes.resize(1);
  config.routes[0].name = "orders";
  config.routes[0].dead_letter = "dead";
  const RedriveChoice choice(config, {});
  const std::vector<RedriveRange> ranges = {{{PartitionNumber{0}, Offset{0}, Offset{9}}, {}}};
  RedrivePreview preview(choice, ranges, 100);
  const std::vector<kafka::Header> headers = {
      {"einlass-route", "orders"},  {"einlass-topic", "results"},  {"einlass-partition", "1"},
      {"einlass-offset", "7"},      {"einlass-reason", kCommands}, {"einlass-status", "503"},
      {"einlass-error", kCommands},
  };
  kafka::Message message;
  message.topic = "dead";
  message.headers = headers;
  preview.take(message);
  const std::string text = preview.text("dead");
  EXPECT_EQ(text.find_first_of("\x1b\x07\x7f\xc2"), text.npos) << text;
  const std::string shown = "\\u001b]0;PWNED\\u0007\\u009b2J\\u007f";
  EXPECT_NE(text.find("@0  " + shown + "  503  " + shown + "\n"), text.npos) << text;
}

// As the redrive itself, which does not look into what it knows to be finished.
TEST(RedrivePreview, skips_what_an_earlier_redrive_finished_whatever_it_is) {
  config::Config config;
  const RedriveChoice choice(config, {});
  const std::vector<RedriveRange> ranges = {
      {{PartitionNumber{0}, Offset{0}, Offset{9}}, {{Offset{0}, Offset{1}}}}};
  RedrivePreview preview(choice, ranges, 100);
  const std::vector<kafka::Header> headers = {{"einlass-route", "gone"}};
  kafka::Message message;
  message.topic = "dead";
  message.headers = headers;
  preview.take(message);
  message.offset = Offset{1};
  preview.take(message);
  EXPECT_NE(preview.text("dead").find("read 2, would send 0, skip 1, leave 1;"), std::string::npos)
      << preview.text("dead");
}

TEST(RedrivePreview, reads_no_further_once_it_is_given_up) {
  const config::Config config;
  const RedriveChoice choice(config, {});
  const std::vector<RedriveRange> ranges = {{{PartitionNumber{0}, Offset{0}, Offset{9}}, {}}};
  RedrivePreview preview(choice, ranges, 100);
  boost::asio::io_context io;
  kafka::TopicReader reader(io, {"127.0.0.1:1", "group", "dead", {}}, [](const Notice&) {});
  int turns = 0;
  preview.read(io, Clock(), reader, [&] { return ++turns == 3; });
  EXPECT_FALSE(reader.finished());
}

}  // namespace
}  // namespace einlass::app
