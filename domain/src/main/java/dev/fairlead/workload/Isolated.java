package dev.fairlead.workload;

import dev.fairlead.cluster.NodeReport;
import dev.fairlead.health.FaultScope;
import dev.fairlead.health.Incident;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Failure;
import dev.fairlead.job.Member;
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
  public static final Isolated NOTHING = new Isolated(List.of());

  public Isolated {
    incidents = List.copyOf(incidents);
  }

  /**
   * Why the attempt has to end; empty when none of its members holds what is sick.
   *
   * @param nodes the cluster's nodes by name, as a watch shows them
   */
  Optional<Failure> failure(Attempt attempt, Map<String, NodeReport> nodes) {
    for (Incident incident : incidents) {
      for (Member member : attempt.core()) {
        if (holds(member, incident, nodes.get(member.nodeName()))) {
          return Optional.of(
              Failure.ofIncident(
                  incident.text(),
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
