#include "app/redrive/redrive_options.h"

#include <charconv>
#include <chrono>

namespace einlass::app {
namespace {

constexpr const char* kForms =
    " is no place to begin; write `beginning`, an offset as 1200, offsets by partition as "
    "0:1200,2:77, or a time as 2026-11-21T10:00:00Z";

// Takes text off the front, piece by piece; once something is missing everything else is too.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool done() const { return good_ && rest_.empty(); }
  bool next_is(std::string_view any_of) const {
    return good_ && !rest_.empty() && any_of.find(rest_.front()) != std::string_view::npos;
  }

  char letter(std::string_view any_of) {
    if (!(good_ = next_is(any_of))) return '\0';
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    return letter;
  }

  // So many digits, or any number of them.
  std::int64_t number(std::size_t digits = 0) {
    std::size_t count = 0;
    while (count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    if (digits > 0) good_ = good_ && count == digits;
    std::int64_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + count, value);
    good_ = good_ && count > 0 && read.ec == std::errc();
    if (!good_) return 0;
    rest_.remove_prefix(count);
    return value;
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::optional<From> read_offset(std::string_view text) {
  Pieces pieces(text);
  From from{From::Kind::offset, Offset{pieces.number()}, {}, 0};
  return pieces.done() ? std::optional(from) : std::nullopt;
}

std::optional<From> read_offsets(std::string_view text) {
  Pieces pieces(text);
  From from{From::Kind::offsets, {}, {}, 0};
  do {
    if (!from.offsets.empty()) pieces.letter(",");
    const std::int64_t number = pieces.number();
    pieces.letter(":");
    const Offset offset{pieces.number()};
    if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    const PartitionNumber partition{static_cast<std::int32_t>(number)};
    if (!from.offsets.emplace(partition, offset).second) return std::nullopt;
  } while (pieces.next_is(","));
  return pieces.done() ? std::optional(from) : std::nullopt;
}

// RFC 3339 with the time of day, its seconds and the zone left out as one likes.
std::optional<From> read_time(std::string_view text) {
  using namespace std::chrono;
  Pieces pieces(text);
  const auto y = static_cast<int>(pieces.number(4));
  pieces.letter("-");
  const auto m = static_cast<unsigned>(pieces.number(2));
  pieces.letter("-");
  const auto d = static_cast<unsigned>(pieces.number(2));
  const year_month_day date{year{y}, month{m}, day{d}};
  std::int64_t hours = 0, minutes = 0, seconds = 0, ahead = 0;
  if (pieces.next_is("T ")) {
    pieces.letter("T ");
    hours = pieces.number(2);
    pieces.letter(":");
    minutes = pieces.number(2);
    if (pieces.next_is(":")) {
      pieces.letter(":");
      seconds = pieces.number(2);
    }
    if (pieces.next_is("+-")) {
      const std::int64_t sign = pieces.letter("+-") == '+' ? 1 : -1;
      const std::int64_t zone = pieces.number(2);
      pieces.letter(":");
      ahead = sign * (zone * 60 + pieces.number(2));
    } else if (pieces.next_is("Z")) {
      pieces.letter("Z");
    }
  }
  if (!pieces.done() || !date.ok() || hours > 23 || minutes > 59 || seconds > 59) {
    return std::nullopt;
  }
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  const std::int64_t at = ((days * 24 + hours) * 60 + minutes - ahead) * 60 + seconds;
  if (at < 0) return std::nullopt;
  return From{From::Kind::time, {}, {}, at * 1000};
}

}  // namespace

std::variant<From, std::string> parse_from(std::string_view text) {
  if (text == "beginning") return From{From::Kind::beginning, {}, {}, 0};
  if (const auto from = read_offset(text)) return *from;
  if (const auto from = read_offsets(text)) return *from;
  if (const auto from = read_time(text)) return *from;
  return "'" + std::string(text) + "'" + kForms;
}

}  // namespace einlass::app
