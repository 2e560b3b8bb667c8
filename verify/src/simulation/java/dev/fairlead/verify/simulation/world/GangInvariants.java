package dev.fairlead.verify.simulation.world;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A gang runs as a whole or not at all. A part of it runs only during a start or stop, even if
 * members join or leave. Time during which its cluster or one of its nodes is unreachable does not
 * count.
 */
public final class GangInvariants {
  private static final long LONGEST =
      WorkloadTimeouts.DEFAULT.imagePull().plus(Duration.ofMinutes(5)).toMillis();

  private final DurableState durable;
  private final VirtualTime time;
  private final Map<AttemptId, Long> partial = new HashMap<>();
  private boolean incomplete;

  public GangInvariants(DurableState durable, VirtualTime time) {
    this.durable = durable;
    this.time = time;
  }

  /**
   * Returns whether a part of a gang ran at the last check: then time alone may break an invariant.
   */
  public boolean partial() {
    return incomplete;
  }

  /**
   * @param running members that run, by attempt
   */
  public void check(Map<Attempt, Integer> running) {
    partial.keySet().removeIf(id -> running.keySet().stream().noneMatch(a -> a.id().equals(id)));
    incomplete =
        running.entrySet().stream().anyMatch(e -> e.getValue() < e.getKey().members().size());
    running.forEach((attempt, members) -> {
      if (members >= attempt.core().size() || !reachable(attempt)) {
        partial.remove(attempt.id());
        return;
      }
      long since = partial.computeIfAbsent(attempt.id(), id -> time.now());
      if (time.now() - since > LONGEST) {
        throw new InvariantBroken(
            Invariant.GANG_WHOLE_OR_NOT,
            members + " of " + attempt.core().size() + " run of " + attempt);
      }
    });
  }

  private boolean reachable(Attempt attempt) {
    SimulatedCluster cluster = durable.clusters().get(attempt.cluster());
    return cluster != null
        && durable.backend(attempt.cluster()) != PlacementBackend.Kind.KUBE_SCHEDULER
        && cluster.contact().trouble() == null
        && cluster.inventory().nodes().stream()
            .filter(n -> attempt.members().stream().anyMatch(m -> m.nodeName().equals(n.name())))
            .allMatch(n -> n.ready());
  }
}
