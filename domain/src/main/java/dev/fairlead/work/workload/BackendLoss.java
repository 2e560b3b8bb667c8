package dev.fairlead.work.workload;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.spec.TopologySpec;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests of jobs that need the choice of nodes, and that a cluster with another scheduler
 * therefore refuses. Such a job runs on another cluster, and fails if none is eligible.
 */
@SuppressWarnings("ImmutableEnumChecker") // predicates without state
public enum BackendLoss {
  TOPOLOGY(
      "a required topology, segments or spread",
      false,
      spec ->
          spec.placement().topology() != null
                  && spec.placement().topology().mode() == TopologySpec.Mode.REQUIRED
              || spec.placement().segment() != null
              || spec.placement().spread() != null),
  NEIGHBOURS(
      "placement near or away from other jobs",
      false,
      spec ->
          !spec.placement().near().isEmpty()
              || !spec.placement().away().isEmpty()
              || !spec.placement().avoidClasses().isEmpty()),
  NODE_LABELS("nodes by their labels", false, spec -> !spec.placement().nodeLabels().isEmpty()),
  NUMA("a required NUMA node", false, spec -> spec.placement().numa() == Numa.REQUIRED),
  PARTS_OF_GPUS(
      "MIG slices and fractions of GPUs",
      false,
      spec ->
          spec.roles().stream()
              .anyMatch(role ->
                  role.gpu().kind() != GpuRequest.Kind.NONE
                      && role.gpu().kind() != GpuRequest.Kind.WHOLE)),
  ELASTIC(
      "elastic gangs and the replacement of failed members",
      true,
      spec -> spec.elastic() || spec.gangRepair() != null),
  IN_PLACE(
      "objects of front clusters that run in place",
      false,
      spec -> spec.annotations().containsKey(SeenJob.IN_PLACE));

  private final String text;
  private final boolean kueueOnly;
  private final Predicate<JobSpec> asked;

  BackendLoss(String text, boolean kueueOnly, Predicate<JobSpec> asked) {
    this.text = text;
    this.kueueOnly = kueueOnly;
    this.asked = asked;
  }

  /** The request, human-readable. */
  public String text() {
    return text;
  }

  /** Requests that a cluster with the scheduler refuses. */
  public static Set<BackendLoss> of(PlacementBackend.Kind kind) {
    Set<BackendLoss> losses = EnumSet.noneOf(BackendLoss.class);
    for (BackendLoss loss : values()) {
      boolean lost =
          switch (kind) {
            case FAIRLEAD -> false;
            case KUBE_SCHEDULER -> !loss.kueueOnly;
            case KUEUE -> true;
          };
      if (lost) {
        losses.add(loss);
      }
    }
    return losses;
  }

  /** Reason why a cluster with this scheduler cannot run the job, null if it can. */
  public static @Nullable String trouble(PlacementBackend.Kind kind, Job job) {
    for (BackendLoss loss : of(kind)) {
      if (loss.asked.test(job.spec())) {
        return "the job requests "
            + loss.text
            + ", and "
            + kind.word()
            + " chooses the nodes of this cluster";
      }
    }
    return null;
  }
}
