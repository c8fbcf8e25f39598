#include "adapters/http/server/response_writer.h"

#include <boost/beast/http/status.hpp>

namespace einlass::http {
namespace {

std::string_view reason(unsigned status) {
  return boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(status));
}

void add_header(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void write_response(const ServerResponse& response, bool bodyless, std::string_view connection,
                    std::string& out) {
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason(response.status)).append("\r\n");
  const bool may_have_body = response.status != 204 && response.status != 304;
  if (may_have_body) {
    if (!response.content_type.empty()) add_header("Content-Type", response.content_type, out);
    if (!response.open_body) {
      add_header("Content-Length", std::to_string(response.body.size()), out);
    }
  }
  for (const auto& [name, value] : response.headers) add_header(name, value, out);
  if (!connection.empty()) add_header("Connection", connection, out);
  out.append("\r\n");
  if (may_have_body && !bodyless) out.append(response.body);
}

ServerResponse plain_response(unsigned status) {
  ServerResponse response;
  response.status = status;
  response.body = std::to_string(status) + " " + std::string(reason(status)) + "\n";
  return response;
}

}  // namespace einlass::http
