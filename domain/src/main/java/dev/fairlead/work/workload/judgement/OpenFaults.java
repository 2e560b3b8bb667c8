package dev.fairlead.work.workload.judgement;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.LateExplanation;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Open incidents that exclude nodes or devices of a cluster. Members that hold a faulty device are
 * stopped. If the holder is unknown, an operator decides. Only facts that decide about attempts are
 * included, so a repeated event of an incident leaves the value equal.
 *
 * @param off boots of nodes that ended with their power
 */
public record OpenFaults(List<Fault> faults, List<PowerOff> off) {
  private static final long MILLI_SECONDS_A_MINUTE = 60_000;

  /**
   * Time for a cluster to show a silent machine as not ready, which takes 40 seconds by default.
   */
  private static final Duration SEEN_TO_GO = Duration.ofMinutes(2);

  /** Interval and duration of checks for devices that a node agent reports after the fault. */
  private static final Duration REPORT_EACH = Duration.ofSeconds(10);

  private static final Duration REPORTS_FOR = Duration.ofMinutes(10);

  public static final OpenFaults NOTHING = new OpenFaults(List.of(), List.of());

  public OpenFaults {
    faults = List.copyOf(faults);
    off = List.copyOf(off);
  }

  /**
   * End of a boot, because the cluster's repairer reported that the machine was without power.
   *
   * @param at time of the report
   */
  public record PowerOff(
      RepairTaskId task, NodeId node, String nodeName, String bootId, Instant at) {}

  /**
   * A faulty device or node.
   *
   * @param text description of the fault
   * @param gpu UUID of the device, null when it is not known
   * @param since time of the fault by the monitor's clock
   * @param serial serial number of the device, or its UUID if the serial number is unknown
   * @param undecided whether no operator decided in time about members that may hold the device
   */
  @RecordBuilder
  record Fault(
      IncidentId incident,
      String text,
      NodeId node,
      String nodeName,
      FaultScope scope,
      Instant since,
      @Nullable String gpu,
      @Nullable String serial,
      boolean undecided) {}

  /**
   * @param incidents open incidents, the oldest first
   * @param undecided incidents that stop every possible holder
   */
  public static OpenFaults of(List<Incident> incidents, Set<IncidentId> undecided) {
    return new OpenFaults(
        incidents.stream()
            .map(i ->
                OpenFaultsFaultBuilder.builder()
                    .incident(i.id())
                    .text(i.text())
                    .node(i.node())
                    .nodeName(i.nodeName())
                    .scope(i.scope())
                    .since(i.openedAt())
                    .gpu(i.gpu())
                    .serial(i.serial() == null ? i.gpu() : i.serial())
                    .undecided(undecided.contains(i.id()))
                    .build())
            .toList(),
        List.of());
  }

  /**
   * Returns these faults, and records the boots that a power-off has ended.
   *
   * @param tasks tasks of repairers, by id
   */
  public OpenFaults with(List<RepairTask> tasks) {
    List<PowerOff> ends = new ArrayList<>();
    for (RepairTask task : tasks) {
      Instant at = task.confirmedOff();
      if (at != null) {
        ends.add(new PowerOff(task.id(), task.node(), task.nodeName(), task.bootId(), at));
      }
    }
    return new OpenFaults(faults, ends);
  }

  /** Returns whether that boot of the node has ended with its power. */
  boolean poweredOff(NodeId node, String bootId) {
    return off.stream().anyMatch(o -> o.node().equals(node) && o.bootId().equals(bootId));
  }

  /**
   * Returns the tasks of repairers that reported a machine without power, although its node is
   * ready in the same boot and the cluster has had time to notice.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  public List<RepairTaskId> contradicted(Map<String, NodeReport> nodes, Instant now) {
    return off.stream()
        .filter(o -> now.isAfter(o.at().plus(SEEN_TO_GO)))
        .filter(o -> {
          NodeReport node = nodes.get(o.nodeName());
          return node != null && node.ready() && node.bootId().equals(o.bootId());
        })
        .map(PowerOff::task)
        .toList();
  }

  /**
   * Returns why the attempt must end. The result is empty if none of its members holds a faulty
   * device.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  Optional<Failure> failure(Attempt attempt, Map<String, NodeReport> nodes, Instant now) {
    return failure(faults, attempt, nodes, now);
  }

  /**
   * Returns the reason why an attempt ended without an order, found within this time of its end.
   *
   * @see LateExplanation
   */
  Optional<Failure> explains(
      Attempt ended, Map<String, NodeReport> nodes, Duration within, Instant now) {
    Instant end = ended.endedAt();
    List<Fault> possible =
        faults.stream().filter(fault -> LateExplanation.possible(ended, fault.since())).toList();
    return end == null || now.isAfter(end.plus(within))
        ? Optional.empty()
        : failure(possible, ended, nodes, end);
  }

