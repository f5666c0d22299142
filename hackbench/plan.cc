// SPDX-License-Identifier: MIT
#include "hackbench/plan.h"

#include <fmt/format.h>

#include <vector>

#include "hackbench/placement.h"
#include "hackbench/suggest.h"
#include "hackbench/transport_list.h"

namespace hackbench {
namespace {

absl::StatusOr<const TransportEntry*> ResolveTransport(std::string_view name) {
  if (const TransportEntry* entry = FindTransport(name)) return entry;
  std::vector<std::string_view> names;
  for (const TransportEntry& entry : kTransportList) {
    names.push_back(entry.name);
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown transport '{}'{}; choices: hackbench --list "
                  "transports",
                  name, DidYouMean(name, names)));
}

// Multiplies into `product`; false when it leaves 63 bits.
bool MultiplyInto(uint64_t& product, uint64_t factor) {
  uint64_t result;
  if (__builtin_mul_overflow(product, factor, &result)) return false;
  if (result > uint64_t{INT64_MAX}) return false;
  product = result;
  return true;
}

absl::Status ComputeProducts(RunPlan& plan) {
  const RunOptions& options = plan.options;
  const auto groups = static_cast<uint64_t>(options.groups);
  const auto fds = static_cast<uint64_t>(options.fds);
  plan.tasks = 2;
  plan.messages = groups;
  const bool fits =
      MultiplyInto(plan.tasks, groups) && MultiplyInto(plan.tasks, fds) &&
      MultiplyInto(plan.messages, fds) && MultiplyInto(plan.messages, fds) &&
      MultiplyInto(plan.messages, plan.workload.loops);
  plan.payload_bytes = plan.messages;
  if (fits && MultiplyInto(plan.payload_bytes, plan.workload.datasize)) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(fmt::format(
      "--groups {} x --fds {} x --fds {} x --loops {} x --datasize {} does not "
      "fit 63 bits; use smaller numbers",
      options.groups, options.fds, options.fds, options.loops,
      options.datasize));
}

// Whether several senders' bytes may be mixed within a message.
bool MixesWriters(const RunPlan& plan) {
  return plan.workload.fds > 1 &&
         plan.workload.datasize > plan.transport->traits.atomic_bytes;
}

std::string WhyMixed(const RunPlan& plan) {
  const size_t atomic_bytes = plan.transport->traits.atomic_bytes;
  return atomic_bytes == 0
             ? fmt::format("{} may mix several senders at any byte",
                           plan.transport->name)
             : fmt::format("{} keeps messages of up to {} bytes whole",
                           plan.transport->name, atomic_bytes);
}

// Spinners that wait for one that is not running may wait for ever.
constexpr int64_t kSpinTimeoutS = 10;

absl::Status ChoosePlane(RunPlan& plan) {
  RunOptions& options = plan.options;
  if (!WantsUserPlane(options)) {
    if (!plan.transport->traits.has_descriptors) {
      return absl::InvalidArgumentError(fmt::format(
          "transport {} exists in the user plane only; add --plane user",
          plan.transport->name));
    }
    for (const auto& [name, is_given] :
         {std::pair{"--stats", options.stats},
          std::pair{"--phases", options.phases},
          std::pair{"a part (--alloc, --lock ...)", options.names_part()}}) {
      if (!is_given) continue;
      return absl::InvalidArgumentError(fmt::format(
          "{} is of the user plane; {}", name,
          options.plane.empty() ? "add --plane user"
                                : "leave it or --plane kernel out"));
    }
    return absl::OkStatus();
  }
  absl::StatusOr<UserParts> parts = ChooseParts(options, *plan.transport);
  if (!parts.ok()) return parts.status();
  plan.user = *std::move(parts);
  plan.warning = SpinWarning(*plan.user, plan.tasks);
  if (!plan.warning.empty() && options.timeout_s == kDefaultTimeout) {
    options.timeout_s = kSpinTimeoutS;
    plan.warning += fmt::format("; ended after {} s, --timeout says otherwise",
                                kSpinTimeoutS);
  }
  return absl::OkStatus();
}

absl::Status ChooseVerify(RunPlan& plan) {
  Workload& workload = plan.workload;
  workload.mixes_writers = MixesWriters(plan);
  const bool is_asked = plan.options.verify.value_or(false);
  const bool verifies = plan.options.verify.value_or(plan.user.has_value());
  if (verifies) {
    // What is too short for a header is counted where that is the default.
    const bool is_short = !is_asked && !plan.options.latency &&
                          workload.datasize < sizeof(MessageHeader);
    workload.verify = workload.mixes_writers || is_short ? VerifyMode::kByte
                                                         : VerifyMode::kMessage;
  }
  if (plan.options.latency && workload.mixes_writers) {
    return absl::InvalidArgumentError(fmt::format(
        "--latency needs whole messages, but {}; use --fds 1 or another "
        "transport",
        WhyMixed(plan)));
  }
  size_t least =
      workload.verify == VerifyMode::kMessage ? sizeof(MessageHeader) : 1;
  if (workload.latency) least = ClockOffset(workload.verify) + sizeof(int64_t);
  if (workload.datasize < least) {
    return absl::InvalidArgumentError(fmt::format(
        "--datasize {}: {}{}{} needs at least {} bytes in a message{}",
        workload.datasize, verifies ? "--verify" : "",
        verifies && plan.options.latency ? " with " : "",
        plan.options.latency ? "--latency" : "", least,
        verifies && !is_asked ? "; or add --no-verify" : ""));
  }
  return absl::OkStatus();
}

Need ComputeNeed(const RunPlan& plan) {
  const RunOptions& options = plan.options;
  const bool threads = options.mode == Mode::kThread;
  constexpr int64_t kGateDescriptors = 4;  // Two pipes.
  Need need;
  need.tasks = static_cast<int64_t>(plan.tasks);
  // Processes: main keeps the write ends of one group, and both ends of the
  // channel it is making. Threads never close any.
  // A user plane over one-way channels needs a second one for the way back.
  const TransportTraits& traits = plan.transport->traits;
  const int64_t ways = !traits.has_descriptors        ? 0
                       : plan.user && !traits.two_way ? 2
                                                      : 1;
  need.descriptors =
      kGateDescriptors + traits.extra_descriptors +
      ways * (threads ? 2 * options.groups * options.fds : options.fds + 1);
  // A process costs at least its kernel stack, task structure and page tables;
  // receivers' messages are touched in any case, senders' too.
  constexpr int64_t kProcessBytes = 64 << 10;
  constexpr int64_t kThreadBytes = 32 << 10;
  const double bytes =
      static_cast<double>(plan.tasks) *
      static_cast<double>((threads ? kThreadBytes : kProcessBytes) +
                          options.datasize);
  need.bytes = bytes < 9e18 ? static_cast<int64_t>(bytes) : INT64_MAX;
  return need;
}

}  // namespace

