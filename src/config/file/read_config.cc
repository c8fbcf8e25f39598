#include "config/file/read_config.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "config/tables/tables.h"

namespace einlass::config {
namespace {

std::variant<Config, Mistakes> decode(Document parsed, const std::string& file,
                                      const Environment& environment) {
  Reading reading(file, environment);
  reading.config.written.document = std::make_shared<const Document>(std::move(parsed));
  const Document& document = *reading.config.written.document;
  Section top(reading, document.root, "", names_in(kConfig));
  if (document.root->kind == Node::Kind::map) {
    read(top, kConfig, reading.config);
    check_config(top, reading.config);
  }
  Mistakes mistakes = reading.take_mistakes();
  if (!mistakes.empty()) return mistakes;
  return std::move(reading.config);
}

Mistakes one(const std::string& file, Position position, std::string text) {
  return {{file, position.line, position.column, "", std::move(text)}};
}

// Asked for once, as the environment is what it was at the start: a machine that gets another name
// meanwhile needs no restart of its gates.
std::string host_name() {
  char name[256];
  return gethostname(name, sizeof name) == 0 ? name : "";
}

}  // namespace

std::variant<Config, Mistakes> parse_config(std::string_view text, const std::string& file,
                                            const Environment& environment) {
  if (text.size() > kMostFileBytes) return one(file, {}, "the file is larger than 1MiB");
  auto parsed = parse_document(text);
  if (const auto* mistake = std::get_if<SyntaxMistake>(&parsed)) {
    return one(file, mistake->position, mistake->text);
  }
  Document& document = std::get<Document>(parsed);
  if (document.root == nullptr || document.root->kind == Node::Kind::null) {
    return one(file, {}, "the file is empty");
  }
  return decode(std::move(document), file, environment);
}

std::variant<Config, Mistakes> read_config(const std::string& path,
                                           const Environment& environment) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() == 0 && errno != 0) {
    return one(path, {}, std::string("cannot be read: ") + std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_config(text, path, environment);
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    if (const char* value = std::getenv(name.c_str())) return value;
    // Shells know HOSTNAME but seldom pass it on; two gates must not end up with one name for that.
    static const std::string host = host_name();
    if (name == "HOSTNAME" && !host.empty()) return host;
    return std::nullopt;
  };
}

}  // namespace einlass::config
