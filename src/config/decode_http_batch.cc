// targets.NAME.http.batch: several records in one request.
#include "config/decode.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kRecords{2, 1000};
constexpr Bounds<Bytes> kBytes{Bytes{1}, Bytes{64 << 20}};
constexpr Bounds<Duration> kLinger{Duration{}, Duration::seconds(1)};

void refuse_beside(Section& http, std::string_view name, std::string why) {
  if (!http.has(name)) return;
  http.reading().wrong(http.place_of(name), http.path_of(name), std::move(why));
}

// A request with several records has no part that is one record's.
void refuse_parts_of_records(Section& http, const HttpTarget& target) {
  constexpr const char* kWhy =
      "has parts of a record, and with batch a request has several; write it without {...}, or "
      "leave out batch";
  if (!target.path_template.empty() || !target.host_template.empty()) {
    refuse_beside(http, "url", kWhy);
  }
  if (!target.method_template.empty()) refuse_beside(http, "method", kWhy);
  if (!target.header_templates.empty()) refuse_beside(http, "headers", kWhy);
  if (target.balance == Balance::by_key) {
    refuse_beside(http, "balance", "means nothing with batch: a request has no single key");
  }
}

}  // namespace

void decode_http_batch(Section& http, HttpTarget& target) {
  if (!http.has("batch")) return;
  HttpBatch& batch = target.batch.emplace();
  Section section(http.reading(), http.find("batch"), http.path_of("batch"),
                  "targets.NAME.http.batch");
  section.refuse_unknown_keys();
  section.read_whole("records", batch.records, kRecords);
  section.read_size("bytes", batch.bytes, kBytes);
  section.read_duration("linger", batch.linger, kLinger);
  section.read("format", batch.format, one_of<BatchFormat>({"json", "lines", "length_prefixed"}));
  refuse_beside(http, "forward_headers",
                "means nothing with batch: a request has the headers of no single record; leave "
                "one of them out");
  refuse_beside(http, "long_key", "means nothing with batch: keys are in the body; leave it out");
  refuse_beside(http, "head_bytes",
                "means nothing with batch: no record writes in the head; leave it out");
  refuse_parts_of_records(http, target);
  if (http.has("content_type")) return;
  constexpr const char* kTypes[] = {"application/json", "application/x-ndjson",
                                    "application/octet-stream"};
  target.content_type = kTypes[static_cast<std::size_t>(batch.format)];
}

}  // namespace einlass::config
