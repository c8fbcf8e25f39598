// The hash of what strangers choose: the keys, headers and fields of records.
//
// Whoever may write records may choose 100,000 keys that share a bucket of a hash table, once he
// can compute their hashes; each look-up then walks them all. SipHash-1-3 is made so that nobody
// can without its key (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), and the
// key is drawn at random in each process. So a hash is never stored, sent or compared with another
// process's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace einlass {

struct HashKey {
  std::uint64_t first = 0, second = 0;
};

std::uint64_t siphash13(HashKey key, std::string_view bytes);

// Under this process's key. Any thread may call it.
std::uint64_t keyed_hash(std::string_view bytes);

// For the standard's tables.
struct KeyedHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view bytes) const { return keyed_hash(bytes); }
};

}  // namespace einlass
