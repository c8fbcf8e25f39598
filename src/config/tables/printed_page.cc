#include "config/tables/printed_page.h"

#include "config/text/yaml_text.h"

namespace einlass::config {
namespace {

// Quoted, for a star alone would be something else in YAML.
constexpr std::string_view kHidden = "\"***\"";

}  // namespace

void PrintedPage::begin(std::string_view name, const OptionTraits& option) {
  name_ = name;
  is_live_ = option.is_live;
  is_required_ = !option.advice.empty();
}

void PrintedPage::text(const std::string& value) {
  if (!value.empty() || is_required_) add(name_, yaml_value(value), value);
}

void PrintedPage::list(const std::vector<std::string>& values) { list_hiding(values, ""); }

void PrintedPage::text_hiding(const std::string& shown, const std::string& hidden) {
  add(name_, yaml_value(shown), shown + " " + hidden);
}

void PrintedPage::list_hiding(const std::vector<std::string>& shown, const std::string& hidden) {
  add(name_, yaml_list(shown), yaml_list(shown) + hidden);
}

void PrintedPage::secret(const FileSecret& secret) {
  if (!secret.file.empty()) {
    add(std::string(name_) + "_file", yaml_value(secret.file), secret.file + " " + secret.value);
  } else if (!secret.value.empty()) {
    add(name_, std::string(kHidden), secret.value);
  }
}

void PrintedPage::free_text(std::string_view name, const std::string& value, bool is_secret) {
  add(name, is_secret ? std::string(kHidden) : yaml_value(value), value);
}

void PrintedPage::open(const std::string& name) {
  line(yaml_key(name) + ":");
  indent_ += 2;
  path_.push_back(name);
}

void PrintedPage::open_item(const std::string& name) {
  dash_ = true;
  indent_ += 2;
  path_.push_back(name);
}

void PrintedPage::close() {
  path_.pop_back();
  indent_ -= 2;
}

void PrintedPage::add(std::string_view name, const std::string& shown, const std::string& value) {
  line(yaml_key(name) + ": " + shown);
  options_.push_back({path_, shown, value, is_live_});
  options_.back().path.emplace_back(name);
}

void PrintedPage::line(const std::string& content) {
  text_ += std::string(indent_ - (dash_ ? 2 : 0), ' ') + (dash_ ? "- " : "") + content + "\n";
  dash_ = false;
}

}  // namespace einlass::config
