// What it costs that the hash of what strangers choose has a key: SipHash-1-3 beside std::hash,
// alone and in look-ups of a table. Prints nanoseconds, the best of many rounds in turn.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "units/keyed_hash.h"

namespace einlass {
namespace {

constexpr int kRounds = 50;
constexpr std::size_t kKeys = 1'000;
constexpr std::size_t kManyKeys = 100'000;

struct PlainHash {
  std::size_t operator()(std::string_view bytes) const {
    return std::hash<std::string_view>()(bytes);
  }
};

std::uint64_t sum = 0;  // Printed, so that nothing is left out.

std::vector<std::string> keys_of(std::size_t bytes, std::size_t count) {
  std::minstd_rand random;
  std::vector<std::string> keys(count, std::string(bytes, ' '));
  for (std::string& key : keys) {
    for (char& c : key) c = static_cast<char>('a' + random() % 26);
  }
  return keys;
}

// Nanoseconds for one of the keys.
template <class Work>
double once(const std::vector<std::string>& keys, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& key : keys) sum += work(key);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(keys.size());
}

template <class Plain, class Keyed>
void compare(const char* what, const std::vector<std::string>& keys, const Plain& plain,
             const Keyed& keyed) {
  double best_plain = 1e9, best_keyed = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    best_plain = std::min(best_plain, once(keys, plain));
    best_keyed = std::min(best_keyed, once(keys, keyed));
  }
  std::printf("  %-22s %4zu bytes %8.1f %8.1f %+8.1f\n", what, keys.front().size(), best_plain,
              best_keyed, best_keyed - best_plain);
}

template <class Hash>
auto table_of(const std::vector<std::string>& keys) {
  std::unordered_map<std::string_view, std::uint64_t, Hash> table;
  for (const std::string& key : keys) table[key] = table.size();
  return table;
}

void compare_tables(std::size_t bytes) {
  std::vector<std::string> keys = keys_of(bytes, kManyKeys);
  const auto plain = table_of<PlainHash>(keys);
  const auto keyed = table_of<KeyedHash>(keys);
  std::shuffle(keys.begin(), keys.end(), std::minstd_rand());
  compare(
      "found among 100,000", keys, [&](const std::string& key) { return plain.at(key); },
      [&](const std::string& key) { return keyed.at(key); });
}

void run() {
  std::printf("  %-33s %8s %8s\n", "nanoseconds", "std", "keyed");
  for (const std::size_t bytes : {8, 16, 36, 64, 256}) {
    compare("hashed", keys_of(bytes, kKeys), PlainHash(), KeyedHash());
  }
  for (const std::size_t bytes : {16, 36}) compare_tables(bytes);
  std::printf("(%llu)\n", static_cast<unsigned long long>(sum));
}

}  // namespace
}  // namespace einlass

int main() { einlass::run(); }
