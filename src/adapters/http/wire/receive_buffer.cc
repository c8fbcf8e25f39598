#include "adapters/http/wire/receive_buffer.h"

#include <algorithm>
#include <cstring>

namespace einlass::http {

std::span<char> ReceiveBuffer::room() {
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (bytes_.empty() || was_filled_ || end_ == bytes_.size()) {
    bytes_.resize(std::min(max_bytes_, std::max(kFirstSize, bytes_.size() * 2)));
    was_filled_ = false;
  }
  return std::span<char>(bytes_).subspan(end_);
}

void ReceiveBuffer::consume(std::size_t bytes) {
  was_filled_ = was_filled_ || end_ == bytes_.size();
  begin_ += bytes;
  if (begin_ == end_) begin_ = end_ = 0;
}

}  // namespace einlass::http
