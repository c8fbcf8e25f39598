// What librdkafka is told to read. We say from which offset, always: it decides nothing.
#pragma once

#include <librdkafka/rdkafka.h>

#include <span>
#include <string>

#include "adapters/kafka/partitions/assignment.h"

namespace einlass::kafka {

// Whether the group's members keep through a rebalance what stays theirs.
bool is_cooperative(rd_kafka_t* client);

// librdkafka's errors come back as text; empty if there was none.
//
// Two ways, by what the group has agreed on: partitions are handed over one by one ("cooperative"),
// or all at once. In the second the whole list is told each time, each partition with the offset
// that comes next in it. What was read ahead of all of them is then read again; none loses or
// repeats a record, for each begins where it stood.
class Fetching {
 public:
  Fetching(rd_kafka_t* client, Assignment& assignment) : client_(client), assignment_(assignment) {}

  // Who we are in the group since it gave us the last assignment.
  GroupMemberHandle member() const {
    return GroupMemberHandle(rd_kafka_consumer_group_metadata(client_));
  }

  // The group gave us partitions: takes note. They are read once they are found.
  std::string accept();

  // Reads every partition whose position is known. `moved` are those of them that are new, or go on
  // elsewhere than where they stood.
  std::string read_on(std::span<Partition* const> moved);

  // Gives the partitions back to the group, and removes them from the assignment.
  std::string give_back(const rd_kafka_topic_partition_list_t* list);

  // Whether the group has taken the assignment away without asking. read_on() hides that from
  // librdkafka, so what comes before checked() may mean it all the same.
  bool may_be_lost() const;
  // The same of a revocation: what is lost is all that there is. One of a part of it takes nothing
  // else away, and no assignment may follow that lets the others commit again.
  bool may_be_lost(const rd_kafka_topic_partition_list_t* list) const;
  void checked() { unsure_ = false; }

 private:
  rd_kafka_t* client_;
  Assignment& assignment_;
  bool unsure_ = false;
};

}  // namespace einlass::kafka
