// What a server says of the records of one request, where it says more than a status.
//
//   {"failed": [{"index": 3, "status": 422, "error": "no such account"}]}
//
// The index counts from 0 in the order of the request; the status means what it means for a request
// with that record alone. Who is not named is accepted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::http {

// How much of the answer to a request with several records is kept.
inline constexpr std::size_t kMostBatchAnswer = 64 << 10;

struct FailedRecord {
  std::size_t index = 0;
  unsigned status = 0;
  std::string error;  // As the server says it; often empty.
};

struct BatchAnswer {
  std::vector<FailedRecord> failed;  // By index.
  std::string trouble;               // Why the list cannot be used; empty: it can.
};

// The body of an answer that accepts a request with so many records. A body that is no JSON object,
// or one without `failed`, names nobody.
BatchAnswer read_batch_answer(std::string_view body, std::size_t records);

}  // namespace einlass::http
