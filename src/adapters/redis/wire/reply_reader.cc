#include "adapters/redis/wire/reply_reader.h"

#include <hiredis/read.h>

#include <algorithm>

#include "adapters/redis/wire/reply_functions.h"
#include "units/check.h"

namespace einlass::redis {

// hiredis builds its values through these. It stores what they return and looks only whether it is
// null, which it takes for a lack of memory: that is how too long a reply is refused.
struct ReplyReader::Build {
  static ReplyReader& owner(const redisReadTask* task) {
    return *static_cast<ReplyReader*>(task->privdata);
  }

  // A value inside an array that is no integer makes the whole reply one of no use.
  static void* spoil(const redisReadTask* task) {
    ReplyReader& reader = owner(task);
    reader.reply_.kind = Reply::Kind::other;
    return &reader.reply_;
  }

  static void* string(const redisReadTask* task, char* bytes, std::size_t size) {
    const bool status = task->type == REDIS_REPLY_STATUS;
    if (task->parent && !task->parent->parent && task->idx == 0) {
      owner(task).reply_.text.assign(bytes, std::min(size, kMaxReplyText));
    }
    if (task->parent || (!status && task->type != REDIS_REPLY_ERROR)) return spoil(task);
    Reply& reply = owner(task).reply_;
    reply.kind = status ? Reply::Kind::status : Reply::Kind::error;
    reply.text.assign(bytes, std::min(size, kMaxReplyText));
    return &reply;
  }

  static void* integer(const redisReadTask* task, long long value) {
    Reply& reply = owner(task).reply_;
    if (!task->parent) reply.kind = Reply::Kind::integer;
    reply.integers.push_back(value);
    return &reply;
  }

  // The count is an int before hiredis 1.0 and a size_t since.
  template <class Count>
  static void* array(const redisReadTask* task, Count count) {
    ReplyReader& reader = owner(task);
    reader.elements_ += static_cast<std::size_t>(count);
    if (reader.elements_ > reader.most_elements_) return nullptr;
    if (task->parent || task->type != REDIS_REPLY_ARRAY) return spoil(task);
    reader.reply_.kind = Reply::Kind::array;
    return &reader.reply_;
  }

  static void* nil(const redisReadTask* task) { return spoil(task); }
};

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader(std::size_t most_elements)
    : most_elements_(most_elements),
      reader_(redisReaderCreateWithFunctions(functions_of<Build>())) {
  CHECK(reader_);
  reader_->privdata = this;
  reply_.integers.reserve(64);
  reply_.text.reserve(kMaxReplyText);
}

ReplyReader::~ReplyReader() = default;

void ReplyReader::feed(std::span<const char> bytes) {
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

ReplyReader::Result ReplyReader::next() {
  // hiredis keeps a reply that is not complete and goes on with it; only a new one starts clean.
  if (reader_->ridx == -1) {
    reply_.kind = Reply::Kind::other;
    reply_.integers.clear();
    reply_.text.clear();
    elements_ = 0;
  }
  void* complete = nullptr;
  if (redisReaderGetReply(reader_.get(), &complete) != REDIS_OK) return Result::broken;
  if (complete) return Result::reply;
  return reader_->len - reader_->pos > kMaxValueBytes ? Result::broken : Result::more_needed;
}

}  // namespace einlass::redis