absl::StatusOr<RunPlan> MakePlan(const RunOptions& options) {
  RunPlan plan;
  plan.options = options;
  absl::StatusOr<const TransportEntry*> transport =
      ResolveTransport(options.transport);
  if (!transport.ok()) return transport.status();
  plan.transport = *transport;
  if (options.nodelay && !plan.transport->traits.has_nodelay) {
    return absl::InvalidArgumentError(
        fmt::format("--nodelay does nothing for transport {}; use it with tcp",
                    plan.transport->name));
  }

  plan.workload = {
      .loops = static_cast<uint64_t>(options.loops),
      .fds = static_cast<uint32_t>(options.fds),
      .datasize = static_cast<size_t>(options.datasize),
      .latency = options.latency,
      .peer_footprint =
          options.footprint == "peer" && options.mode == Mode::kProcess,
  };
  for (const auto step : {ComputeProducts, ChoosePlane, ChooseVerify}) {
    absl::Status status = step(plan);
    if (!status.ok()) return status;
  }
  if (plan.options.timeout_s == kDefaultTimeout) plan.options.timeout_s = 0;
  if (!options.affinity.empty()) {
    absl::StatusOr<cpu_set_t> cpus = ParseCpuList(options.affinity);
    if (!cpus.ok()) return cpus.status();
    plan.affinity = *cpus;
  }
  plan.need = ComputeNeed(plan);
  return plan;
}

}  // namespace hackbench