  private static Optional<Failure> failure(
      List<Fault> faults, Attempt attempt, Map<String, NodeReport> nodes, Instant now) {
    for (Fault fault : faults) {
      for (Member member : attempt.core()) {
        if (holds(member, fault, nodes.get(member.nodeName()))) {
          return Optional.of(
              Failure.ofIncident(
                  fault.text() + holder(member, fault) + lost(attempt, now),
                  attempt.number(),
                  member.key(),
                  fault.nodeName(),
                  fault.serial(),
                  fault.incident().text()));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether the member holds a faulty device.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  boolean sick(Member member, Map<String, NodeReport> nodes) {
    return faults.stream().anyMatch(fault -> holds(member, fault, nodes.get(member.nodeName())));
  }

  /**
   * Returns when the devices of a member next to a faulty GPU may be known, null if none is
   * missing. A report of a node agent changes no observation of the cluster.
   */
  @Nullable Instant lookAgain(Attempt attempt, Instant now) {
    boolean missing =
        faults.stream()
            .filter(fault -> now.isBefore(fault.since().plus(REPORTS_FOR)))
            .anyMatch(fault -> attempt.core().stream().anyMatch(m -> unidentified(m, fault)));
    return missing ? now.plus(REPORT_EACH) : null;
  }

  private static boolean unidentified(Member member, Fault fault) {
    String gpu = fault.gpu();
    return fault.scope() != FaultScope.NODE
        && gpu != null
        && DeviceUuid.matches(gpu)
        && member.node().equals(fault.node())
        && !member.gpus().isEmpty()
        && !member.dead()
        && member.gpuIdentity() == GpuIdentity.UNKNOWN;
  }

  /** Describes the work to repeat. The result is empty if there is none. */
  private static String lost(Attempt attempt, Instant now) {
    Instant started = attempt.startedAt();
    if (started == null) {
      return "";
    }
    long held =
        attempt.withFinished().stream()
            .flatMap(member -> member.gpus().stream())
            .mapToLong(GpuShare::milli)
            .sum();
    Instant saved = attempt.checkpointedAt();
    Instant since = started;
    String word = "start";
    if (saved != null && saved.isAfter(started)) {
      since = saved;
      word = "checkpoint of " + saved.truncatedTo(ChronoUnit.SECONDS);
    }
    long seconds = Duration.between(since, now).toSeconds();
    long minutes = Math.ceilDiv(held * seconds, MILLI_SECONDS_A_MINUTE);
    return minutes <= 0 ? "" : "; lost %d GPU-minutes since its %s".formatted(minutes, word);
  }

  /**
   * Returns whether the member holds the faulty device or node. If its devices are known, they
   * decide. Otherwise a slot of the ledger is not a device, and only a member with all GPUs of its
   * node is known to hold the sick one. A finished member is not affected.
   */
  private static boolean holds(Member member, Fault fault, @Nullable NodeReport node) {
    if (!member.node().equals(fault.node()) || member.gpus().isEmpty() || member.finished()) {
      return false;
    }
    if (fault.scope() == FaultScope.NODE) {
      return true;
    }
    if (identified(member, fault)) {
      return member.holds(Objects.requireNonNull(fault.gpu()));
    }
    boolean named = member.gpus().stream().anyMatch(share -> share.serial().equals(fault.gpu()));
    boolean all = node != null && member.gpus().size() >= node.gpus().size();
    return named || all || fault.undecided();
  }

  /**
   * Returns whether the member may hold the device of an incident of one GPU, because no source
   * reports the device of the fault or of the member.
   */
  public static boolean candidate(Incident incident, Member member) {
    return member.node().equals(incident.node())
        && !member.gpus().isEmpty()
        && !member.finished()
        && !identified(member, incident.gpu());
  }

  private static boolean identified(Member member, Fault fault) {
    return identified(member, fault.gpu());
  }

  /** Returns whether both the device of the fault and the devices of the member are known. */
  private static boolean identified(Member member, @Nullable String gpu) {
    return gpu != null && DeviceUuid.matches(gpu) && member.gpuIdentity() != GpuIdentity.UNKNOWN;
  }

  /** Names the member and the source for a fault of a device that the member was seen to hold. */
  private static String holder(Member member, Fault fault) {
    if (fault.undecided() && !identified(member, fault)) {
      return ", which " + member.key() + " may hold, because no operator decided in time";
    }
    return fault.scope() != FaultScope.NODE
            && identified(member, fault)
            && member.gpuIdentity() == GpuIdentity.OBSERVED
        ? member
            .devices()
            .trusted()
            .map(seen ->
                ", held by %s according to %s".formatted(member.key(), seen.source().text()))
            .orElse("")
        : "";
  }
}
