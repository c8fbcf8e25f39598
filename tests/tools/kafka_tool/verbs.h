// The tool's verbs. Each does one thing, prints JSON to stdout and throws std::runtime_error with
// the reason if it cannot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/kafka_tool/client.h"

namespace einlass::tools {

void create_topic(const Properties& properties, const std::string& topic, int partitions,
                  const std::vector<std::string>& configs);
void delete_topic(const Properties& properties, const std::string& topic);
void print_end_offsets(const Properties& properties, const std::string& topic);
void print_committed(const Properties& properties, const std::string& topic,
                     const std::string& group);

struct ProduceOptions {
  std::string topic;
  std::int64_t records = 1000;
  std::int64_t size = 100;           // Bytes of a value, unless its number alone is longer.
  int keys = 0;                      // 0: records without a key.
  int tenants = 0;                   // If not 0, values are JSON, with /tenant one of so many.
  int partition = -1;                // -1: all of them in turn.
  double rate = 0;                   // Records per second; 0: as fast as possible.
  std::int64_t first = 0;            // The number of the first record of each partition.
  std::vector<std::string> headers;  // "name=value", the same for every record.
};

// Each value is "<partition>-<number> " and padding; each key "k<i>" stays in one partition. With a
// rate, each record that the brokers took only after 50 ms is a line {"taken_us":, "after_us":}.
void produce(const Properties& properties, const ProduceOptions& options);

// Records from stdin, one JSON object a line:
// {"partition": 0, "key": HEX|null, "value": HEX|null, "headers": [["name", HEX|null], ...]}.
void produce_lines(const Properties& properties, const std::string& topic);

// Everything that is in a topic now, as JSON lines with the fields of produce_lines() and "offset"
// and "timestamp"; or only how many and how fast.
void consume(const Properties& properties, const std::string& topic, bool count_only);

}  // namespace einlass::tools
