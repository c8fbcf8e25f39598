#include "adapters/redis/value.h"

#include <charconv>

namespace einlass::redis {
namespace {

constexpr std::int64_t kLongestText = 1 << 20;

class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  std::string_view rest() const { return rest_; }

  ReadValue read(Value& value, int depth) {
    if (++values_ > kMostValues || depth > kMostNested) return ReadValue::broken;
    const std::size_t end = rest_.find("\r\n");
    if (end == std::string_view::npos) return ReadValue::more_needed;
    if (end == 0) return ReadValue::broken;
    const char type = rest_.front();
    const std::string_view line = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 2);
    switch (type) {
      case '+':
      case '-':
        value.kind = type == '+' ? Value::Kind::status : Value::Kind::error;
        value.text = line;
        return ReadValue::done;
      case ':':
        value.kind = Value::Kind::integer;
        return number(line, value.integer) ? ReadValue::done : ReadValue::broken;
      case '$':
        return text(line, value);
      case '*':
        return array(line, value, depth);
      default:
        return ReadValue::broken;
    }
  }

 private:
  static bool number(std::string_view text, std::int64_t& to) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    return error == std::errc{} && end == text.data() + text.size();
  }

  ReadValue text(std::string_view line, Value& value) {
    std::int64_t size = 0;
    if (!number(line, size) || size < -1 || size > kLongestText) return ReadValue::broken;
    if (size == -1) return ReadValue::done;
    const auto length = static_cast<std::size_t>(size);
    if (rest_.size() < length + 2) return ReadValue::more_needed;
    if (rest_.substr(length, 2) != "\r\n") return ReadValue::broken;
    value.kind = Value::Kind::text;
    value.text = rest_.substr(0, length);
    rest_.remove_prefix(length + 2);
    return ReadValue::done;
  }

  // What the count promises is not made room for: only what came is believed.
  ReadValue array(std::string_view line, Value& value, int depth) {
    std::int64_t count = 0;
    if (!number(line, count) || count < -1) return ReadValue::broken;
    if (count == -1) return ReadValue::done;
    value.kind = Value::Kind::array;
    for (std::int64_t i = 0; i < count; ++i) {
      const ReadValue result = read(value.elements.emplace_back(), depth + 1);
      if (result != ReadValue::done) return result;
    }
    return ReadValue::done;
  }

  std::string_view rest_;
  std::size_t values_ = 0;
};

}  // namespace

ReadValue read_value(std::string_view& bytes, Value& value) {
  value = {};
  Parser parser(bytes);
  const ReadValue result = parser.read(value, 0);
  if (result == ReadValue::done) bytes = parser.rest();
  return result;
}

}  // namespace einlass::redis
