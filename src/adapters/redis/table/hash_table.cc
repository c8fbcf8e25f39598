#include "adapters/redis/table/hash_table.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "adapters/redis/client/wait_time.h"
#include "lua/scripts.h"

namespace einlass::redis {
namespace {

constexpr std::size_t kMostChanges = 500;         // Of one look.
constexpr std::string_view kMostScanned = "500";  // About, of one step through the hash.

// Of an entry of a stream: when it was written, as the server counts.
struct StreamId {
  std::uint64_t ms = 0, number = 0;
  auto operator<=>(const StreamId&) const = default;
};

std::optional<StreamId> read_id(const std::string& text) {
  StreamId id;
  const char* const end = text.data() + text.size();
  const auto ms = std::from_chars(text.data(), end, id.ms);
  if (ms.ec != std::errc{} || ms.ptr == end || *ms.ptr != '-') return std::nullopt;
  const auto number = std::from_chars(ms.ptr + 1, end, id.number);
  if (number.ec != std::errc{} || number.ptr != end) return std::nullopt;
  return id;
}

struct Change {
  std::string key;
  std::optional<std::string> text;
};

// Also of one that is none of ours: what follows it is to be read.
std::string id_of(const Value& entry) {
  return entry.is_array_of(1) ? entry.elements[0].text : std::string();
}

// None where it is no change of ours: it is passed over, and the hash says what is true.
std::optional<Change> read_change(const Value& entry) {
  if (!entry.is_array_of(2) || !entry.elements[1].is_array_of(2)) return std::nullopt;
  const auto& fields = entry.elements[1].elements;
  Change change;
  bool has_key = false;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i].text == "key") change.key = fields[i + 1].text, has_key = true;
    if (fields[i].text == "text") change.text = fields[i + 1].text;
  }
  if (!has_key) return std::nullopt;
  return change;
}

}  // namespace

struct HashTable::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& io, StoreOptions given, Listener& to)
      : options(std::move(given)),
        hash(options.name_space + ":quotas:{" + options.name_space + "}"),
        changes(hash + ":changes"),
        listener(to),
        talk(std::make_shared<Talk>(io, options)),
        timer(io) {}

  void look_after(std::chrono::milliseconds pause);
  void look();
  void read_anew();
  void took_newest(const Value& newest);
  void scan();
  void scanned(const Value& answer);
  void took_first(const Value& answer);
  void took_changes(const Value& answer);
  void took_changes_between(const Value& answer);
  bool tell_changes(const Value& answer);
  void look_at_changes(void (State::*take)(const Value&));
  void write(const std::string& key, const std::optional<std::string>& text, Written written);
  void write_by(std::span<const std::string_view> words, Written written);
  void ask(std::initializer_list<std::string_view> words, void (State::*take)(const Value&));
  void wait_for_replicas(Written written);
  void failed(const std::string& why);
  void well();

  const StoreOptions options;
  const std::string hash, changes;
  Listener& listener;
  const std::shared_ptr<Talk> talk;
  boost::asio::steady_timer timer;
  bool closed = false;
  std::string why_away;
  bool told_away = true;       // Until it was read.
  std::uint64_t failures = 0;  // What was asked before the last one is begun anew.

  bool is_read = false;                  // The whole hash was; `last` holds.
  bool missed = false;                   // Changes, while it was read.
  std::uint64_t read_on_connection = 0;  // As Talk counts them.
  StreamId last;                         // The newest change that is known.
  std::string last_text = "0-0";
  std::string cursor;                 // Where the next step through the hash begins, ...
  std::optional<Address> scanned_at;  // ... and where the last one was asked, as Talk says.
  std::chrono::steady_clock::time_point whole_at{};
};

HashTable::HashTable(boost::asio::io_context& io, StoreOptions options, Listener& listener)
    : state_(std::make_shared<State>(io, std::move(options), listener)) {
  state_->look_after(std::chrono::milliseconds(0));
}

HashTable::~HashTable() {
  state_->closed = true;
  state_->talk->close();
  state_->timer.cancel();
}

void HashTable::write(const std::string& key, const std::optional<std::string>& text,
                      Written written) {
  state_->write(key, text, std::move(written));
}

void HashTable::try_write(Written written) {
  const std::string hash = state_->hash + ":try", changes = state_->changes + ":try";
  const std::string_view words[] = {"EVAL", lua::table_try_script(), "2", hash, changes};
  state_->write_by(words, std::move(written));
}

void HashTable::State::look_after(std::chrono::milliseconds pause) {
  timer.expires_after(pause);
  timer.async_wait([self = shared_from_this()](const auto& error) {
    if (!error && !self->closed) self->look();
  });
}

void HashTable::State::ask(std::initializer_list<std::string_view> words,
                           void (State::*take)(const Value&)) {
  talk->ask({words.begin(), words.size()}, [self = shared_from_this(), take, asked_in = failures](
                                               const Value* answer, const std::string& why) {
    if (self->closed || asked_in != self->failures) return;
    if (answer == nullptr) return self->failed(why);
    if (take != nullptr) (self.get()->*take)(*answer);
  });
}

// What the stream has had since; and its oldest change, for what it has forgotten.
void HashTable::State::look() {
  if (!is_read) return read_anew();
  ask({"XRANGE", changes, "-", "+", "COUNT", "1"}, &State::took_first);
  look_at_changes(&State::took_changes);
}

