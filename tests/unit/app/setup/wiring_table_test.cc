// Every option on its way: it goes into a file with a value unlike its default, the program's own
// reader and wiring run, and what comes out is compared with what was to arrive at its part. And
// without it: the default of the table of options is what the part has.
//
// The table of options drives it, so that no option can be forgotten. What is wrong here is an
// option that is read and goes nowhere, or elsewhere; what its part makes of it other tests know.
#include "unit/app/setup/wiring_table.h"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <variant>

#include "config/file/read_config.h"
#include "config/tables/options.h"
#include "unit/app/setup/wiring_rows_of_limits.h"
#include "unit/app/setup/wiring_rows_of_routes.h"
#include "unit/app/setup/wiring_rows_of_service.h"
#include "unit/app/setup/wiring_rows_of_targets.h"

namespace einlass::app::wiring_table {
namespace {

std::string path_of(const config::Option& option) {
  const std::string section(option.section);
  return section.empty() ? std::string(option.name) : section + "." + std::string(option.name);
}

const std::vector<Row>& all_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> rows = rows_of_service();
    for (const auto& part : {rows_of_limits(), rows_of_targets(), rows_of_routes(),
                             rows_of_shares(), rows_of_filters()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

// Writes the value (an empty one: removes what is there) to where the path leads, through the first
// item of each list and of each map whose names are the user's.
void put(YAML::Node node, std::string_view path, const std::string& value) {
  const std::string name(path.substr(0, path.find('.')));
  if (name == "NAME") {
    put(node.begin()->second, path.substr(name.size() + 1), value);
  } else if (name.size() == path.size()) {
    value.empty() ? void(node.remove(name)) : void(node[name] = YAML::Load(value));
  } else if (name.ends_with("[]")) {
    put(node[name.substr(0, name.size() - 2)][0], path.substr(name.size() + 1), value);
  } else {
    if (!node[name]) node[name] = YAML::Node(YAML::NodeType::Map);
    put(node[name], path.substr(name.size() + 1), value);
  }
}

struct Written {
  std::string option, value;  // An empty option: none.
};

// What is seen of the configuration; the reader's first complaint where it does not take it.
std::string seen(const Row& row, const Written& written) {
  YAML::Node file = YAML::Load(row.around);
  if (!written.option.empty()) put(file, written.option, written.value);
  const auto read = config::parse_config(YAML::Dump(file), row.option,
                                         [](const std::string&) { return std::nullopt; });
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) {
    return "refused: " + mistakes->front().to_string();
  }
  return row.seen(std::get<config::Config>(read));
}

// What is to be seen without it. None: the option is required.
std::optional<std::string> default_of(const Row& row) {
  if (row.without) return row.without;
  for (const config::Option& option : config::all_options()) {
    if (path_of(option) != row.option) continue;
    if (option.default_value == "required") return std::nullopt;
    if (option.default_value == "none") return "";
    return std::string(option.default_value);
  }
  return "an option of the table";
}

Written beside(const Row& row) {
  if (row.beside.first.empty()) return {};
  const std::string section = row.option.substr(0, row.option.rfind('.') + 1);
  return {section + row.beside.first, row.beside.second};
}

TEST(WiringTable, each_option_arrives_at_its_part) {
  for (const Row& row : all_rows()) {
    EXPECT_EQ(seen(row, {row.option, row.value}), row.arrives.value_or(row.value)) << row.option;
  }
}

TEST(WiringTable, without_it_the_part_has_the_default_of_the_table_of_options) {
  for (const Row& row : all_rows()) {
    const auto expected = default_of(row);
    if (!expected) continue;
    EXPECT_EQ(seen(row, beside(row)), *expected) << row.option;
    EXPECT_NE(row.arrives.value_or(row.value), *expected)
        << row.option << ": with a default nothing is seen of it";
  }
}

// A section is held by the options in it.
TEST(WiringTable, no_option_is_forgotten) {
  std::set<std::string> sections, rows;
  for (const config::Option& option : config::all_options()) {
    sections.insert(std::string(option.section));
  }
  for (const Row& row : all_rows()) rows.insert(row.option);
  std::size_t compared = 0, held = 0;
  for (const config::Option& option : config::all_options()) {
    const std::string path = path_of(option);
    const bool by_those_in_it = sections.contains(path) || sections.contains(path + ".NAME") ||
                                sections.contains(path + "[]");
    compared += rows.erase(path);
    const bool has_row = std::any_of(all_rows().begin(), all_rows().end(),
                                     [&](const Row& row) { return row.option == path; });
    held += !has_row && by_those_in_it;
    EXPECT_TRUE(has_row || by_those_in_it) << path << " has no row: say where it is to arrive";
  }
  for (const std::string& row : rows) ADD_FAILURE() << row << " is no option";
  std::printf("%zu options: %zu compared by %zu rows, %zu sections held by what is in them\n",
              config::all_options().size(), compared, all_rows().size(), held);
}

}  // namespace
}  // namespace einlass::app::wiring_table
