// Whoever only connects to the admin pages takes no delivery its connection.
#include "app/service/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace einlass::app {
namespace {

TEST(OpenFiles, of_which_the_admin_pages_take_a_quarter_and_never_more_than_1024) {
  EXPECT_EQ(admin_connections(1'024), 256u);
  EXPECT_EQ(admin_connections(4'095), 1'023u);
  EXPECT_EQ(admin_connections(65'536), 1'024u);
  EXPECT_EQ(admin_connections(RLIM_INFINITY), 1'024u);
  EXPECT_EQ(admin_connections(3), 1u);
}

TEST(OpenFiles, are_as_many_as_may_be_had) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(most_open_files(), 200u);
  raise_open_files();
  EXPECT_EQ(most_open_files(), before.rlim_max);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace einlass::app
