#include "app/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "app/asking/healthcheck.h"
#include "app/asking/steering_verbs.h"
#include "app/asking/terminal.h"
#include "app/asking/top.h"
#include "app/asking/why_verb.h"
#include "app/check.h"
#include "app/completion.h"
#include "app/demo/demo.h"
#include "app/record/dead_story.h"
#include "app/redrive/redrive.h"
#include "app/replay/replay.h"
#include "app/run.h"
#include "app/setup/exit_codes.h"
#include "app/setup/refused.h"
#include "config/placed.h"
#include "config/print_config.h"
#include "config/read_config.h"
#include "config/schema.h"
#include "config/suggest.h"
#include "config/warnings.h"

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

// A verb with -c FILE, or FILE alone, that does something with the configuration.
CLI::App* add_config_verb(CLI::App& app, const std::string& name, const std::string& text,
                          std::string& path) {
  CLI::App* verb = app.add_subcommand(name, text);
  verb->add_option("-c,--config,FILE", path, "The configuration file")
      ->required()
      ->type_name("FILE");
  return verb;
}

const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

constexpr const char* kReplayFooter =
    "A line of the trace is an instant in microseconds, never going back, and one verb:\n"
    "  {\"at\": 0, \"acquire\": {\"min\": 1, \"max\": 3, \"horizon\": 0, \"cost\": 1,\n"
    "                        \"keys\": {\"per_tenant\": \"acme\"}, \"id\": \"a\"}}\n"
    "  {\"at\": 5, \"release\": {\"id\": \"a\", \"count\": 1}}   unused permits go back, the last "
    "first\n"
    "  {\"at\": 5, \"ended\": {\"id\": \"a\"}}                 an attempt is over (concurrency)\n"
    "  {\"at\": 9, \"peek\": {}}                            what is free now\n"
    "  {\"at\": 9, \"limit\": {\"per_tenant\": {\"burst\": 50}}}   changed parameters\n"
    "All of acquire may be left out; min is 1 then, max is min, horizon and cost are the limits'\n"
    "own. An id that comes again within 10 s is the same ask sent again: it gets the same "
    "permits.\n"
    "Each line is answered by one, where due and retry are microseconds after the ask:\n"
    "  {\"granted\": 2, \"due\": [0, 0], \"reason\": null, \"retry\": null, \"remaining\": {...}}\n"
    "  {\"granted\": 0, \"due\": [], \"reason\": \"per_tenant\", \"retry\": 49990, \"remaining\": "
    "{...}}";

constexpr const char* kRedriveFooter =
    "It ends where the topic ended when it began, and begins where the last redrive of the topic\n"
    "ended: --from beginning starts over. What is delivered carries the Idempotency-Key that the\n"
    "record had at first; what is refused again comes to the dead letter topic again.\n"
    "Places to begin:\n"
    "  beginning              the oldest dead letter that Kafka has\n"
    "  1200                   that offset, in every partition\n"
    "  0:1200,2:77            those offsets, and only those partitions\n"
    "  2026-11-21T10:00:00Z   what came into the topic then or later (or +01:00 for Z)";

struct CommandLine {
  CLI::App app{
      "Einlass, an admission gate for Kafka: each record reaches its server only once it "
      "holds a permit from a rate limiter.",
      "einlass"};
  std::string path;
  std::string help_verb;
  std::string store = "memory";
  bool connect = false;
  DemoOptions demo;
  ReplayOptions replay;
  RedriveOptions redrive;
  WhyOptions why;
  TopOptions top;
  QuotaOptions quota;
  PauseOptions pause;
  std::string shell;

  CommandLine() {
    app.set_version_flag("--version", std::string("einlass " EINLASS_VERSION));
    app.require_subcommand(1);
    app.footer(
        "A configuration to start from: config/gate.yaml\n"
        "Exit codes: 0 done, 1 failed while working, 64 wrong usage, 78 wrong config.");
    add_config_verb(app, "run", "Run the gate until SIGTERM or SIGINT, then drain and leave", path);
    add_config_verb(app, "check", "Check the configuration", path)
        ->add_flag("--connect", connect, "Also try Kafka, Redis and every target");
    add_config_verb(app, "print-config",
                    "Print the configuration as understood: defaults filled in, secrets as \"***\"",
                    path);
    app.add_subcommand("print-schema", "Print the JSON Schema of the configuration, for editors");
    add_config_verb(app, "healthcheck",
                    "Ask the gate that runs with it whether its loops turn; exit code 1 if not",
                    path);
    add_config_verb(app, "top", "Show what the running gate does, live", path)
        ->add_flag("--once", top.once, "One picture, and away");
    add_why_options(add_config_verb(app, "why", "Ask the running gate why a record waits", path));
    add_quota_verbs(
        app.add_subcommand("quota", "Show or change what one key has of a limit, for all gates"));
    add_pause_options(add_config_verb(
        app, "pause", "Let nothing of a route, target, topic or key pass, for all gates", path));
    add_subject_options(add_config_verb(app, "resume", "Let it pass again", path));
    add_replay_options(
        add_config_verb(app, "replay", "Run a trace of asks through some of the limits", path));
    add_redrive_options(add_config_verb(
        app, "redrive", "Send a dead letter topic through the same limits again", path));
    add_demo_options(app.add_subcommand(
        "demo", "Show it at work, with a broker, a limit and a receiver of its own"));
    app.add_subcommand("completion", "Print a script that completes our command line in a shell")
        ->add_option("SHELL", shell, "Which one")
        ->required()
        ->check(CLI::IsMember(kShells));
    app.add_subcommand("help", "Explain a verb")->add_option("VERB", help_verb, "Which one");
    CLI::App* broker = app.add_subcommand(kDemoBrokerVerb, "");
    broker->group("");  // Hidden: a process of the demo's own.
    add_demo_options(broker);
  }

