package dev.fairlead.care.timeline.service;

import dev.fairlead.care.timeline.TimelineEntry;
import dev.fairlead.care.timeline.TimelineStore;
import dev.fairlead.care.timeline.TimelineStore.Query;
import dev.fairlead.care.timeline.TimelineStore.Stay;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.job.store.JobStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Combines the events of a job, a node or a cluster in one timeline. */
@Service
public class Timelines {
  /** Maximum number of nodes of one timeline, more than the largest gang has. */
  private static final int MOST_NODES = 5_000;

  /** Maximum number of clusters with a node of the same name that a refusal lists. */
  private static final int MOST_NAMED = 4;

  private final Transactions transactions;
  private final TimelineStore timeline;
  private final InventoryStore inventory;
  private final JobStore jobs;

  public Timelines(
      Transactions transactions, TimelineStore timeline, InventoryStore inventory, JobStore jobs) {
    this.transactions = transactions;
    this.timeline = timeline;
    this.inventory = inventory;
    this.jobs = jobs;
  }

  /**
   * Lists events of the job, and events of its nodes and clusters while it used them. An actor
   * without the right to read incidents sees only the state changes of the nodes: quarantined,
   * released or drained.
   *
   * @param since start of the list
   * @param after position after which the list continues, null for all
   * @throws Refusal NOT_FOUND
   */
  public List<TimelineEntry> ofJob(
      Actor actor, JobId id, Instant since, TimelineEntry.@Nullable Cursor after, int limit) {
    if (transactions.read(() -> jobs.find(actor.tenant(), id)).isEmpty()) {
      throw new Refusal(ProblemCode.NOT_FOUND, "There is no job " + id.text() + ".");
    }
    boolean fleet = Permissions.grant(actor, "listIncidents") != Grant.NO;
    List<Stay> stays = timeline.stays(actor.tenant(), id, since, MOST_NODES);
    return timeline.entries(new Query(actor.tenant(), id, stays, fleet), since, after, limit);
  }

  /**
   * Lists events of a node, which may be retired.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<TimelineEntry> ofNode(
      Actor actor, String text, Instant since, TimelineEntry.@Nullable Cursor after, int limit) {
    List<Stay> found = timeline.stays(text, since, MOST_NAMED);
    if (found.isEmpty()) {
      throw new Refusal(ProblemCode.NOT_FOUND, "There is no node \"" + text + "\".");
    }
    Stay node = found.getFirst();
    if (found.size() > 1) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          "Several clusters have or had a node \""
              + text
              + "\". Give its id: "
              + found.stream()
                  .map(each -> Objects.requireNonNull(each.node()).text())
                  .collect(Collectors.joining(", "))
              + ".");
    }
    List<Stay> stays = List.of(node, new Stay(null, node.cluster(), since, Stay.FOREVER));
    return timeline.entries(new Query(actor.tenant(), null, stays, true), since, after, limit);
  }

  /**
   * Lists events of a cluster.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public List<TimelineEntry> ofCluster(
      Actor actor, String text, Instant since, TimelineEntry.@Nullable Cursor after, int limit) {
    ClusterId cluster = FleetNames.cluster(inventory, text).id();
    List<Stay> stays = new ArrayList<>(timeline.stays(cluster, since, MOST_NODES));
    stays.add(new Stay(null, cluster, since, Stay.FOREVER));
    return timeline.entries(new Query(actor.tenant(), null, stays, true), since, after, limit);
  }
}
