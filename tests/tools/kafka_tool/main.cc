// kafka_tool: what tests need to do to a Kafka, without a JVM.
#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/kafka_tool/verbs.h"

namespace {

using namespace einlass::tools;

struct Arguments {
  std::string brokers, topic, group;
  std::vector<std::string> properties, configs;
  int partitions = 1;
  bool count_only = false;
  ProduceOptions produce;
};

Properties properties_of(const Arguments& arguments) {
  Properties properties{{"bootstrap.servers", arguments.brokers}, {"log_level", "3"}};
  for (const std::string& line : arguments.properties) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) throw std::runtime_error("not NAME=VALUE: " + line);
    properties[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return properties;
}

CLI::App* add_verb(CLI::App& app, Arguments& arguments, const char* name, const char* what) {
  CLI::App* verb = app.add_subcommand(name, what);
  verb->add_option("-b,--brokers", arguments.brokers, "as 127.0.0.1:9092")->required();
  verb->add_option("-t,--topic", arguments.topic)->required();
  verb->add_option("-X", arguments.properties, "a librdkafka property, as NAME=VALUE");
  return verb;
}

void add_topic_verbs(CLI::App& app, Arguments& arguments) {
  auto* create = add_verb(app, arguments, "create-topic", "make a topic");
  create->add_option("--partitions", arguments.partitions);
  create->add_option("--config", arguments.configs, "of the topic, as NAME=VALUE");
  create->callback([&arguments] {
    create_topic(properties_of(arguments), arguments.topic, arguments.partitions,
                 arguments.configs);
  });
  add_verb(app, arguments, "delete-topic", "remove a topic")->callback([&arguments] {
    delete_topic(properties_of(arguments), arguments.topic);
  });
  add_verb(app, arguments, "end-offsets", "the end of each partition")->callback([&arguments] {
    print_end_offsets(properties_of(arguments), arguments.topic);
  });
  auto* committed = add_verb(app, arguments, "committed", "what a group has committed");
  committed->add_option("--group", arguments.group)->required();
  committed->callback([&arguments] {
    print_committed(properties_of(arguments), arguments.topic, arguments.group);
  });
}

void add_record_verbs(CLI::App& app, Arguments& arguments) {
  ProduceOptions& wanted = arguments.produce;
  auto* verb = add_verb(app, arguments, "produce", "many records of a kind");
  verb->add_option("--records", wanted.records);
  verb->add_option("--size", wanted.size, "bytes of each value");
  verb->add_option("--keys", wanted.keys, "how many different keys; 0: none");
  verb->add_option("--partition", wanted.partition, "one only; default: all in turn");
  verb->add_option("--rate", wanted.rate, "records per second; 0: as fast as possible");
  verb->add_option("--first", wanted.first, "the number of the first record of each partition");
  verb->add_option("--tenants", wanted.tenants, "values are JSON, with /tenant one of so many");
  verb->add_option("--header", wanted.headers, "of every record, as NAME=VALUE");
  verb->callback([&arguments, &wanted] {
    wanted.topic = arguments.topic;
    produce(properties_of(arguments), wanted);
  });
  add_verb(app, arguments, "produce-lines", "records from JSON lines on stdin")
      ->callback([&arguments] { produce_lines(properties_of(arguments), arguments.topic); });
  auto* reading = add_verb(app, arguments, "consume", "all of a topic as JSON lines");
  reading->add_flag("--count", arguments.count_only, "only how many, and how fast");
  reading->callback(
      [&arguments] { consume(properties_of(arguments), arguments.topic, arguments.count_only); });
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CLI::App app{"What tests need to do to a Kafka, without a JVM"};
  app.require_subcommand(1);
  Arguments arguments;
  add_topic_verbs(app, arguments);
  add_record_verbs(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "kafka_tool: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