void HashTable::State::look_at_changes(void (State::*take)(const Value&)) {
  ask({"XRANGE", changes, last_text, "+", "COUNT", std::to_string(kMostChanges)}, take);
}

// The newest change is asked for before the hash: what comes meanwhile is told twice, and in order.
void HashTable::State::read_anew() {
  is_read = false;
  ask({"XREVRANGE", changes, "+", "-", "COUNT", "1"}, &State::took_newest);
}

void HashTable::State::took_newest(const Value& newest) {
  last = {};
  last_text = "0-0";
  if (newest.is_array_of(1) && newest.elements[0].is_array_of(1)) {
    last_text = newest.elements[0].elements[0].text;
    last = read_id(last_text).value_or(StreamId{});
  }
  missed = false;
  listener.reading();
  read_on_connection = talk->connections();
  cursor = "0";
  scan();
}

// Before each step the changes since the last one: however many there are to come, none is late.
void HashTable::State::scan() {
  look_at_changes(&State::took_changes_between);
  ask({"HSCAN", hash, cursor, "COUNT", kMostScanned}, &State::scanned);
}

void HashTable::State::scanned(const Value& answer) {
  // A cursor is a node's own.
  const bool elsewhere = cursor != "0" && scanned_at != talk->asked_at();
  if (elsewhere || read_on_connection != talk->connections()) return read_anew();
  scanned_at = talk->asked_at();
  const bool sound = answer.is_array_of(2) && answer.elements[1].kind == Value::Kind::array;
  if (!sound) return failed("the answer to HSCAN " + hash + " has another shape");
  const auto& texts = answer.elements[1].elements;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    listener.entry(texts[i].text, texts[i + 1].text);
  }
  cursor = answer.elements[0].text;
  if (cursor != "0") return scan();
  listener.whole();
  whole_at = std::chrono::steady_clock::now();
  is_read = !missed;
  well();
  look_after(kLook);
}

void HashTable::State::took_first(const Value& answer) {
  const bool any = answer.is_array_of(1) && answer.elements[0].is_array_of(1);
  const auto first = any ? read_id(answer.elements[0].elements[0].text) : std::nullopt;
  // It may have forgotten changes that are not known, also where it had none before.
  if (first && *first > last) is_read = false;
}

void HashTable::State::took_changes_between(const Value& answer) {
  if (read_on_connection != talk->connections()) return;
  // It begins with the last one that is known, or may have forgotten some since.
  const bool begins = answer.is_array_of(1) && read_id(id_of(answer.elements[0])) == last;
  const bool nothing_yet = answer.elements.empty() && last == StreamId{};
  if (!begins && !nothing_yet) missed = true;
  tell_changes(answer);
}

void HashTable::State::took_changes(const Value& answer) {
  if (!is_read || read_on_connection != talk->connections()) return read_anew();
  const bool more = tell_changes(answer);
  well();
  if (std::chrono::steady_clock::now() - whole_at >= kWhole) return read_anew();
  look_after(more ? std::chrono::milliseconds(0) : kLook);
}

// Whether there are more of them.
bool HashTable::State::tell_changes(const Value& answer) {
  const StreamId before = last;
  std::vector<Change> news;
  for (const Value& entry : answer.elements) {
    const auto id = read_id(id_of(entry));
    if (!id || *id <= last) continue;  // The first is the last one that is known.
    last = *id;
    last_text = id_of(entry);
    if (auto change = read_change(entry)) news.push_back(std::move(*change));
  }
  for (const Change& change : news) listener.entry(change.key, change.text);
  return answer.elements.size() == kMostChanges && last != before;
}

void HashTable::State::write(const std::string& key, const std::optional<std::string>& text,
                             Written written) {
  const std::string remembered = std::to_string(kRemembered);
  std::vector<std::string_view> words = {
      "EVAL", lua::table_write_script(), "2", hash, changes, remembered, key};
  if (text) words.push_back(*text);
  write_by(words, std::move(written));
}

void HashTable::State::write_by(std::span<const std::string_view> words, Written written) {
  talk->ask(words, [self = shared_from_this(), written = std::move(written)](
                       const Value* answer, const std::string& why) {
    if (self->closed) return;
    answer == nullptr ? written(why) : self->wait_for_replicas(written);
  });
}

void HashTable::State::wait_for_replicas(Written written) {
  if (options.wait_replicas == 0) return written("");
  if (talk->asked_at()) {
    return written(
        "nobody knows whether replicas have it (redis.wait_replicas), for its slot is on its way "
        "to another node of the cluster; write it again");
  }
  const std::string wanted = std::to_string(options.wait_replicas);
  const std::string ms = std::to_string(wait_ms(options.timeout));
  const std::string_view words[] = {"WAIT", wanted, ms};
  talk->ask(words, [self = shared_from_this(), wanted, written = std::move(written)](
                       const Value* answer, const std::string& why) {
    if (self->closed) return;
    if (answer == nullptr) return written(why);
    const bool enough = answer->integer >= self->options.wait_replicas;
    written(enough ? ""
                   : "only " + std::to_string(answer->integer) + " of " + wanted +
                         " replicas have it (redis.wait_replicas); write it again");
  });
}

void HashTable::State::failed(const std::string& why) {
  ++failures;
  is_read = false;
  if (why_away != why || !told_away) {
    why_away = why;
    told_away = true;
    listener.away(why);
  }
  look_after(std::chrono::milliseconds(500));
}

void HashTable::State::well() {
  if (!std::exchange(told_away, false)) return;
  listener.away("");
}

}  // namespace einlass::redis
