#include "config/text/document.h"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cstdio>
#include <istream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "config/text/plain_text.h"
#include "text/json_escape.h"
#include "text/utf8.h"

namespace einlass::config {
namespace {

Position position_of(const YAML::Mark& mark) {
  return mark.line < 0 ? Position{} : Position{mark.line + 1, mark.column + 1};
}

// YAML, but more than we take.
struct NotTaken {
  SyntaxMistake mistake;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string text) {
  throw NotTaken{{position_of(mark), std::move(text)}};
}

// Where the value itself begins, whose event may be at its anchor (`&NAME`).
std::size_t behind_anchor(std::string_view text, std::size_t at) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (at >= text.size() || text[at] != '&') return at;
  return text.find_first_not_of(kBlanks, text.find_first_of(kBlanks, at));
}

// Builds the tree from yaml-cpp's events. Throws NotTaken.
class Builder : public YAML::EventHandler {
 public:
  explicit Builder(std::string_view text) : text_(text) {}
  Document take() { return std::move(document_); }
  Position start() const { return start_; }
  // Of the list or section that is open; where none is, of nothing.
  Position innermost() const { return open_.empty() ? Position{} : open_.back().node->position; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = position_of(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node& node = add(mark, "", anchor, Node::Kind::null);
    // Where nothing is written, yaml-cpp names the position of what comes next.
    if (!open_.empty() && open_.back().has_key) {
      const Position key = open_.back().node->entries.back().position;
      if (node.position.line != key.line) node.position = key;
    }
    attach(mark, node);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Node* node = anchor < anchors_.size() ? anchors_[anchor] : nullptr;
    if (node == nullptr) refuse(mark, "the alias has no anchor");
    for (const Frame& frame : open_) {
      if (frame.node == node) refuse(mark, "the alias stands inside the value that it names");
    }
    attach(mark, *node);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (is_unclosed_quote(text_, behind_anchor(text_, static_cast<std::size_t>(mark.pos)))) {
      refuse(mark, "a quote that is never closed");
    }
    Node& node = add(mark, tag, anchor, Node::Kind::scalar);
    node.text = value;
    node.plain = tag == "?";
    attach(mark, node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({&add(mark, tag, anchor, Node::Kind::list), mark});
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({&add(mark, tag, anchor, Node::Kind::map), mark});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node* node;
    YAML::Mark mark;
    bool has_key = false;  // A map's last entry waits for its value.
  };

  Node& add(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    if (tag.size() > 1) refuse(mark, "tags (as !!str) mean nothing here; leave the tag out");
    Node& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.position = position_of(mark);
    if (anchor != YAML::NullAnchor) {
      if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
      anchors_[anchor] = &node;
    }
    return node;
  }

  void close() {
    const Frame frame = open_.back();
    open_.pop_back();
    attach(frame.mark, *frame.node);
  }

  // Hands a finished node to the list or map that it stands in.
  void attach(const YAML::Mark& mark, const Node& node) {
    if (open_.empty()) {
      document_.root = &node;
      return;
    }
    Frame& frame = open_.back();
    frame.node->values += node.values;
    if (frame.node->values > kMostValues) {
      refuse(mark,
             "more than 100000 values up to here (an alias counts as all that it stands "
             "for); the file is too large");
    }
    if (frame.node->kind == Node::Kind::list) {
      frame.node->items.push_back(&node);
    } else if (frame.has_key) {
      frame.node->entries.back().value = &node;
      frame.has_key = false;
    } else {
      if (node.kind != Node::Kind::scalar) refuse(mark, "a key has to be a text");
      frame.node->entries.push_back({position_of(mark), node.text, nullptr});
      frame.has_key = true;
    }
  }

  std::string_view text_;
  Document document_;
  Position start_;
  std::vector<Frame> open_;
  std::vector<const Node*> anchors_;  // By yaml-cpp's number for them.
};

std::string line_at(std::string_view text, int line) {
  std::istringstream lines{std::string(text)};
  std::string found;
  for (int i = 0; i < line && std::getline(lines, found); ++i) {
  }
  return found;
}

// What yaml-cpp says is about grammar; what people do wrong is mostly one of a few things.
SyntaxMistake explain(std::string_view text, const YAML::Exception& error, Position innermost) {
  Position position = position_of(error.mark);
  if (dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr) {
    return {position, "lists and sections within each other, too many levels deep"};
  }
  std::string message = "not YAML: " + error.msg;
  const bool list = error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
  if (list || error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) {
    position = innermost;
    message = std::string("not YAML: the ") + (list ? "[" : "{") + " here is never closed";
  }
  const std::string line = line_at(text, position.line);
  if (line.find("${") != std::string::npos && line.find_first_of("[{") < line.find("${")) {
    message += R"(; put quotes around a variable inside [ ] or { }, as ["${NAME}"])";
  } else if (line.find('\t') != std::string::npos) {
    message += "; indent with spaces, not with tabs";
  } else if (error.msg == YAML::ErrorMsg::MAP_VALUE) {
    message +=
        "; put quotes around a text that has a colon and a space in it, and check the "
        "indentation";
  }
  return {position, message};
}

// JSON writes a character beyond 16 bits as two halves (\ud83d\ude00), and YAML as a whole
// (\U0001f600). That is shorter, so blanks behind the text keep all else at its position.
std::string with_whole_characters(std::string_view json) {
  std::string yaml;
  std::size_t shorter = 0;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      yaml += json[at];
      if (json[at++] == '"') yaml.append(std::exchange(shorter, 0), ' ');
      continue;
    }
    const auto escaped = json_escape(json.substr(at));
    if (!escaped || escaped->character < 0x10000) {
      yaml += json.substr(at, 2);
      at += 2;
      continue;
    }
    char whole[11];
    std::snprintf(whole, sizeof whole, "\\U%08x", escaped->character);
    yaml += whole;
    shorter += escaped->size - 10;
    at += escaped->size;
  }
  return yaml;
}

}  // namespace

std::variant<Document, SyntaxMistake> parse_document(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (auto bad = find_bad_character(text)) return *bad;
  std::string whole;
  if (text.find("\\u") != text.npos && nlohmann::json::accept(text)) {
    whole = with_whole_characters(text);
    text = whole;
  }
  Builder builder(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return SyntaxMistake{{}, "the file is empty"};
    Builder second(text);
    if (parser.HandleNextDocument(second)) {
      return SyntaxMistake{second.start(),
                           "a second document begins here; a file holds one configuration"};
    }
    return builder.take();
  } catch (const NotTaken& refused) {
    return refused.mistake;
  } catch (const YAML::ParserException& error) {
    return explain(text, error, builder.innermost());
  } catch (const std::exception& error) {
    return SyntaxMistake{{}, std::string("cannot be read as YAML: ") + error.what()};
  }
}

}  // namespace einlass::config
