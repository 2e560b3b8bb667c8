package dev.fairlead.care.timeline;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the timeline from the rows of its sources. It stores no rows. */
public interface TimelineStore {
  /**
   * A period in which a node is relevant, inclusive.
   *
   * @param node null for events of the whole cluster
   */
  record Stay(@Nullable NodeId node, ClusterId cluster, Instant since, Instant until) {
    /** The end of an open period. */
    public static final Instant FOREVER = Instant.parse("9999-12-31T23:59:59Z");
  }

  /**
   * A query.
   *
   * @param tenant tenant of the job
   * @param job null if none
   * @param fleet whether the reader may see faults, repairs, tests, and reasons of operators
   */
  record Query(TenantId tenant, @Nullable JobId job, List<Stay> stays, boolean fleet) {}

  /**
   * Returns the nodes and clusters of the job's attempts that are live or ended since that time.
   * Each period is from the start of the attempt until ten minutes after its end, because reports
   * of faults arrive late. The result is empty for archived jobs.
   *
   * @param limit maximum number
   */
  List<Stay> stays(TenantId tenant, JobId job, Instant since, int limit);

  /**
   * Returns the nodes of the cluster that had an incident, a quarantine or a drain since that time,
   * with an open period.
   *
   * @param limit maximum number
   */
  List<Stay> stays(ClusterId cluster, Instant since, int limit);

  /**
   * Returns every node with this id or name, including retired ones, with an open period.
   *
   * @param text id or name
   * @param limit maximum number
   */
  List<Stay> stays(String text, Instant since, int limit);

  /**
   * Returns the entries, oldest first.
   *
   * @param since first instant
   * @param after only entries after this position, null for all
   */
  List<TimelineEntry> entries(
      Query query, Instant since, TimelineEntry.@Nullable Cursor after, int limit);
}
