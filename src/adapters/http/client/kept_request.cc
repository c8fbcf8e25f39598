#include "adapters/http/client/kept_request.h"

#include <cstddef>
#include <string_view>

namespace einlass::http {

KeptRequest::KeptRequest(const Request& request, std::chrono::steady_clock::time_point now)
    : headers_(request.headers.begin(), request.headers.end()), request_(request), since_(now) {
  request_.headers = headers_;
  std::vector<std::string_view*> views = {&request_.method, &request_.path, &request_.host,
                                          &request_.key,    &request_.id,   &request_.content_type,
                                          &request_.body};
  for (RequestHeader& header : headers_) {
    views.push_back(&header.name);
    views.push_back(&header.value);
  }
  std::size_t size = 0;
  for (const std::string_view* view : views) size += view->size();
  text_.reserve(size);  // So that it never moves.
  for (std::string_view* view : views) {
    const std::size_t at = text_.size();
    text_ += *view;
    *view = std::string_view(text_).substr(at);
  }
}

Request KeptRequest::request(std::chrono::steady_clock::time_point now) const {
  Request request = request_;
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(now - since_);
  if (request.failed_ago) request.failed_ago->us += waited.count();
  return request;
}

}  // namespace einlass::http
