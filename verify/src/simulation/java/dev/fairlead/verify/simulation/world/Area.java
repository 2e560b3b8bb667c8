package dev.fairlead.verify.simulation.world;

import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.workload.ClusterGateway;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A part of the product that a run plays next to its jobs: twins of its stores, its loops, its
 * faults and its invariants. A run has either all areas or none.
 */
public interface Area {
  /** The parts of one process that loops of an area need. */
  record Process(
      ProcessLife life,
      Leases leases,
      Transactions transactions,
      JobCommands commands,
      JobControl control) {}

  /** The product's loops of one process. */
  default List<Loop> loops(Process process) {
    return List.of();
  }

  /** Handling of the front clusters of all areas in one process. Each area has its own. */
  static FrontUpkeep fronts(List<Area> areas, Process process) {
    return areas.stream()
        .flatMap(area -> area.fronts(process).stream())
        .reduce(
            FrontUpkeep.NONE,
            (one, other) ->
                (cluster, clock) -> {
                  FrontUpkeep.OfCluster first = one.of(cluster, clock);
                  FrontUpkeep.OfCluster second = other.of(cluster, clock);
                  return (lease, gateway) -> {
                    first.carry(lease, gateway);
                    second.carry(lease, gateway);
                  };
                });
  }

  /** How a process handles front clusters. */
  default Optional<FrontUpkeep> fronts(Process process) {
    return Optional.empty();
  }

  /** The way from one process to a cluster. */
  default ClusterGateway reached(ProcessLife life, ClusterId cluster, ClusterGateway gateway) {
    return gateway;
  }

  /** Application of model service routes in one process. */
  default Optional<ServingUpkeep> services(Process process) {
    return Optional.empty();
  }

  /** The members of warm pools that submits take. */
  default Optional<WarmMembers> warmMembers() {
    return Optional.empty();
  }

  /** The faults that this area can cause. */
  default Set<Fault> faults() {
    return Set.of();
  }

  /** Causes a fault and returns its repair, which may run more than once. */
  default Runnable strike(Fault fault) {
    throw new IllegalArgumentException("no fault of this area: " + fault);
  }

  /**
   * Checks the invariants of this area after an event.
   *
   * @throws InvariantBroken when one does not hold
   */
  void check();

  /** The faults end here. */
  default void heal() {}

  /**
   * Checks the end of a run, a few hours after the last fault.
   *
   * @throws InvariantBroken when an invariant does not hold
   */
  default void end() {}
}
