// Whatever a Redis server sends: both readers of replies end within their bounds, understand the
// same however the bytes are cut up on their way, and agree with each other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/wire/reply_reader.h"
#include "adapters/redis/wire/value.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass::redis;
using Kind = Reply::Kind;

constexpr std::size_t kMostElements = 16;  // Few, so that short inputs reach the bound.

struct Heard {
  Kind kind = Kind::other;
  std::vector<std::int64_t> integers;
  std::string text;

  bool operator==(const Heard&) const = default;
};

struct Conversation {
  std::vector<Heard> replies;
  bool broken = false;

  bool operator==(const Conversation&) const = default;
};

Conversation listen(std::string_view bytes, std::size_t step) {
  ReplyReader reader(kMostElements);
  Conversation heard;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, step);
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    ReplyReader::Result result = reader.next();
    for (; result == ReplyReader::Result::reply; result = reader.next()) {
      const Reply& reply = reader.reply();
      CHECK(reply.integers.size() <= kMostElements + 1);
      CHECK(reply.text.size() <= kMaxReplyText);
      heard.replies.push_back({reply.kind, reply.integers, reply.text});
    }
    if (result != ReplyReader::Result::broken) continue;
    CHECK(reader.next() == ReplyReader::Result::broken);
    heard.broken = true;
    break;
  }
  return heard;
}

std::size_t depth(const Value& value) {
  std::size_t deepest = 0;
  for (const Value& element : value.elements) deepest = std::max(deepest, 1 + depth(element));
  return deepest;
}

// Of a text, a status or an error.
std::string beginning(const Value& value) { return value.text.substr(0, kMaxReplyText); }

// What the reader of flat replies is to make of the tree.
Heard flat(const Value& value) {
  Heard heard;
  const auto is_integer = [](const Value& v) { return v.kind == Value::Kind::integer; };
  switch (value.kind) {
    case Value::Kind::status:
    case Value::Kind::error:
      heard.kind = value.kind == Value::Kind::status ? Kind::status : Kind::error;
      heard.text = beginning(value);
      break;
    case Value::Kind::integer:
      heard.kind = Kind::integer;
      heard.integers = {value.integer};
      break;
    case Value::Kind::array:
      if (!value.elements.empty()) heard.text = beginning(value.elements.front());
      if (!std::all_of(value.elements.begin(), value.elements.end(), is_integer)) break;
      heard.kind = Kind::array;
      for (const Value& element : value.elements) heard.integers.push_back(element.integer);
      break;
    default:
      break;
  }
  return heard;
}

// Up to where one of the two refuses: they have different bounds.
void compare(const Conversation& heard, std::string_view bytes) {
  ValueReader reader;
  reader.feed(bytes);
  for (const Heard& reply : heard.replies) {
    if (reader.next() != ValueReader::Result::done) return;
    const Value& value = reader.value();
    CHECK(depth(value) <= static_cast<std::size_t>(kMostNested));
    const Heard expected = flat(value);
    CHECK(reply.kind == expected.kind && reply.text == expected.text);
    // Nobody looks at the numbers of what is of no use.
    CHECK(reply.kind == Kind::other || reply.integers == expected.integers);
  }
}

std::string text_of(const Value& value) {
  std::string text = std::to_string(static_cast<int>(value.kind)) + " " +
                     std::to_string(value.integer) + " " + value.text + "(";
  for (const Value& element : value.elements) text += text_of(element);
  return text + ")";
}

// All that a reader of trees makes of the bytes, and whether it found them broken.
std::string read_all(std::string_view bytes, std::size_t step) {
  ValueReader reader;
  std::string all;
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    ValueReader::Result result = reader.next();
    for (; result == ValueReader::Result::done; result = reader.next()) {
      all += text_of(reader.value());
    }
    if (result == ValueReader::Result::broken) return all + " broken";
  }
  return all;
}

}  // namespace

// The first byte says how the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = einlass::fuzz::text_of(data + 1, size - 1);
  const Conversation whole = listen(bytes, bytes.size());
  CHECK(whole == listen(bytes, 1 + data[0] % 64));
  compare(whole, bytes);
  CHECK(read_all(bytes, bytes.size()) == read_all(bytes, 1 + data[0] % 64));
  return 0;
}
