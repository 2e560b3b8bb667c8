package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import java.util.SortedMap;

/** Clusters that a job names. */
final class NamedClusters {
  private NamedClusters() {}

  /**
   * Checks that the backend of a named cluster can start jobs. An unknown cluster may be registered
   * later.
   *
   * @throws Refusal INVALID_FIELD if no named cluster can start the job, with the next step
   */
  static void start(JobSpec spec, FeasibilityCheck.OfFleet fleet) {
    List<String> named = spec.placement().clusters();
    if (named.isEmpty()) {
      return;
    }
    SortedMap<String, String> stopped = fleet.stoppedBackends();
    if (stopped.keySet().containsAll(named)) {
      String first = named.getFirst();
      throw Refusal.field(
          "/placement/clusters",
          "Cluster %s cannot start the job: %s. Or name another cluster."
              .formatted(first, stopped.get(first)),
          null);
    }
  }
}
