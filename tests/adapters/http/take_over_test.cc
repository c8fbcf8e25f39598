// A target that replaces another, as after a reload.
#include "adapters/http/target/target.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

using core::Outcome;

// A reload makes another target: of what it mended the log is to say so.
TEST(TakeOver, from_one_that_fails_tells_that_it_works) {
  ScriptedServer failing(always("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
  ScriptedServer good(always(std::string(kNoContent)));
  TargetWorld world(failing.port());
  world.deliver();
  ASSERT_EQ(world.notices.size(), 1u);
  EXPECT_EQ(world.notices[0].what, "target_failing");
  world.options.port = good.port();
  std::vector<std::string> told;
  {
    Target another(world.io, world.options, world.events, [&](const Notice& notice) {
      if (notice.severity != Severity::debug) told.push_back(notice.what);
    });
    take_over_and_send(another, world);
    world.run_until_ended(2);
    EXPECT_EQ(world.ended(1).outcome, Outcome::accepted);
  }
  EXPECT_EQ(told, std::vector<std::string>{"target_ok"});
  world.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
