package dev.fairlead.work.workload.slurm;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.InventoryView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * One reading of a Slurm cluster.
 *
 * @param startedNanos time before the reading
 * @param jobs jobs of this installation by attempt, the oldest first
 * @param partitions names of the nodes of each open partition, the default one first
 */
record SlurmView(
    long startedNanos,
    SortedMap<AttemptId, List<SlurmJob>> jobs,
    InventoryView inventory,
    Map<String, Set<String>> partitions,
    String release) {
  static final SlurmView NONE =
      new SlurmView(0, new TreeMap<>(), new InventoryView(0, List.of()), Map.of(), "");

  /**
   * Reads everything.
   *
   * @param before the reading before, which gives equal nodes their revision
   * @param started time before the reading
   */
  static SlurmView read(
      SlurmRest rest, Installation installation, String user, SlurmView before, long started)
      throws SlurmRest.Away, SlurmRest.Denied {
    JsonNode jobs = rest.read("jobs", "jobs");
    JsonNode nodes = rest.read("nodes", "nodes").path("nodes");
    JsonNode partitions = rest.read("partitions", "partitions").path("partitions");
    SortedMap<AttemptId, List<SlurmJob>> own = own(jobs, installation, user);
    List<NodeReport> reports = SlurmNodes.reports(nodes, all(own));
    long revision = before.inventory().revision();
    boolean same = revision > 0 && reports.equals(before.inventory().nodes());
    return new SlurmView(
        started,
        own,
        same ? before.inventory() : new InventoryView(revision + 1, reports),
        SlurmNodes.partitions(partitions, nodes),
        jobs.path("meta").path("Slurm").path("release").asString(""));
  }

  /** Returns whether nothing was read yet. */
  boolean none() {
    return inventory.revision() == 0;
  }

  /** All jobs of this installation. */
  List<SlurmJob> ownJobs() {
    return all(jobs);
  }

  private static List<SlurmJob> all(SortedMap<AttemptId, List<SlurmJob>> jobs) {
    return jobs.values().stream().flatMap(List::stream).toList();
  }

  private static SortedMap<AttemptId, List<SlurmJob>> own(
      JsonNode jobs, Installation installation, String user) {
    Map<AttemptId, List<SlurmJob>> own = new HashMap<>();
    jobs.path("jobs")
        .valueStream()
        .flatMap(job -> SlurmJob.of(job, installation, user).stream())
        .sorted((one, other) -> Long.compare(one.id(), other.id()))
        .forEach(job -> own.computeIfAbsent(job.attempt(), id -> new ArrayList<>()).add(job));
    return new TreeMap<>(own);
  }
}
