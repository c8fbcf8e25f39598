#include "adapters/redis/nodes/cluster.h"

#include <algorithm>
#include <utility>

#include "adapters/redis/client/hash_slot.h"

namespace einlass::redis {
namespace {

using std::chrono::milliseconds;

constexpr std::uint16_t kNobody = 0xffff;

// Bounds how often a cluster in trouble is asked about itself.
constexpr milliseconds kLeastBetween{100};
constexpr milliseconds kWhileNotWell{400};

// A Redis Cluster has at most 1,000 nodes.
constexpr std::size_t kMostNodes = 1'000;

bool is_slot(const Value& value) {
  return value.kind == Value::Kind::integer && value.integer >= 0 && value.integer < kSlots;
}

}  // namespace

std::optional<std::vector<SlotRange>> read_slots(const Value& answer, const std::string& asked) {
  if (answer.kind != Value::Kind::array) return std::nullopt;
  std::vector<SlotRange> ranges;
  std::int64_t slots = 0;  // A slot is held once: more of them than there are is no answer.
  for (const Value& range : answer.elements) {
    if (!range.is_array_of(3) || !range.elements[2].is_array_of(2)) return std::nullopt;
    const Value &first = range.elements[0], &last = range.elements[1];
    const Value& host = range.elements[2].elements[0];
    const std::int64_t port = range.elements[2].elements[1].integer;
    if (!is_slot(first) || !is_slot(last) || port <= 0 || port > 0xffff) return std::nullopt;
    slots += last.integer - first.integer + 1;
    if (last.integer < first.integer || slots > kSlots) return std::nullopt;
    const bool unnamed = host.text.empty() || host.text == "?";
    ranges.push_back({static_cast<std::uint16_t>(first.integer),
                      static_cast<std::uint16_t>(last.integer),
                      {unnamed ? asked : host.text, static_cast<std::uint16_t>(port)}});
  }
  return ranges;
}

Cluster::Cluster(const NodeContext& context, std::vector<NodePtr>& nodes)
    : context_(context), nodes_(nodes), slots_(kSlots, kNobody), timer_(context.io) {}

void Cluster::learn() {
  const auto since = std::chrono::duration_cast<milliseconds>(Steady::now() - learned_);
  learn_after(std::max(milliseconds(0), kLeastBetween - since));
}

void Cluster::learn_after(milliseconds delay) {
  if (inquiry_ || timer_set_) return;
  timer_set_ = true;
  timer_.expires_after(jittered(delay, context_.random));
  timer_.async_wait([self = shared_from_this()](const auto& error) {
    if (error || self->closed_) return;
    self->timer_set_ = false;
    self->ask(0, "");
  });
}

// In turn, so that one with a view of its own is not the only one that is heard; the last is the
// one that the options name.
Address Cluster::candidate(std::size_t tried) const {
  if (tried == nodes_.size()) return {context_.options.host, context_.options.port};
  return nodes_[(next_candidate_ + tried) % nodes_.size()]->address();
}

// Of one that is away its own connection tells. `why` it does not answer is told where nobody does.
void Cluster::ask(std::size_t tried, const std::string& why) {
  if (tried > nodes_.size()) {
    tell(Severity::warning, "redis_cluster",
         "No node of the Redis cluster says who holds its slots (the last one, " + why +
             "); they are asked again");
    context_.owner.health_changed();
    return learn_after(kWhileNotWell);
  }
  const StoreOptions& options = context_.options;
  const Address address = candidate(tried);
  const std::string_view words[] = {"CLUSTER", "SLOTS"};
  inquiry_ = Inquiry::start(context_.io, endpoint(options, address), options.login, words,
                            std::chrono::microseconds(options.timeout.us),
                            [this, address, tried](const Value* answer, const std::string& lost) {
                              answered(address, tried, answer, lost);
                            });
}

void Cluster::answered(const Address& asked, std::size_t tried, const Value* answer,
                       const std::string& why) {
  inquiry_.reset();
  const auto ranges = answer ? read_slots(*answer, asked.host) : std::nullopt;
  if (!ranges || ranges->empty()) {
    return ask(tried + 1, to_string(asked) + ": " + (answer ? "it knows of none" : why));
  }
  ++next_candidate_;
  learned_ = Steady::now();
  apply(*ranges);
  if (!all_well()) learn_after(kWhileNotWell);
}

void Cluster::apply(const std::vector<SlotRange>& ranges) {
  std::fill(slots_.begin(), slots_.end(), kNobody);
  for (const SlotRange& range : ranges) {
    const std::uint16_t index = index_of(range.primary);
    for (std::size_t slot = range.first; slot <= range.last; ++slot) slots_[slot] = index;
  }
  drop_nodes_without_slots();
  const auto unserved = std::count(slots_.begin(), slots_.end(), kNobody);
  if (unserved > 0) {
    return tell(Severity::warning, "redis_cluster",
                std::to_string(unserved) +
                    " of 16384 slots of the Redis cluster are held by no node; limits whose keys "
                    "live there wait");
  }
  if (trouble_.empty()) return;
  trouble_.clear();
  context_.notify(
      {Severity::info, "redis_cluster",
       "The slots of the Redis cluster are held by " + std::to_string(nodes_.size()) + " nodes"});
}

// One that a redirection has named may be on its way to its first slot.
void Cluster::drop_nodes_without_slots() {
  std::vector<bool> holds(nodes_.size());
  for (const std::uint16_t index : slots_) {
    if (index != kNobody) holds[index] = true;
  }
  std::vector<NodePtr> kept;
  std::vector<std::uint16_t> index_then(nodes_.size(), kNobody);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool named = std::find(named_.begin(), named_.end(), nodes_[i].get()) != named_.end();
    if (holds[i] || named || !nodes_[i]->idle()) {
      index_then[i] = static_cast<std::uint16_t>(kept.size());
      kept.push_back(nodes_[i]);
    } else {
      nodes_[i]->close();
    }
  }
  named_.clear();
  nodes_ = std::move(kept);
  for (std::uint16_t& index : slots_) {
    if (index != kNobody) index = index_then[index];
  }
  context_.owner.health_changed();
}

