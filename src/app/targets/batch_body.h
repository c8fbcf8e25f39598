// The body of a request with several records: their values, one after the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/record/record_store.h"
#include "config/model/config.h"

namespace einlass::app {

class BatchBody {
 public:
  explicit BatchBody(config::BatchFormat format) : format_(format) {}

  // Why a record's value cannot stand in such a body; empty: it can. REQUIRES: where the body is
  // JSON, the record was read with the question whether its value may stand in a list.
  static std::string_view unfit(config::BatchFormat format, const StoredRecord& record);

  void clear() { text_.clear(); }

  // Adds a record's value; none is a tombstone. Returns why it is unfit(), and leaves it out;
  // empty: it was added. REQUIRES: as there.
  std::string_view add(const StoredRecord& record);

  bool empty() const { return text_.empty(); }

  // The whole body. Lives until clear(). REQUIRES: nothing is added after it.
  std::string_view finish();

 private:
  void add_json(std::optional<std::string_view> value);
  void add_line(std::string_view value);
  void add_with_length(std::optional<std::string_view> value);

  const config::BatchFormat format_;
  std::string text_;
};

}  // namespace einlass::app
