package dev.fairlead.workload;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.Failure;
import dev.fairlead.attempt.GpuShare;
import dev.fairlead.attempt.Member;
import dev.fairlead.health.FaultScope;
import dev.fairlead.health.Incident;
import dev.fairlead.health.IncidentId;
import dev.fairlead.job.LateExplanation;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodeReport;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Incidents whose nodes a cluster may not use any more. What holds a sick device is stopped; where
 * that cannot be known, an operator decides. Has only what decides about attempts: an event that is
 * counted and changes nothing else leaves it equal.
 */
public record Isolated(List<Fault> faults) {
  private static final long MILLI_SECONDS_A_MINUTE = 60_000;
  public static final Isolated NOTHING = new Isolated(List.of());

  public Isolated {
    faults = List.copyOf(faults);
  }

  /**
   * What is sick.
   *
   * @param text what broke, in words
   * @param gpu UUID of the device, null when it is not known
   * @param since when it broke, by the monitor's clock
   * @param serial of the device or, where that is not known, its UUID
   */
  record Fault(
      IncidentId incident,
      String text,
      NodeId node,
      String nodeName,
      FaultScope scope,
      Instant since,
      @Nullable String gpu,
      @Nullable String serial) {}

  /**
   * @param incidents open ones, the oldest first
   */
  public static Isolated of(List<Incident> incidents) {
    return new Isolated(
        incidents.stream()
            .map(i ->
                new Fault(
                    i.id(),
                    i.text(),
                    i.node(),
                    i.nodeName(),
                    i.scope(),
                    i.openedAt(),
                    i.gpu(),
                    i.serial() == null ? i.gpu() : i.serial()))
            .toList());
  }

  /**
   * Why the attempt has to end; empty when none of its members holds what is sick.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  Optional<Failure> failure(Attempt attempt, Map<String, NodeReport> nodes, Instant now) {
    return failure(faults, attempt, nodes, now);
  }

  /**
   * Why an attempt ended by itself, found within this time of its end.
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
                  fault.text() + lost(attempt, now),
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

  /** The work that has to be done again, in words; empty when that is none. */
  private static String lost(Attempt attempt, Instant now) {
    Instant started = attempt.startedAt();
    if (started == null) {
      return "";
    }
    long held =
        attempt.members().stream()
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
   * With device plugins a slot of the ledger is not a device: there only a member with all GPUs of
   * its node is known to hold the sick one.
   */
  private static boolean holds(Member member, Fault fault, @Nullable NodeReport node) {
    if (!member.node().equals(fault.node()) || member.gpus().isEmpty()) {
      return false;
    }
    boolean named = member.gpus().stream().anyMatch(share -> share.serial().equals(fault.gpu()));
    boolean all = node != null && member.gpus().size() >= node.gpus().size();
    return fault.scope() == FaultScope.NODE || named || all;
  }
}
