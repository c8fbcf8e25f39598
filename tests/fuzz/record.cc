// Whatever a producer puts into a record: keys and costs stay within their bounds, and the request
// that is sent for it is one request, with our headers as INTERFACE names them and the value
// untouched, as a strict server reads it.
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client/request_writer.h"
#include "adapters/http/server/request_parser.h"
#include "app/json/json_needs.h"
#include "app/record/extract.h"
#include "app/record/record_store.h"
#include "app/targets/request.h"
#include "app/targets/request_template.h"
#include "app/tracing/trace_context.h"
#include "fuzz/source.h"
#include "units/check.h"

namespace {

using namespace einlass;

constexpr std::size_t kRoom = 1 << 16;
constexpr std::size_t kMostHeaders = 8;
constexpr app::RunId kRun = {1, 2, 3, 4, 5, 6, 0x87, 8};

// One limit of each kind of key, and in turn one of each kind of cost.
std::vector<config::Limit> some_limits(unsigned which) {
  using Key = config::KeySource::Kind;
  using Cost = config::CostSource::Kind;
  std::vector<config::Limit> limits(6);
  const config::KeySource keys[] = {{Key::none, ""},         {Key::record_key, ""},
                                    {Key::topic, ""},        {Key::partition, ""},
                                    {Key::header, "tenant"}, {Key::json, "/user/id"}};
  const config::CostSource costs[] = {
      {Cost::number, ""}, {Cost::header, "cost"}, {Cost::json, "/cost"}, {Cost::bytes, ""}};
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i].key = keys[i];
  limits[which % limits.size()].cost = costs[which / limits.size() % 4];
  limits[which % limits.size()].default_cost = {7};
  limits.back().bad_key = config::BadKey::dead_letter;
  return limits;
}

// What a gate with these limits and this target needs of a record.
app::JsonNeeds needs_of(const std::vector<config::Limit>& limits, const config::HttpTarget& http) {
  config::Config config;
  config.limits = limits;
  config.targets.resize(1);
  config.targets[0].kind = http;
  config.routes.resize(1);
  for (std::size_t i = 0; i < limits.size(); ++i) config.routes[0].limits.push_back(i);
  return app::json_needs(config)[0];
}

void check_extracted(const kafka::Message& message, unsigned which) {
  const std::vector<config::Limit> limits = some_limits(which);
  std::vector<const config::Limit*> pointers;
  for (const config::Limit& limit : limits) pointers.push_back(&limit);
  app::RecordFields fields(pointers);
  app::RecordStore records({needs_of(limits, {})});
  const app::Extracted found = fields.read(records[records.put(message, core::RouteId{0})]);
  CHECK(found.keys.size() == limits.size());
  for (const std::string_view key : found.keys) CHECK(key.size() <= app::kLongestKey);
  CHECK(found.cost >= Permits{1} && found.cost <= app::kMostRecordCost);
  CHECK(found.keys[0].empty() && found.keys[2] == message.topic);
  if (found.bad) CHECK(app::bad_key_text(found).starts_with("limit "));
  CHECK(app::lane_key(message).has_value() == message.key.has_value());
}

std::string decoded64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  CHECK(text.size() % 4 == 0);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    CHECK(kDigits.find(c) != kDigits.npos);
    bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

// The bytes of the request, judged as our own strict server reads them.
template <class Judge>
void read_as_server(const http::RequestBytes& bytes, Judge judge) {
  http::RequestParser parser(kRoom, kRoom);
  http::ReceiveBuffer buffer(http::RequestParser::buffer_bytes(kRoom));
  std::string_view text = bytes.unsent();
  CHECK(text.size() <= kRoom);
  http::Progress progress = http::Progress::more;
  while (!text.empty() && progress == http::Progress::more) {
    const std::span<char> room = buffer.room();
    const std::size_t size = std::min(room.size(), text.size());
    std::memcpy(room.data(), text.data(), size);
    buffer.added(size);
    text.remove_prefix(size);
    progress = parser.feed(buffer);
  }
  CHECK(progress == http::Progress::done && text.empty() && buffer.unread().empty());
  judge(parser.request());
}

