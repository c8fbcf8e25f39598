#include "adapters/redis/wire/value.h"

#include <hiredis/read.h>

#include "adapters/redis/wire/reply_functions.h"
#include "units/check.h"

namespace einlass::redis {

// hiredis builds its values through these. What they return it hands to those of the elements, and
// takes null for a lack of memory: that is how a reply beyond the bounds is refused.
struct ValueReader::Build {
  // Where a value is to stand in the tree. What is already there may move, but that is complete:
  // hiredis is inside the last element of each array.
  static Value* add(const redisReadTask* task, Value::Kind kind) {
    Value* value = &owner(task).value_;
    if (task->parent) value = &static_cast<Value*>(task->parent->obj)->elements.emplace_back();
    value->kind = kind;
    return value;
  }

  static void* string(const redisReadTask* task, char* bytes, std::size_t size) {
    using Kind = Value::Kind;
    Value* const value = add(task, task->type == REDIS_REPLY_STATUS  ? Kind::status
                                   : task->type == REDIS_REPLY_ERROR ? Kind::error
                                                                     : Kind::text);
    value->text.assign(bytes, size);
    return value;
  }

  static void* integer(const redisReadTask* task, long long number) {
    Value* const value = add(task, Value::Kind::integer);
    value->integer = number;
    return value;
  }

  // What the count promises is not made room for: only what came is believed. It is an int before
  // hiredis 1.0 and a size_t since.
  template <class Count>
  static void* array(const redisReadTask* task, Count count) {
    ValueReader& reader = owner(task);
    reader.values_ += static_cast<std::size_t>(count);
    if (reader.values_ > kMostValues || depth(task) >= kMostNested) return nullptr;
    return add(task, Value::Kind::array);
  }

  static void* nil(const redisReadTask* task) { return add(task, Value::Kind::nil); }

 private:
  static ValueReader& owner(const redisReadTask* task) {
    return *static_cast<ValueReader*>(task->privdata);
  }

  static int depth(const redisReadTask* task) {
    int depth = 0;
    for (; task->parent; task = task->parent) ++depth;
    return depth;
  }
};

void ValueReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ValueReader::ValueReader() : reader_(redisReaderCreateWithFunctions(functions_of<Build>())) {
  CHECK(reader_);
  reader_->privdata = this;
}

ValueReader::~ValueReader() = default;

void ValueReader::feed(std::span<const char> bytes) {
  fed_ += bytes.size();
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

ValueReader::Result ValueReader::next() {
  // hiredis keeps a reply that is not complete and goes on with it; only a new one starts clean.
  if (reader_->ridx == -1) {
    value_ = {};
    values_ = 0;
  }
  void* complete = nullptr;
  if (redisReaderGetReply(reader_.get(), &complete) != REDIS_OK) return Result::broken;
  if (complete) {
    fed_ = reader_->len - reader_->pos;
    return Result::done;
  }
  return fed_ > kLongestAnswer ? Result::broken : Result::more_needed;
}

}  // namespace einlass::redis
