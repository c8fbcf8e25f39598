#include "units/keyed_hash.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <random>

namespace einlass {
namespace {

struct State {
  std::uint64_t a, b, c, d;

  void round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32) + d;
    c += b;
    d = std::rotl(d, 21) ^ a;
    b = std::rotl(b, 17) ^ c;
    c = std::rotl(c, 32);
  }

  void add(std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  }
};

std::uint64_t word_at(const char* bytes, std::size_t count) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  if (count > 0) std::memcpy(&word, bytes, count);  // There may be no bytes anywhere.
  return word;
}

HashKey random_key() {
  std::random_device system;
  const auto word = [&] { return std::uint64_t{system()} << 32 | system(); };
  return {word(), word()};
}

}  // namespace

std::uint64_t siphash13(HashKey key, std::string_view bytes) {
  State state{key.first ^ 0x736f6d6570736575, key.second ^ 0x646f72616e646f6d,
              key.first ^ 0x6c7967656e657261, key.second ^ 0x7465646279746573};
  const std::size_t whole = bytes.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) state.add(word_at(bytes.data() + i, 8));
  const std::uint64_t length = static_cast<std::uint64_t>(bytes.size()) << 56;
  state.add(length | word_at(bytes.data() + whole, bytes.size() - whole));
  state.c ^= 0xff;
  for (int i = 0; i < 3; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

std::uint64_t keyed_hash(std::string_view bytes) {
  static const HashKey key = random_key();
  return siphash13(key, bytes);
}

}  // namespace einlass
