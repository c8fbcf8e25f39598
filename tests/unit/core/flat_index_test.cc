#include "core/containers/flat_index.h"

#include <gtest/gtest.h>

#include <map>

#include "core/delivery/random.h"

namespace einlass::core {
namespace {

TEST(FlatIndex, random_steps_agree_with_a_map) {
  FlatIndex index;
  std::map<std::uint64_t, std::uint32_t> model;
  Random random(3);
  for (int step = 0; step < 200'000; ++step) {
    // Few keys, many of them in neighbouring cells.
    const auto key = static_cast<std::uint64_t>(random.up_to(500)) << random.up_to(1) * 40;
    const auto known = model.find(key);
    if (known == model.end()) {
      ASSERT_FALSE(index.find(key));
      index.insert(key, static_cast<std::uint32_t>(step));
      model[key] = static_cast<std::uint32_t>(step);
    } else {
      ASSERT_EQ(index.find(key), known->second);
      index.erase(key);
      model.erase(known);
    }
    ASSERT_EQ(index.size(), model.size());
  }
  for (const auto& [key, value] : model) EXPECT_EQ(index.find(key), value);
}

}  // namespace
}  // namespace einlass::core
