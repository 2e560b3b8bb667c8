package dev.fairlead.care.timeline;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what happened from the rows that say so; nothing is written for it. */
public interface TimelineStore {
  /**
   * When a node matters, ends included.
   *
   * @param node null for what happens to its cluster as a whole
   */
  record Stay(@Nullable NodeId node, ClusterId cluster, Instant since, Instant until) {
    /** The end of what goes on. */
    public static final Instant FOREVER = Instant.parse("9999-12-31T23:59:59Z");
  }

  /**
   * What is asked for.
   *
   * @param tenant of the job
   * @param job null for none
   * @param fleet whether the reader may see faults, repairs, tests, and what operators said
   */
  record Query(TenantId tenant, @Nullable JobId job, List<Stay> stays, boolean fleet) {}

  /**
   * The nodes and clusters on which attempts of the job were that live or ended since, from the
   * attempt's begin until ten minutes after its end, since reports of faults come late. Of jobs
   * that are archived none.
   *
   * @param limit at most so many
   */
  List<Stay> stays(TenantId tenant, JobId job, Instant since, int limit);

  /**
   * Nodes of the cluster that have or had since an incident, a quarantine or a drain; from then
   * until the end of time.
   *
   * @param limit at most so many
   */
  List<Stay> stays(ClusterId cluster, Instant since, int limit);

  /**
   * Every node of this id or name, those that are retired too; from then until the end of time.
   *
   * @param text id or name
   * @param limit at most so many
   */
  List<Stay> stays(String text, Instant since, int limit);

  /**
   * Oldest first.
   *
   * @param since first instant
   * @param after only those that stand behind it, null for all
   */
  List<TimelineEntry> entries(
      Query query, Instant since, TimelineEntry.@Nullable Mark after, int limit);
}
