// Whatever a Redis server complains about: it is sorted into what the store does, nothing that may
// quote a key or a password is shown, and a redirection leads to a possible address.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/redis/client/error_reply.h"
#include "adapters/redis/client/hash_slot.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass::redis;

constexpr std::string_view kWhere = "redis.example:6379";
constexpr std::size_t kMostShown = 700;

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_shown(std::string_view error) {
  const std::string shown = harmless(error);
  CHECK(shown.size() <= 120 && printable(shown));
  CHECK(shown.size() <= error.find_first_of("'`\"(,"));
}

void check_reaction(std::string_view error) {
  StoreOptions options;
  for (const bool cluster : {false, true}) {
    options.cluster = cluster;
    const Trouble trouble = explain(error, kWhere, options);
    CHECK(trouble.detail.find(kWhere) != std::string::npos);
    CHECK(trouble.detail.size() <= kMostShown && printable(trouble.detail));
  }
  const int kinds = is_unknown_script(error) + is_try_again(error) + is_unserved_slot(error) +
                    redirection(error).has_value();
  CHECK(kinds <= 1);
}

void check_redirection(std::string_view error) {
  const auto to = redirection(error);
  if (!to) return;
  CHECK(to->slot < kSlots && to->to.port > 0);
  const std::string host = to->to.host.empty() ? "?" : to->to.host;
  const auto again = redirection((to->once ? "ASK " : "MOVED ") + std::to_string(to->slot) + " " +
                                 host + ":" + std::to_string(to->to.port));
  CHECK(again && again->once == to->once && again->slot == to->slot && again->to == to->to);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view error = einlass::fuzz::text_of(data, size);
  check_shown(error);
  check_reaction(error);
  check_redirection(error);
  return 0;
}
