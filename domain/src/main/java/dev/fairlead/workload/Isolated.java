package dev.fairlead.workload;

import dev.fairlead.cluster.NodeReport;
import dev.fairlead.health.FaultScope;
import dev.fairlead.health.Incident;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Failure;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Incidents whose nodes a cluster may not use any more. Who holds what is sick is stopped; where
 * that cannot be known, an operator decides.
 *
 * @param incidents open ones, the oldest first
 */
public record Isolated(List<Incident> incidents) {
  private static final long MILLI_SECONDS_A_MINUTE = 60_000;
  public static final Isolated NOTHING = new Isolated(List.of());

  public Isolated {
    incidents = List.copyOf(incidents);
  }

  /**
   * Why the attempt has to end; empty when none of its members holds what is sick.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  Optional<Failure> failure(Attempt attempt, Map<String, NodeReport> nodes, Instant now) {
    for (Incident incident : incidents) {
      for (Member member : attempt.core()) {
        if (holds(member, incident, nodes.get(member.nodeName()))) {
          return Optional.of(
              Failure.ofIncident(
                  incident.text() + lost(attempt, now),
                  attempt.number(),
                  member.key(),
                  incident.nodeName(),
                  incident.serial() == null ? incident.gpu() : incident.serial(),
                  incident.id().text()));
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
    boolean kept = saved != null && saved.isAfter(started);
    long seconds = Duration.between(kept ? saved : started, now).toSeconds();
    long minutes = Math.ceilDiv(held * seconds, MILLI_SECONDS_A_MINUTE);
    return minutes <= 0
        ? ""
        : "; lost %d GPU-minutes since its %s"
            .formatted(
                minutes, kept ? "checkpoint of " + saved.truncatedTo(ChronoUnit.SECONDS) : "start");
  }

  /**
   * With device plugins a slot of the ledger is not a device: there only a member with all GPUs of
   * its node is known to hold the sick one.
   */
  private static boolean holds(Member member, Incident incident, @Nullable NodeReport node) {
    if (!member.node().equals(incident.node()) || member.gpus().isEmpty()) {
      return false;
    }
    boolean named = member.gpus().stream().anyMatch(share -> share.serial().equals(incident.gpu()));
    boolean all = node != null && member.gpus().size() >= node.gpus().size();
    return incident.scope() == FaultScope.NODE || named || all;
  }
}