void check_read(const http::ServerRequest& request, const kafka::Message& message) {
  CHECK(request.method == "POST" && request.path == "/callback");
  CHECK(request.body == message.value.value_or(std::string_view{}));
  std::map<std::string_view, int> seen;
  for (const auto& [name, value] : request.headers) ++seen[name];
  for (const char* const ours :
       {"host", "content-length", "content-type", "idempotency-key", "einlass-permit",
        "einlass-attempt", "kafka-topic", "kafka-partition", "kafka-offset"}) {
    CHECK(seen[ours] == 1);
  }
  const std::string where =
      std::to_string(message.number.value) + "-" + std::to_string(message.offset.value);
  CHECK(request.header("idempotency-key") ==
        "\"" + std::string(message.topic) + "-" + where + "\"");
  CHECK(seen.count("kafka-tombstone") == (message.value ? 0u : 1u));
  CHECK(seen.count("transfer-encoding") == 0 && seen.count("authorization") == 0);
  if (!message.key) return CHECK(!seen.count("kafka-key") && !seen.count("kafka-key-base64"));
  const std::string key = seen.count("kafka-key") ? std::string(request.header("kafka-key"))
                                                  : decoded64(request.header("kafka-key-base64"));
  CHECK(key == *message.key);
}

void check_request(const kafka::Message& message) {
  app::StoredRecord record;
  record.fill(message, core::RouteId{0});
  CHECK(record.key() == message.key && record.value() == message.value);
  app::RequestBuilder builder(kRun, {"X-Tenant", "tenant"}, Bytes{8 << 10});
  core::Send send;
  send.attempt = core::Attempt{3};
  std::string skipped;
  app::RequestTemplate parts{config::HttpTarget{}};
  CHECK(builder.build(record, send, true, parts, skipped).why.empty());
  const http::Request& request = builder.request();
  CHECK(request.headers.size() <= 16 + message.headers.size());
  http::TargetOptions options;
  options.host = "target.example";
  options.path = "/callback";
  const http::RequestWriter writer(options);
  http::RequestBytes bytes;
  writer.write(request, bytes);
  read_as_server(bytes, [&](const http::ServerRequest& read) { check_read(read, message); });
}

// RFC 3986, section 2.1.
std::string percent_decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    CHECK(i + 2 < text.size());
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return bytes;
}

// As servers do that take what is not encoded as it stands there.
std::string leniently_decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view hex = text.substr(i).substr(0, 3);
    const bool encoded = hex.size() == 3 && hex[0] == '%' && std::isxdigit(hex[1] & 0xff) != 0 &&
                         std::isxdigit(hex[2] & 0xff) != 0;
    bytes += encoded ? percent_decoded(hex) : std::string(1, text[i]);
    i += encoded ? 2 : 0;
  }
  return bytes;
}

// Of the first header with that name that has one.
std::string_view header_of(const kafka::Message& message, const char* name) {
  for (const kafka::Header& header : message.headers) {
    const bool same = header.name.size() == std::strlen(name) &&
                      strncasecmp(header.name.data(), name, header.name.size()) == 0;
    if (same && header.value) return *header.value;
  }
  CHECK(false);
  return "";
}

// The segments of a path as nginx finds them: decoded first, then `.` and `..` are followed. A
// backslash is a slash to some, and a NUL the end.
std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  path = path.substr(0, path.find('\0'));
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find_first_of("/\\"));
    path.remove_prefix(segment.size());
    CHECK(segment != ".." || !segments.empty());
    if (segment == "..") {
      segments.pop_back();
    } else if (segment != ".") {
      segments.emplace_back(segment);
    }
  }
  return segments;
}

// Whoever decodes the path, and whoever decodes it once more behind them, finds it below its fixed
// part; and without slashes of the record's in the segments that were meant.
void check_path(std::string_view path, const kafka::Message& message, bool slashes) {
  const std::string once = percent_decoded(path), twice = leniently_decoded(once);
  for (const std::string& read : {once, twice}) {
    const std::vector<std::string> segments = segments_of(read);
    CHECK(segments.size() >= 3 && segments[0] == "in");
    CHECK(slashes || segments.size() == 3);
  }
  CHECK((once + twice).find_first_of(std::string_view("\\\0", 2)) == once.npos);
  const std::string tenant(header_of(message, "tenant"));
  CHECK(once == "/in/" + std::string(*message.key) + "/" + tenant);
  CHECK(std::count(path.begin(), path.end(), '/') == 3);
}

