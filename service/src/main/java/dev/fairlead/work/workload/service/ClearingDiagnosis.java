package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.job.store.JobStore;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Reports the objects of ended attempts that remain on each cluster, and the cause. */
@Component
public class ClearingDiagnosis implements Diagnosis {
  private static final int MOST = 1_000;
  private final InventoryStore inventory;
  private final JobStore jobs;

  public ClearingDiagnosis(InventoryStore inventory, JobStore jobs) {
    this.inventory = inventory;
    this.jobs = jobs;
  }

  @Override
  public String area() {
    return "clearing";
  }

  @Override
  public List<DoctorCheck> look() {
    return inventory.clusters().stream().flatMap(cluster -> heldUp(cluster).stream()).toList();
  }

  /** Names the attempt that has been held up longest: ids are ordered by time. */
  private Optional<DoctorCheck> heldUp(Cluster cluster) {
    List<BlockedCleanup> held = jobs.heldUp(cluster.id(), MOST);
    return held.stream()
        .min(Comparator.comparing(BlockedCleanup::attempt))
        .map(first ->
            DoctorCheck.warning(
                area(),
                cluster.name(),
                "%d ended %s on it cannot be cleaned up. Job %s, seen at %s: %s"
                    .formatted(
                        held.size(),
                        held.size() == 1 ? "attempt" : "attempts",
                        first.job().text(),
                        first.told(),
                        first.why()),
                "Remove the named blockers. Until then these jobs are neither deleted nor archived. The events "
                    + "AttemptNotCleared name the others."));
  }
}
