// Compares what the receiver was sent, and what was committed, with what was promised.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "whole_gate/kernel.h"

namespace einlass::whole {

// A promise that was broken.
struct Broken : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Record {
  std::optional<std::string> key, value;
  std::optional<std::string> units;  // A header, ...
  std::uint64_t cost = 1;            // ... and what it takes of the limit by that.
};

struct Request {
  std::string method, path;
  std::map<std::string, std::string> fields;  // By names in small letters.
  std::string body;
};

// What a limit allows each key, or all: at most `most` in any stretch of `window`, or only in those
// that begin at its multiples, and `per_second` for each second that it is longer. Nothing is
// promised where `most` is 0.
struct Promise {
  std::uint64_t most = 0;
  Micros window = 0;
  double per_second = 0;
  bool by_key = false;
  bool by_the_clock = false;
};

enum class Ordered : std::uint8_t { no, by_partition, by_key };

// Of which topic a partition is, by which number there, and where its records go: by which of the
// routes, and to which path of the target.
struct Origin {
  std::string topic;
  int number = 0;
  std::uint16_t route = 0;
  std::string path;
};

// A record of a partition, which is counted over all topics.
struct Name {
  int partition = 0;
  std::int64_t offset = 0;
};

class TableBook;

class Judge {
 public:
  Judge(Kernel& kernel, Ordered ordered, Promise promise, std::vector<Origin> origins,
        const TableBook& table)
      : kernel_(kernel),
        ordered_(ordered),
        promise_(promise),
        origins_(std::move(origins)),
        table_(table) {}

  // A record of that partition, and of the next offset.
  void expect(int partition, Record record) {
    logs_[partition].push_back(Known{std::move(record)});
  }

  // The gate reads it.
  const Record& read(const Name& name);
  std::int64_t end(int partition) { return static_cast<std::int64_t>(logs_[partition].size()); }

  // A request has arrived, of one record or of several. Returns its number.
  std::size_t asked(const Request& request);
  std::size_t records_of(std::size_t request) const { return requests_[request].records.size(); }

  // Not before that has the gate sent it.
  Micros left(std::size_t request) const { return requests_[request].left; }

  // Then whoever does not take all of a request has to stop at the first that it does not take.
  bool is_ordered() const { return ordered_ != Ordered::no; }

  // Those of its records were accepted. What the gate hears of that is another matter.
  void accepted(std::size_t request, const std::vector<std::size_t>& indexes);

  // The gate has all of the answer.
  void told(std::size_t request) { requests_[request].told = kernel_.now(); }

  // Something happened after which whatever was not committed may come again: of that partition,
  // or of all.
  void forgets_uncommitted(int partition) { forgot_[partition] = kernel_.now(); }
  void forgets_uncommitted() { forgot_all_ = kernel_.now(); }

  // The group has that all below `next` is finished, and these too.
  void committed(int partition, std::int64_t next,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& finished);

  bool is_through();  // All is committed.

  // What nobody has paused was accepted. Throws Broken.
  void look_at_rest() const;

  // At the end, at all permits that came with requests of one record.
  void look_at_limit() const;
  std::size_t requests() const { return requests_.size(); }
  std::uint64_t repeats() const { return repeats_; }

 private:
  struct Known {
    Record record;
    std::vector<std::size_t> accepted_by{};  // Requests.
    std::optional<Micros> committed{};       // Since then.
  };
  struct Asked {
    std::vector<Name> records;
    Micros left;  // Not before that; on its way it may have been for long.
    std::optional<Micros> told{};
  };
  struct Admitted {
    Micros instant;
    std::uint64_t cost;
    auto operator<=>(const Admitted&) const = default;
  };

  Known& at(const Name& name);
  int partition_of(std::string_view topic, int number) const;
  std::vector<Name> names_in(const Request& request) const;
  void look_at_way(const Request& request, const std::vector<Name>& records) const;
  void look_at_body(const Request& request, const std::vector<Name>& records);
  static void look_at_stretches(const std::vector<Admitted>& admitted, const Promise& promise);
  static void look_at_windows(const std::vector<Admitted>& admitted, const Promise& promise);
  Micros look_at_permit(const Request& request, const Name& name);
  void look_at_repeat(const Known& known, const Name& name, std::size_t request);
  void look_at_order(const Name& name);

  Kernel& kernel_;
  const Ordered ordered_;
  const Promise promise_;
  const std::vector<Origin> origins_;  // By partition.
  const TableBook& table_;
  std::map<int, std::vector<Known>> logs_;
  std::map<int, std::int64_t> committed_;
  std::vector<Asked> requests_;
  std::map<std::string, std::string> permits_;             // Whose attempt each was.
  std::map<std::string, std::vector<Admitted>> admitted_;  // By the limit's keys.
  std::map<std::string, std::int64_t> last_;               // Accepted of each lane.
  std::map<int, Micros> forgot_;                           // Of each partition.
  Micros forgot_all_ = 0;
  std::uint64_t repeats_ = 0;
};

}  // namespace einlass::whole