// In path and query each part reads back as it stands in the record, and so do method and header.
void check_filled(const http::ServerRequest& request, const kafka::Message& message, bool slashes) {
  check_path(request.path, message, slashes);
  CHECK(request.query.starts_with("a=") &&
        request.query.find_first_of("/?# &") == request.query.npos);
  CHECK(request.method == header_of(message, "verb"));
  std::string_view key = *message.key;  // A reader takes the blanks around a value away.
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!key.empty() && blank(key.front())) key.remove_prefix(1);
  while (!key.empty() && blank(key.back())) key.remove_suffix(1);
  CHECK(request.header("x-key") == key);
  CHECK(request.body.empty());
}

// Whatever the record has for them, the request is one, and has what was asked for and no more.
void check_template(const kafka::Message& message, bool slashes) {
  using Kind = config::TemplatePiece::Kind;
  config::HttpTarget target;
  target.allow_slash = slashes;
  target.path_template = {{Kind::text, "/in/"},     {Kind::key, ""},     {Kind::text, "/"},
                          {Kind::header, "tenant"}, {Kind::text, "?a="}, {Kind::json, "/user/id"}};
  target.method_template = {{Kind::header, "verb"}};
  target.header_templates = {{"X-Key", {{Kind::key, ""}}}};
  app::RequestTemplate parts(target);
  app::RecordStore records({needs_of({}, target)});
  const app::StoredRecord& record = records[records.put(message, core::RouteId{0})];
  http::Request request{};
  std::vector<http::RequestHeader> headers;
  std::size_t room = 8 << 10;
  if (!parts.fill(record, request, headers, room).why.empty()) return;
  request.headers = headers;
  http::TargetOptions options;
  options.host = "target.example";
  http::RequestBytes bytes;
  http::RequestWriter(options).write(request, bytes);
  read_as_server(bytes,
                 [&](const http::ServerRequest& read) { check_filled(read, message, slashes); });
}

// A host is only called if it may be.
void check_host(const kafka::Message& message) {
  config::HttpTarget target;
  target.host_template = {{config::TemplatePiece::Kind::header, "Host"}};
  target.allow_hosts = {"one.example", "*.two.example"};
  app::RequestTemplate parts(target);
  app::StoredRecord record;
  record.fill(message, core::RouteId{0});
  http::Request request{};
  std::vector<http::RequestHeader> headers;
  std::size_t room = 8 << 10;
  if (!parts.fill(record, request, headers, room).why.empty()) return;
  const std::string_view host = request.host;
  CHECK(host == "one.example" || (host.ends_with(".two.example") && host.size() > 12));
  CHECK(std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
  }));
}

// What is taken for a trace is written back as it stood there.
void check_trace(const kafka::Message& message) {
  for (const kafka::Header& header : message.headers) {
    const std::string_view text = header.value.value_or(std::string_view{});
    const auto context = app::parse_traceparent(text);
    if (!context) continue;
    const std::string ids = "-" + context->trace + "-" + context->parent + "-";
    CHECK(text.substr(2, ids.size()) == ids);
    const std::string flags(text.substr(2 + ids.size(), 2));
    CHECK(context->sampled == (std::stoi(flags, nullptr, 16) % 2 == 1));
  }
}

std::optional<std::string_view> optional_text(fuzz::Source& source) {
  return source.bit() ? std::optional(source.text()) : std::nullopt;
}

}  // namespace

// Where it comes from, its headers and its key, each with its length; the rest is the value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::string_view kNames[] = {
      "tenant", "cost", "traceparent", "baggage", "Content-Type", "x-tenant", "Host", "verb"};
  fuzz::Source source(data, size);
  const unsigned which = source.byte();
  kafka::Message message;
  message.topic = "results";
  message.number = PartitionNumber{static_cast<std::int32_t>(source.number(0, 0x7fffffff))};
  message.offset = Offset{source.number(0, INT64_MAX - 1)};
  message.timestamp_ms = source.number(-1, INT64_MAX - 1);
  std::vector<kafka::Header> headers(source.byte() % kMostHeaders);
  for (kafka::Header& header : headers) {
    const std::size_t name = source.byte() % (std::size(kNames) + 1);
    header.name = name < std::size(kNames) ? kNames[name] : source.text();
    header.value = optional_text(source);
  }
  message.headers = headers;
  message.key = optional_text(source);
  if (source.bit()) message.value = source.rest();
  check_extracted(message, which);
  check_request(message);
  check_trace(message);
  for (const bool slashes : {false, true}) check_template(message, slashes);
  check_host(message);
  return 0;
}
