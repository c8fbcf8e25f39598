#include "app/verbs.h"

#include <string>
#include <variant>

#include "app/configured_names.h"
#include "app/record/dead_story.h"

namespace einlass::app {
namespace {

// A verb with -c FILE, or FILE alone, that does something with the configuration.
CLI::App* add_config_verb(CLI::App& app, const std::string& name, const std::string& text,
                          std::string& path) {
  CLI::App* verb = app.add_subcommand(name, text);
  verb->add_option("-c,--config,FILE", path, "The configuration file")
      ->required()
      ->type_name("FILE");
  return verb;
}

constexpr const char* kWhyUnset = "Why, for the log";

void add_note(CLI::App* verb, std::string& note, const char* text) {
  verb->add_option("--note", note, text)->type_name("TEXT");
}

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
    "own. An id that comes again within 10 s is the same request sent again: it gets the same\n"
    "permits.\n"
    "Each line is answered by one, where due and retry are microseconds after the request:\n"
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

// One line, as any error.
std::string usage_error(const CLI::App* app, const CLI::Error& error) {
  std::string verb;
  for (auto parsed = app->get_subcommands(); !parsed.empty();) {
    const CLI::App* part = parsed.front();
    if (!part->get_name().empty()) verb += " " + part->get_name();
    parsed = part->get_subcommands();
  }
  return std::string("einlass: ") + error.what() + "; see einlass" + verb + " --help\n";
}

}  // namespace

CommandLine::CommandLine()
    : app("Einlass, a rate-limited bridge from Kafka to HTTP: a record is delivered only when a "
          "rate limiter grants it a permit.",
          "einlass") {
  app.set_version_flag("--version", std::string("einlass " EINLASS_VERSION));
  app.require_subcommand(1);
  app.failure_message(usage_error);
  app.footer(
      "A configuration to start from: config/gate.yaml, or /etc/einlass/gate.yaml of the package\n"
      "Exit codes: 0 done, 1 failed while working, 64 wrong usage, 78 wrong config, 134 a bug in\n"
      "Einlass, 128 + n ended at once by a second signal n.");
  add_config_verb(app, "run", "Run the gate until SIGTERM or SIGINT, then drain and leave", path)
      ->add_flag("--watch-config", watch, "Reload when the configuration's file has changed");
  add_config_verb(app, "check", "Check the configuration", path)
      ->add_flag("--connect", connect, "Also connect to Kafka, Redis and every target");
  add_config_verb(app, "print-config",
                  "Print the configuration as understood: defaults filled in, secrets as \"***\"",
                  path);
  app.add_subcommand("print-schema", "Print the JSON Schema of the configuration, for editors");
  add_config_verb(app, "healthcheck",
                  "Ask the gate that runs with it whether its event loops run; exit code 1 if not",
                  path);
  add_config_verb(app, "top", "Show what the running gate is doing, live", path)
      ->add_flag("--once", top.once, "Print one screen and exit");
  add_why_options(add_config_verb(app, "why", "Ask the running gate why a record waits", path));
  add_quota_verbs(app.add_subcommand(
      "quota", "Show or change what one key has of a limit, or a flow's weight, for all gates"));
  add_pause_options(add_config_verb(
      app, "pause", "Stop deliveries of a route, target, topic or key, at all gates", path));
  CLI::App* resume = add_config_verb(app, "resume", "Deliver again what was paused", path);
  add_subject_options(resume);
  add_note(resume, pause.note, kWhyUnset);
  add_replay_options(
      add_config_verb(app, "replay", "Run recorded requests through limits, offline", path));
  add_redrive_options(add_config_verb(
      app, "redrive", "Send a dead letter topic through the same limits again", path));
  add_demo_options(app.add_subcommand(
      "demo", "A demonstration with a mock Kafka and a receiver; needs nothing else"));
  app.add_subcommand("completion", "Print a script that completes our command line in a shell")
      ->add_option("SHELL", shell, "Which one")
      ->required()
      ->check(CLI::IsMember(kShells));
  app.add_subcommand("help", "Explain a verb")->add_option("VERB", help_verb, "Which one");
  CLI::App* complete = app.add_subcommand(kCompleteVerb, "");
  complete->group("");
  complete->add_option("-c,--config", path, "")->required();
  complete->add_option("NAMES", names, "")->required()->check(CLI::IsMember(kNameKinds));
  CLI::App* broker = app.add_subcommand(kDemoBrokerVerb, "");
  broker->group("");  // Hidden: a process of the demo's own.
  add_demo_options(broker);
}

void CommandLine::add_why_options(CLI::App* verb) {
  CLI::Option* topic = verb->add_option("--topic", why.topic, "The record's topic");
  CLI::Option* partition = verb->add_option("--partition", why.partition, "Its partition");
  CLI::Option* offset = verb->add_option("--offset", why.offset, "Its offset");
  // By a function, for an optional text that is empty would count as none: records without a key
  // have the empty one at a limit.
  CLI::Option* key = verb->add_option_function<std::string>(
      "--key", [this](const std::string& text) { why.key = text; },
      "All records with this key: their own, or the one that a limit takes");
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

void CommandLine::add_quota_verbs(CLI::App* quota_verb) {
  quota_verb->require_subcommand(1);
  const auto add = [&](const char* name, const char* text) {
    CLI::App* verb = quota_verb->add_subcommand(name, text);
    verb->add_option("-c,--config", path, "The configuration file")->required()->type_name("FILE");
    return verb;
  };
  const auto add_names = [this](CLI::App* verb) {
    verb->add_option("LIMIT", quota.limit, "The limit's name, or share:NAME")->required();
    verb->add_option("KEY", quota.key, "One of its keys, or of the share's flows")->required();
    return verb;
  };
  add_names(add("get", "Show the quota that was set for a key"));
  CLI::App* set =
      add_names(add("set", "Give a key other values than the limit's, or a flow another weight"));
  set->add_option("VALUES", quota.values,
                  "As limit=500 window=1s; the rest is the limit's own. Or weight=5")
      ->required()
      ->type_name("NAME=VALUE");
  add_length(set, quota.length, quota.note);
  add_note(add_names(add("unset", "Give it the values of the limit, or of the file, again")),
           quota.note, kWhyUnset);
  CLI::App* list = add("list", "Show all quotas");
  list->add_option("LIMIT", quota.limit, "Only those of this limit or share:NAME");
  list->add_flag("--json", quota.json, "Print the answers of /v1/quotas as they are");
}

void CommandLine::add_length(CLI::App* verb, std::string& length, std::string& note) {
  verb->add_option("--for", length, "It ends by itself after this time")->type_name("DURATION");
  add_note(verb, note, "Why, for the people who see it");
}

void CommandLine::add_subject_options(CLI::App* verb) {
  CLI::Option_group* what = verb->add_option_group("What");
  what->add_option("--route", pause.route, "This route")->type_name("NAME");
  what->add_option("--target", pause.target, "All routes of this target")->type_name("NAME");
  what->add_option("--topic", pause.topic, "This topic: it is read no further")->type_name("TOPIC");
  CLI::Option* limit =
      what->add_option("--limit", pause.limit, "With --key: the records with that key of it")
          ->type_name("NAME");
  CLI::Option* key = verb->add_option("--key", pause.key, "The key")->type_name("TEXT");
  key->needs(limit);
  limit->needs(key);
  if (verb->get_name() == "pause") what->add_flag("--list", pause.list, "Show what is paused");
  what->require_option(1);
}

void CommandLine::add_pause_options(CLI::App* verb) {
  add_subject_options(verb);
  add_length(verb, pause.length, pause.note);
}

void CommandLine::add_replay_options(CLI::App* verb) {
  verb->add_option("--limits", replay.limits, "The limits to ask, all together")
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

void CommandLine::add_redrive_options(CLI::App* verb) {
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
  verb->add_option("--reason", redrive.reasons,
                   "Only dead letters with these reasons; others are skipped")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,NAME")
      ->check(CLI::IsMember(std::vector<std::string>(kReasons.begin(), kReasons.end())));
  verb->add_option("--partition", redrive.partition, "Only this partition of the topic")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--limit", redrive.most_sent, "Stop after so many were sent")
      ->type_name("COUNT")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--dry-run", redrive.dry_run, "Send and commit nothing; say what would be sent");
  verb->footer(kRedriveFooter);
}

From CommandLine::from_named(const std::string& text) {
  auto read = parse_from(text);
  if (const auto* wrong = std::get_if<std::string>(&read)) {
    throw CLI::ValidationError("--from", *wrong);
  }
  return std::get<From>(read);
}

void CommandLine::add_demo_options(CLI::App* verb) {
  verb->add_option("--seconds", demo.seconds, "How long records are produced")
      ->capture_default_str()
      ->check(CLI::Range(2, 600));
  verb->add_option("--limit", demo.limit, "Records per second that may pass")
      ->capture_default_str()
      ->check(CLI::Range(10, 5000));
}

}  // namespace einlass::app
