#include "app/command_line.h"

#include <csignal>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "app/asking/healthcheck.h"
#include "app/asking/terminal.h"
#include "app/check.h"
#include "app/completion.h"
#include "app/configured_names.h"
#include "app/process/exit_codes.h"
#include "app/process/leaving.h"
#include "app/record/dead_story.h"
#include "app/run.h"
#include "app/setup/refused.h"
#include "app/verbs.h"
#include "config/file/located.h"
#include "config/file/read_config.h"
#include "config/file/warnings.h"
#include "config/tables/print_config.h"
#include "config/tables/schema.h"
#include "config/text/suggest.h"

namespace einlass::app {
namespace {

// The configuration, or nothing after every mistake was written to stderr, one a line.
std::optional<config::Config> load(const std::string& path) {
  auto read = config::read_config(path, config::process_environment());
  if (auto* config = std::get_if<config::Config>(&read)) return std::move(*config);
  for (const config::Mistake& mistake : std::get<config::Mistakes>(read)) {
    const std::string text = coloured_mistake(mistake.to_string(), takes_colours(stderr));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  return std::nullopt;
}

// Those for people.
std::vector<const CLI::App*> verbs_of(const CommandLine& line) {
  return line.app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

int no_such_verb(const CommandLine& line, const std::string& verb) {
  std::vector<std::string_view> known = {"--version"};
  for (const CLI::App* one : verbs_of(line)) known.push_back(one->get_name());
  const std::string meant = config::suggestion(verb, known).value_or("");
  std::fprintf(stderr, "einlass: there is no verb '%s'; %ssee einlass --help\n", verb.c_str(),
               meant.empty() ? "" : (meant + " Else ").c_str());
  return kExitUsage;
}

// The verb of that name; none if there is none for people.
const CLI::App* verb_named(const CommandLine& line, const std::string& name) {
  for (const CLI::App* verb : verbs_of(line)) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

// What may stand behind an option, where that is known; by the option's name.
std::vector<std::string> known_values(const std::string& name) {
  if (name == "--store") return {"memory", "redis"};
  if (name == "--reason") return {kReasons.begin(), kReasons.end()};
  if (name == "--from") return {"beginning"};
  return {};
}

// Names of what may stand behind an option, or nothing.
std::string configured(const std::string& verb, const std::string& option) {
  if (option == "--route") return "routes";
  if (option == "--target") return "targets";
  if (option == "--topic") return verb == "redrive" ? "dead-letter-topics" : "topics";
  if (option == "--limit" && (verb == "pause" || verb == "resume")) return "keyed-limits";
  return option == "--limits" ? "limits" : "";
}

std::vector<CompletedOption> completed_options(const CLI::App& verb,
                                               const std::string& verb_name) {
  std::vector<CompletedOption> options;
  // Options that exclude each other are in a group, which is a verb without a name.
  for (const CLI::App* group : verb.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CompletedOption& one : completed_options(*group, verb_name)) options.push_back(one);
  }
  for (const CLI::Option* option : verb.get_options()) {
    CompletedOption made;
    made.text = option->get_description();
    made.takes_value = option->get_expected_max() > 0;
    made.takes_file = option->get_type_name() == "FILE";
    const auto add = [&](const std::string& dashes, const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        made.name = dashes + name;
        made.values = known_values(made.name);
        made.names = configured(verb_name, made.name);
        options.push_back(made);
      }
    };
    add("-", option->get_snames());
    add("--", option->get_lnames());
  }
  return options;
}

std::vector<CompletedVerb> completed_verbs(const CommandLine& line) {
  std::vector<CompletedVerb> verbs;
  for (const CLI::App* verb : verbs_of(line)) {
    verbs.push_back(
        {verb->get_name(), verb->get_description(), completed_options(*verb, verb->get_name())});
    if (verb->get_name() == "completion") verbs.back().arguments = kShells;
    if (verb->get_name() == "quota") verbs.back().names = "quotas";
    for (const CLI::App* part : verb->get_subcommands([](const CLI::App*) { return true; })) {
      if (!part->get_name().empty()) verbs.back().arguments.push_back(part->get_name());
    }
  }
  std::vector<std::string> names;
  for (const CompletedVerb& verb : verbs) names.push_back(verb.name);
  for (CompletedVerb& verb : verbs) {
    if (verb.name == "help") verb.arguments = names;
  }
  return verbs;
}

int print_completion(const CommandLine& line) {
  const std::vector<CompletedVerb> verbs = completed_verbs(line);
  const std::string script = line.shell == "bash"  ? bash_completion(verbs)
                             : line.shell == "zsh" ? zsh_completion(verbs)
                                                   : fish_completion(verbs);
  std::printf("%s", script.c_str());
  return kExitDone;
}

int explain(const CommandLine& line) {
  if (line.help_verb.empty()) {
    // Of one that has read nothing: this one would explain the verb that it found.
    std::printf("%s", CommandLine().app.help().c_str());
    return kExitDone;
  }
  const CLI::App* verb = verb_named(line, line.help_verb);
  if (verb == nullptr) return no_such_verb(line, line.help_verb);
  std::printf("%s", verb->help("einlass").c_str());
  for (const CLI::App* part :
       verb->get_subcommands([](const CLI::App* it) { return !it->get_name().empty(); })) {
    std::printf("\n%s", part->help("einlass " + verb->get_name()).c_str());
  }
  return kExitDone;
}

int with_config(const CommandLine& line, const std::function<int(const config::Config&)>& work) {
  const auto config = load(line.path);
  return config ? work(*config) : kExitConfig;
}

int print_names(const CommandLine& line) {
  return with_config(line, [&](const config::Config& config) {
    for (const std::string& name : configured_names(config, line.names)) {
      std::printf("%s\n", name.c_str());
    }
    return kExitDone;
  });
}

int quota(const config::Config& config, const CommandLine& line) {
  const std::string verb = line.app.get_subcommand("quota")->get_subcommands()[0]->get_name();
  if (verb == "get") return get_quota(config, line.quota);
  if (verb == "set") return set_quota(config, line.quota);
  return verb == "unset" ? unset_quota(config, line.quota) : list_quotas(config, line.quota);
}

int dispatch(CommandLine& line) {
  if (line.app.got_subcommand("help")) return explain(line);
  if (line.app.got_subcommand("completion")) return print_completion(line);
  if (line.app.got_subcommand(kCompleteVerb)) return print_names(line);
  if (line.app.got_subcommand("demo")) demo(line.demo);
  if (line.app.got_subcommand(kDemoBrokerVerb)) return demo_broker(line.demo);
  if (line.app.got_subcommand("run")) {
    const auto mark = line.watch ? net::mark_of(line.path) : std::nullopt;  // Before it is read.
    return with_config(line,
                       [&](const config::Config& config) -> int { run(line.path, config, mark); });
  }
  if (line.app.got_subcommand("healthcheck")) return with_config(line, healthcheck);
  if (line.app.got_subcommand("redrive")) {
    return with_config(line, [&](const config::Config& config) -> int {
      redrive(line.path, config, line.redrive);
    });
  }
  if (line.app.got_subcommand("top")) {
    return with_config(line, [&](const config::Config& config) { return top(config, line.top); });
  }
  if (line.app.got_subcommand("why")) {
    return with_config(
        line, [&](const config::Config& config) -> int { leave(ask_why(config, line.why)); });
  }
  if (line.app.got_subcommand("quota")) {
    return with_config(line, [&](const config::Config& config) { return quota(config, line); });
  }
  if (line.app.got_subcommand("pause")) {
    return with_config(line,
                       [&](const config::Config& config) { return pause(config, line.pause); });
  }
  if (line.app.got_subcommand("resume")) {
    return with_config(line,
                       [&](const config::Config& config) { return resume(config, line.pause); });
  }
  if (line.app.got_subcommand("replay")) {
    line.replay.in_redis = line.store == "redis";
    return with_config(line,
                       [&](const config::Config& config) { return replay(config, line.replay); });
  }
  if (line.app.got_subcommand("print-schema")) {
    std::printf("%s", config::json_schema().c_str());
    return kExitDone;
  }
  if (line.app.got_subcommand("print-config")) {
    return with_config(line, [](const config::Config& config) {
      std::printf("%s", config::print_config(config).c_str());
      return kExitDone;
    });
  }
  return with_config(line, [&](const config::Config& config) {
    const std::string refusals = refused_clients(config) + "\n" + refused_files(config) + "\n" +
                                 refused_files_of_redis(config);
    const std::string mistakes = config::located(config, line.path, refusals);
    if (!mistakes.empty()) {
      std::fprintf(stderr, "%s\n", mistakes.c_str());
      return kExitConfig;
    }
    for (const std::string& warning : config::warnings(config, line.path)) {
      std::fprintf(stderr, "%s\n", warning.c_str());
    }
    std::printf("%s: the configuration is good\n", line.path.c_str());
    if (!line.connect) return kExitDone;
    leave(check_connections(config));
  });
}

}  // namespace

int run_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // Who reads our output may go; that must not end the gate.
  CommandLine line;
  // Told here, for the parser would only say that a verb is missing.
  const std::string verb = argc > 1 ? argv[1] : "";
  const bool is_hidden = verb == kDemoBrokerVerb || verb == kCompleteVerb;
  if (!verb.empty() && verb[0] != '-' && !is_hidden && verb_named(line, verb) == nullptr) {
    return no_such_verb(line, verb);
  }
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and the version come this way too, with 0.
    return line.app.exit(error) == 0 ? with_output(kExitDone) : kExitUsage;
  }
  return with_output(dispatch(line));
}

}  // namespace einlass::app
