#include "app/permits/line_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace einlass::app {
namespace {

using Keys = std::array<std::string_view, 2>;

TEST(LineTable, one_line_for_each_list_of_keys) {
  LineTable table;
  const auto find = [&](std::uint16_t route, Keys keys) {
    return table.find_or_add(core::RouteId{route}, keys);
  };
  const core::LineId first = find(0, {"ab", "c"}).line;
  EXPECT_FALSE(find(0, {"ab", "c"}).is_new);
  EXPECT_EQ(find(0, {"ab", "c"}).line, first);
  EXPECT_NE(find(0, {"a", "bc"}).line, first);  // Not the same when written one after the other.
  EXPECT_NE(find(1, {"ab", "c"}).line, first);
  EXPECT_EQ(table.route_of(find(1, {"ab", "c"}).line), core::RouteId{1});
}

TEST(LineTable, a_forgotten_line_is_new_again_and_its_number_is_used_again) {
  LineTable table;
  const Keys keys = {"x", "y"};
  const core::LineId line = table.find_or_add(core::RouteId{0}, keys).line;
  table.forget(line);
  EXPECT_EQ(table.size(), 0u);
  const auto again = table.find_or_add(core::RouteId{0}, keys);
  EXPECT_TRUE(again.is_new);
  EXPECT_EQ(again.line, line);
}

TEST(LineTable, a_line_that_takes_the_room_of_another_has_its_own_keys) {
  LineTable table;
  table.forget(table.find_or_add(core::RouteId{0}, Keys{"a long key of a tenant", "y"}).line);
  const Keys keys = {"b", "z"};
  const auto found = table.find_or_add(core::RouteId{1}, keys);
  EXPECT_TRUE(found.is_new);
  EXPECT_EQ(table.size(), 1u);
  std::vector<std::string_view> read;
  table.read_keys(found.line, read);
  EXPECT_EQ(read, std::vector<std::string_view>(keys.begin(), keys.end()));
  EXPECT_EQ(table.find_or_add(core::RouteId{1}, keys).line, found.line);
  EXPECT_TRUE(table.find_or_add(core::RouteId{0}, Keys{"a long key of a tenant", "y"}).is_new);
}

}  // namespace
}  // namespace einlass::app
