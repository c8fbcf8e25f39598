// docs/metrics.md names every metric of the page, and none besides.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/metrics/full_snapshot.h"
#include "adapters/metrics/page.h"

namespace einlass::metrics {
namespace {

constexpr char kBegin[] =
    "<!-- The table is written by EINLASS_WRITE_METRICS=1 adapters_metrics. -->\n";
constexpr char kEnd[] = "<!-- End of the table. -->\n";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path docs_page() {
  return std::filesystem::path(__FILE__).parent_path() / "../../../docs/metrics.md";
}

// The names of a sample's labels, but for the bound of a histogram's bucket.
std::string label_names(const std::string& sample) {
  std::string names;
  std::size_t at = sample.find('{');
  while (at != std::string::npos && at < sample.find('}')) {
    const std::size_t equals = sample.find('=', at);
    const std::string name = sample.substr(at + 1, equals - at - 1);
    if (name != "le") names += (names.empty() ? "`" : ", `") + name + "`";
    at = sample.find("\",", equals);
    if (at != std::string::npos) ++at;
  }
  return names;
}

struct Family {
  std::string name, kind, help, labels;
};

std::vector<Family> families_of(const std::string& page) {
  std::vector<Family> families;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, what, name, rest;
    words >> hash >> what >> name;
    std::getline(words >> std::ws, rest);
    if (what == "HELP") {
      families.push_back({name, "", rest, ""});
    } else if (what == "TYPE") {
      families.back().kind = rest;
    } else if (line[0] != '#') {
      families.back().labels = label_names(line);
    }
  }
  return families;
}

std::string table() {
  std::string text = "| name | kind | labels | meaning |\n|---|---|---|---|\n";
  for (const Family& it : families_of(render(full_snapshot()))) {
    text += "| `" + it.name + "` | " + it.kind + " | " + it.labels + " | " + it.help + " |\n";
  }
  return text;
}

TEST(Docs, NameEveryMetricWithItsKindLabelsAndMeaning) {
  std::string page = contents(docs_page());
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + std::string(kBegin).size();
  if (std::getenv("EINLASS_WRITE_METRICS") != nullptr) {
    page.replace(from, end - from, table());
    std::ofstream(docs_page()) << page;
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), table());
}

TEST(Docs, ReadLabelsRightly) {
  const std::string page =
      "# HELP a A b.\n# TYPE a histogram\na_bucket{x=\"1\",y=\"a,b\",le=\"3\"} 0\n"
      "# HELP b B.\n# TYPE b gauge\nb 1\n";
  const std::vector<Family> found = families_of(page);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].labels, "`x`, `y`");
  EXPECT_EQ(found[0].help, "A b.");
  EXPECT_EQ(found[1].kind, "gauge");
  EXPECT_EQ(found[1].labels, "");
}

}  // namespace
}  // namespace einlass::metrics