  void add_why_options(CLI::App* verb) {
    CLI::Option* topic = verb->add_option("--topic", why.topic, "The record's topic");
    CLI::Option* partition = verb->add_option("--partition", why.partition, "Its partition");
    CLI::Option* offset = verb->add_option("--offset", why.offset, "Its offset");
    CLI::Option* key = verb->add_option(
        "--key", why.key, "All records with this key: their own, or the one that a limit takes");
    partition->check(CLI::NonNegativeNumber);
    offset->check(CLI::NonNegativeNumber);
    topic->type_name("NAME")->needs(partition)->needs(offset)->excludes(key);
    partition->needs(topic)->excludes(key);
    offset->needs(topic)->excludes(key);
    key->type_name("TEXT");
    verb->add_flag("--json", why.json, "Print the answer of /v1/why as it is");
    verb->footer("Name one record by --topic, --partition and --offset, or several by --key.");
    verb->callback([this] {
      if (why.topic.empty() && !why.key) {
        throw CLI::ValidationError("why",
                                   "name a record by --topic, --partition and --offset, or --key");
      }
    });
  }

  void add_quota_verbs(CLI::App* quota_verb) {
    quota_verb->require_subcommand(1);
    const auto add = [&](const char* name, const char* text) {
      CLI::App* verb = quota_verb->add_subcommand(name, text);
      verb->add_option("-c,--config", path, "The configuration file")
          ->required()
          ->type_name("FILE");
      return verb;
    };
    const auto add_names = [this](CLI::App* verb) {
      verb->add_option("LIMIT", quota.limit, "The limit's name")->required();
      verb->add_option("KEY", quota.key, "One of its keys")->required();
      return verb;
    };
    add_names(add("get", "Show the quota of a key"));
    CLI::App* set = add_names(add("set", "Give a key other values than the limit's"));
    set->add_option("VALUES", quota.values, "As limit=500 window=1s; the rest is the limit's own")
        ->required()
        ->type_name("NAME=VALUE");
    add_length(set, quota.length, quota.note);
    add_names(add("unset", "Give it the limit's values again"));
    CLI::App* list = add("list", "Show all quotas");
    list->add_option("LIMIT", quota.limit, "Only those of this limit");
    list->add_flag("--json", quota.json, "Print the answers of /v1/quotas as they are");
  }

  static void add_length(CLI::App* verb, std::string& length, std::string& note) {
    verb->add_option("--for", length, "It ends by itself after this time")->type_name("DURATION");
    verb->add_option("--note", note, "Why, for whoever looks")->type_name("TEXT");
  }

  void add_subject_options(CLI::App* verb) {
    CLI::Option_group* what = verb->add_option_group("What");
    what->add_option("--route", pause.route, "This route")->type_name("NAME");
    what->add_option("--target", pause.target, "All routes of this target")->type_name("NAME");
    what->add_option("--topic", pause.topic, "This topic: it is read no further")
        ->type_name("TOPIC");
    CLI::Option* limit =
        what->add_option("--limit", pause.limit, "With --key: the records with that key of it")
            ->type_name("NAME");
    CLI::Option* key = verb->add_option("--key", pause.key, "The key")->type_name("TEXT");
    key->needs(limit);
    limit->needs(key);
    if (verb->get_name() == "pause") what->add_flag("--list", pause.list, "Show what is paused");
    what->require_option(1);
  }

  void add_pause_options(CLI::App* verb) {
    add_subject_options(verb);
    add_length(verb, pause.length, pause.note);
  }

  void add_replay_options(CLI::App* verb) {
    verb->add_option("--limits", replay.limits, "The limits to ask, in the order of blame")
        ->required()
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,NAME");
    verb->add_option("--trace", replay.trace, "The trace, one JSON object a line; - is stdin")
        ->required()
        ->type_name("FILE");
    verb->add_option("--store", store,
                     "Where the buckets are: in this process, or in the Redis "
                     "of the configuration, under keys of their own")
        ->capture_default_str()
        ->check(CLI::IsMember({"memory", "redis"}));
    verb->footer(kReplayFooter);
  }

