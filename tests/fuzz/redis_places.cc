// What servers say about where things are: the slots of a cluster, the Sentinels' primary. And the
// other direction: a command that is written is read back as it was meant.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/hash_slot.h"
#include "adapters/redis/nodes/cluster.h"
#include "adapters/redis/nodes/sentinels.h"
#include "adapters/redis/wire/resp.h"
#include "adapters/redis/wire/value.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass::redis;

void check_places(const Value& answer) {
  if (const auto ranges = read_slots(answer, "asked")) {
    std::size_t slots = 0;
    for (const SlotRange& range : *ranges) {
      CHECK(range.first <= range.last && range.last < kSlots);
      CHECK(!range.primary.host.empty() && range.primary.port > 0);
      slots += range.last - range.first + 1u;
    }
    CHECK(slots <= kSlots);
  }
  if (const auto primary = read_primary(answer)) {
    CHECK(!primary->host.empty() && primary->port > 0);
    CHECK(primary->port == std::stoul(answer.elements[1].text));
  }
}

void check_command(std::string_view bytes) {
  std::vector<std::string_view> words;
  while (!bytes.empty()) words.push_back(einlass::fuzz::take_line(bytes));
  std::string command;
  append_array(command, words.size() + 1);
  for (const std::string_view word : words) append_bulk(command, word);
  append_number(command, static_cast<std::int64_t>(words.size()) - 3);
  ValueReader reader;
  reader.feed(command);
  CHECK(reader.next() == ValueReader::Result::done);
  const Value& value = reader.value();
  CHECK(value.elements.size() == words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i) CHECK(value.elements[i].text == words[i]);
}

// The specification of Redis Cluster, bit by bit: CRC-16 with the polynomial 0x1021.
std::uint16_t slow_slot(std::string_view key) {
  if (const auto open = key.find('{'); open != key.npos) {
    const auto close = key.find('}', open + 1);
    if (close != key.npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  unsigned crc = 0;
  for (const char c : key) {
    for (int bit = 7; bit >= 0; --bit) {
      const unsigned in = static_cast<unsigned char>(c) >> bit & 1;
      const unsigned out = crc >> 15 & 1;
      crc = (crc << 1 & 0xffff) ^ (in != out ? 0x1021u : 0u);
    }
  }
  return static_cast<std::uint16_t>(crc % 16'384);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = einlass::fuzz::text_of(data, size);
  ValueReader reader;
  reader.feed(bytes);
  if (reader.next() == ValueReader::Result::done) check_places(reader.value());
  check_command(bytes);
  CHECK(hash_slot(bytes) == slow_slot(bytes));
  return 0;
}
