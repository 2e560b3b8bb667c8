package dev.fairlead.work.spec;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Requests of jobs that need the choice of nodes, and that a cluster with another scheduler
 * therefore refuses. Such a job runs on another cluster, or waits for one.
 */
@SuppressWarnings("ImmutableEnumChecker") // predicates without state
public enum BackendLoss {
  TOPOLOGY(
      "a required topology, segments or spread",
      false,
      spec ->
          required(spec.placement().topology())
              || spec.roles().stream().anyMatch(role -> required(role.topology()))
              || spec.placement().segment() != null
              || spec.placement().spread() != null),
  NEIGHBOURS(
      "placement near or away from other jobs",
      false,
      spec ->
          !spec.placement().near().isEmpty()
              || !spec.placement().away().isEmpty()
              || !spec.placement().avoidClasses().isEmpty()),
  PREFLIGHT("a preflight test of its nodes", false, spec -> spec.preflight() != null),
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
  private final boolean ofGroups;
  private final Predicate<JobSpec> asked;

  BackendLoss(String text, boolean ofGroups, Predicate<JobSpec> asked) {
    this.text = text;
    this.ofGroups = ofGroups;
    this.asked = asked;
  }

  /** The request, human-readable. */
  public String text() {
    return text;
  }

  private static boolean required(@Nullable TopologySpec topology) {
    return topology != null && topology.mode() == TopologySpec.Mode.REQUIRED;
  }

  /** Returns whether a cluster with this scheduler refuses the request. */
  public boolean refusedBy(PlacementBackend.Kind kind) {
    return switch (kind) {
      case FAIRLEAD -> false;
      case KUBE_SCHEDULER -> !ofGroups;
      case KUEUE, POD_GROUP -> true;
    };
  }

  /** Requests of a job that some schedulers refuse. */
  public static SortedSet<BackendLoss> of(JobSpec spec) {
    SortedSet<BackendLoss> losses = Collections.emptySortedSet();
    for (BackendLoss loss : values()) {
      if (loss.asked.test(spec)) {
        losses = losses.isEmpty() ? new TreeSet<>() : losses;
        losses.add(loss);
      }
    }
    return Collections.unmodifiableSortedSet(losses);
  }

  /** Reason why a cluster with this scheduler cannot run the job, null if it can. */
  public static @Nullable String trouble(PlacementBackend.Kind kind, JobSpec spec) {
    return of(spec).stream()
        .filter(loss -> loss.refusedBy(kind))
        .findFirst()
        .map(loss -> loss.trouble(kind))
        .orElse(null);
  }

  /** Reason why a cluster with a scheduler that refuses the request cannot run the job. */
  public String trouble(PlacementBackend.Kind kind) {
    return "the job requests "
        + text
        + ", and the backend "
        + kind
        + " chooses the nodes of this cluster";
  }
}
