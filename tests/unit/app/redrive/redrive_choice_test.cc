#include "app/redrive/redrive_choice.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

config::Config two_routes() {
  config::Config config;
  config.routes.resize(3);
  config.routes[0].name = "first";
  config.routes[0].dead_letter = "dead";
  config.routes[1].name = "without";
  config.routes[2].name = "last";
  config.routes[2].dead_letter = "elsewhere";
  return config;
}

std::vector<kafka::Header> letter(std::string_view route, std::string_view reason) {
  return {{"einlass-route", route},
          {"einlass-topic", "results"},
          {"einlass-partition", "1"},
          {"einlass-offset", "7"},
          {"einlass-reason", reason}};
}

TEST(RedriveChoice, sends_under_the_route_that_the_letter_names) {
  const config::Config config = two_routes();
  const RedriveChoice choice(config, {});
  EXPECT_EQ(choice.of(letter("first", "refused")).kind, Choice::Kind::send);
  EXPECT_EQ(choice.of(letter("first", "refused")).route, core::RouteId{0});
  EXPECT_EQ(choice.of(letter("last", "of a later version")).route, core::RouteId{2});
}

TEST(RedriveChoice, skips_other_reasons) {
  const config::Config config = two_routes();
  const RedriveChoice choice(config, {"attempts", "never"});
  EXPECT_EQ(choice.of(letter("first", "refused")).kind, Choice::Kind::skip);
  EXPECT_EQ(choice.of(letter("first", "")).kind, Choice::Kind::skip);
  EXPECT_EQ(choice.of(letter("first", "never")).kind, Choice::Kind::send);
}

TEST(RedriveChoice, leaves_alone_what_has_no_way_to_go_whatever_its_reason) {
  const config::Config config = two_routes();
  const RedriveChoice choice(config, {"attempts"});
  for (const char* route : {"gone", "without", "First"}) {
    const Choice one = choice.of(letter(route, "refused"));
    EXPECT_EQ(one.kind, Choice::Kind::leave) << route;
    EXPECT_NE(one.why.find(route), std::string::npos) << one.why;
  }
  EXPECT_EQ(choice.of({}).kind, Choice::Kind::leave);
  EXPECT_NE(choice.of({}).why, "");
}

}  // namespace
}  // namespace einlass::app
