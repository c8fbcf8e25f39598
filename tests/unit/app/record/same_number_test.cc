#include "app/record/same_number.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace einlass::app {
namespace {

TEST(SameNumber, all_ways_to_write_a_number_are_one_text) {
  for (const auto& [written, one] : std::vector<std::pair<std::string, std::string>>{
           {"1", "1"},
           {"1.0", "1"},
           {"1e0", "1"},
           {"0.1E1", "1"},
           {"10e-1", "1"},
           {"1.000e+0", "1"},
           {"0", "0"},
           {"-0", "0"},
           {"0.000e9", "0"},
           {"-1.50", "-15e-1"},
           {"-0.15e1", "-15e-1"},
           {"100", "100"},
           {"1e2", "100"},
           {"1e17", "100000000000000000"},
           {"1234567890123456789", "1234567890123456789"},
           {"1e19", "10000000000000000000"},
           {"1e20", "1e20"},
           {"100000000000000000000", "1e20"},
           {"9007199254740993", "9007199254740993"},
           {"9007199254740993.0", "9007199254740993"},
           {"1e99999999999999999999", "1e1000000000000"},
           {"1e-99999999999999999999", "1e-1000000000000"}}) {
    EXPECT_EQ(same_number(written), one) << written;
  }
}

}  // namespace
}  // namespace einlass::app