bool Cluster::all_well() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const NodePtr& n) { return n->well(); }) &&
         std::find(slots_.begin(), slots_.end(), kNobody) == slots_.end();
}

Node* Cluster::node_of(std::uint16_t slot) const {
  const std::uint16_t index = slots_[slot];
  return index == kNobody ? nullptr : nodes_[index].get();
}

std::uint16_t Cluster::index_of(const Address& address) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const NodePtr& node) { return node->address() == address; });
  if (found != nodes_.end()) return static_cast<std::uint16_t>(found - nodes_.begin());
  if (nodes_.size() >= kMostNodes) return kNobody;
  nodes_.push_back(std::make_shared<Node>(context_, address));
  nodes_.back()->connect();
  return static_cast<std::uint16_t>(nodes_.size() - 1);
}

Node* Cluster::node_at(const Address& address) {
  const std::uint16_t index = index_of(address);
  if (index == kNobody) return nullptr;
  Node* node = nodes_[index].get();
  if (std::find(named_.begin(), named_.end(), node) == named_.end()) named_.push_back(node);
  return node;
}

void Cluster::moved(std::uint16_t slot, const Address& to) {
  slots_[slot] = index_of(to);
  learn();
}

void Cluster::tell(Severity severity, std::string_view what, const std::string& detail) {
  if (trouble_ == detail) return;
  trouble_ = detail;
  context_.notify({severity, std::string(what), detail});
}

void Cluster::close() {
  closed_ = true;
  timer_.cancel();
  if (inquiry_) inquiry_->cancel();
  inquiry_.reset();
}

}  // namespace einlass::redis
