#include "config/change_limit.h"

#include <algorithm>
#include <vector>

#include "config/parameters.h"
#include "config/suggest.h"
#include "config/tables.h"
#include "limits/refusal.h"

namespace einlass::config {
namespace {

using Names = std::vector<std::string_view>;

bool is_in(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Names kFixed = {"algorithm", "align", "log", "mode"};

bool is_duration(std::string_view parameter) {
  const auto row = std::ranges::find(kLimit, parameter, &Row<Limit>::name);
  return row != kLimit.end() && row->field.kind == Kind::duration;
}

// The limit's section as it would stand in a file after the changes.
class ChangedSection {
 public:
  ChangedSection(const limits::Limit& limit, const ChangePlace& place)
      : reading_(place.file, no_variables()), path_("limit." + limit.name), place_(place) {
    root_.kind = Node::Kind::map;
    root_.place = {place.line, place.column};
    for (const std::string_view name : parameter_names(limit.parameters)) {
      if (!is_in(name, kFixed)) open_.push_back(name);
    }
    for (const WrittenOption& one : written(limit.parameters)) {
      write(one.path.back(), one.value, root_.place);
    }
  }

  void change(const Change& change) {
    const Place at{place_.line, change.column};
    const Place named{place_.line, change.name_column};
    const std::string path = below(path_, change.name);
    if (is_in(change.name, kFixed)) {
      reading_.wrong(named, path, "cannot change while the limit is in use");
    } else if (!is_in(change.name, open_)) {
      reading_.wrong(named, path,
                     "is no parameter of this limit; " +
                         suggestion(change.name, open_).value_or("known here: " + either(open_)));
    } else if (change.number && is_duration(change.name)) {
      write(change.name, change.value + "us", at);
    } else {
      write(change.name, change.value, at);
    }
  }

  std::variant<limits::Parameters, Mistakes> read(Permits cost) {
    Section section(reading_, &root_, path_, names_in(kLimit));
    const auto parameters = read_parameters(section);
    if (parameters) {
      if (const auto refusal = limits::refusal(*parameters, cost)) {
        const std::string name = refusal->substr(0, refusal->find(' '));
        const bool own = is_in(name, open_);  // A refusal begins with what it is about.
        reading_.wrong(own ? section.place_of(name) : root_.place, own ? below(path_, name) : path_,
                       *refusal);
      }
    }
    Mistakes mistakes = reading_.take_mistakes();
    if (!mistakes.empty()) return mistakes;
    return *parameters;
  }

 private:
  // A trace is data: nothing in it stands for a variable.
  static const Environment& no_variables() {
    static const Environment kNone = [](const std::string&) { return std::nullopt; };
    return kNone;
  }

  void write(const std::string& name, const std::string& value, Place place) {
    Node& node = document_.nodes.emplace_back();
    node.kind = Node::Kind::scalar;
    node.place = place;
    node.text = value;
    for (Entry& entry : root_.entries) {
      if (entry.name != name) continue;
      entry.value = &node;
      return;
    }
    root_.entries.push_back({place, name, &node});
  }

  Reading reading_;
  std::string path_;
  ChangePlace place_;
  Document document_;
  Node root_;
  Names open_;  // What may change.
};

}  // namespace

std::variant<limits::Parameters, Mistakes> changed(const limits::Limit& limit,
                                                   std::span<const Change> changes,
                                                   const ChangePlace& place) {
  ChangedSection section(limit, place);
  for (const Change& change : changes) section.change(change);
  return section.read(limit.cost_from_record ? Permits{1} : limit.cost);
}

}  // namespace einlass::config