  void add_redrive_options(CLI::App* verb) {
    CLI::Option_group* topic = verb->add_option_group("Which topic");
    topic->add_option("--route", redrive.route, "The dead letter topic of this route")
        ->type_name("NAME");
    topic->add_option("--topic", redrive.topic, "This topic, whichever route it belongs to")
        ->type_name("TOPIC");
    topic->require_option(1);
    verb->add_option_function<std::string>(
            "--from", [this](const std::string& text) { redrive.from = from_named(text); },
            "Where to begin (default: where the last redrive ended)")
        ->type_name("PLACE");
    verb->add_option("--reason", redrive.reasons, "Only what died of these; the rest is skipped")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,NAME")
        ->check(CLI::IsMember(std::vector<std::string>(kReasons.begin(), kReasons.end())));
    verb->add_option("--partition", redrive.partition, "Only this partition of the topic")
        ->check(CLI::NonNegativeNumber);
    verb->add_option("--limit", redrive.most_sent, "End after so many were sent")
        ->type_name("COUNT")
        ->check(CLI::PositiveNumber);
    verb->add_flag("--dry-run", redrive.dry_run, "Send and commit nothing; say what would be sent");
    verb->footer(kRedriveFooter);
  }

  static From from_named(const std::string& text) {
    auto read = parse_from(text);
    if (const auto* wrong = std::get_if<std::string>(&read)) {
      throw CLI::ValidationError("--from", *wrong);
    }
    return std::get<From>(read);
  }

  void add_demo_options(CLI::App* verb) {
    verb->add_option("--seconds", demo.seconds, "How long records are produced")
        ->capture_default_str()
        ->check(CLI::Range(2, 600));
    verb->add_option("--limit", demo.limit, "Records per second that may pass")
        ->capture_default_str()
        ->check(CLI::Range(10, 5000));
  }
};

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

std::vector<CompletedOption> completed_options(const CLI::App& verb) {
  std::vector<CompletedOption> options;
  // Options that exclude each other are in a group, which is a verb without a name.
  for (const CLI::App* group : verb.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CompletedOption& one : completed_options(*group)) options.push_back(one);
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
    verbs.push_back({verb->get_name(), verb->get_description(), completed_options(*verb)});
    if (verb->get_name() == "completion") verbs.back().arguments = kShells;
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
  return kExitDone;
}

// The code; or that it failed after all, where what was printed did not arrive.
int with_output(int code) {
  if (code != kExitDone || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  std::fprintf(stderr, "einlass: stdout: %s\n", std::strerror(errno));
  return kExitFailed;
}

int with_config(const CommandLine& line, const std::function<int(const config::Config&)>& work) {
  const auto config = load(line.path);
  return config ? work(*config) : kExitConfig;
}

int dispatch(CommandLine& line) {
  if (line.app.got_subcommand("help")) return explain(line);
  if (line.app.got_subcommand("completion")) return print_completion(line);
  if (line.app.got_subcommand("demo")) return demo(line.demo);
  if (line.app.got_subcommand(kDemoBrokerVerb)) return demo_broker(line.demo);
  if (line.app.got_subcommand("run")) {
    return with_config(line, [&](const config::Config& config) { return run(line.path, config); });
  }
  if (line.app.got_subcommand("healthcheck")) return with_config(line, healthcheck);
  if (line.app.got_subcommand("redrive")) {
    return with_config(line,
                       [&](const config::Config& config) { return redrive(config, line.redrive); });
  }
  if (line.app.got_subcommand("top")) {
    return with_config(line, [&](const config::Config& config) { return top(config, line.top); });
  }
  if (line.app.got_subcommand("why")) {
    return with_config(line,
                       [&](const config::Config& config) { return ask_why(config, line.why); });
  }
  if (line.app.got_subcommand("quota")) {
    return with_config(line, [&](const config::Config& config) {
      const std::string verb = line.app.get_subcommand("quota")->get_subcommands()[0]->get_name();
      if (verb == "get") return get_quota(config, line.quota);
      if (verb == "set") return set_quota(config, line.quota);
      return verb == "unset" ? unset_quota(config, line.quota) : list_quotas(config, line.quota);
    });
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
    std::string refusal = refused_by_kafka(config);
    if (refusal.empty()) refusal = refused_files(config);
    if (!refusal.empty()) {
      std::fprintf(stderr, "%s\n", config::placed(line.path, refusal).c_str());
      return kExitConfig;
    }
    for (const std::string& warning : config::warnings(config, line.path)) {
      std::fprintf(stderr, "%s\n", warning.c_str());
    }
    std::printf("%s: the configuration is good\n", line.path.c_str());
    if (!line.connect) return kExitDone;
    const int code = with_output(check_connections(config));
    // Threads of librdkafka may still be ending, and use what OpenSSL takes down with the process.
    std::fflush(nullptr);
    _exit(code);
  });
}

}  // namespace

int run_command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // Who reads our output may go; that must not end the gate.
  CommandLine line;
  // Told here, for the parser would only say that a verb is missing.
  if (argc > 1 && argv[1][0] != '-' && argv[1] != std::string(kDemoBrokerVerb) &&
      verb_named(line, argv[1]) == nullptr) {
    return no_such_verb(line, argv[1]);
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
