package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.VolumePlaces;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All members of one element and where they may run.
 *
 * @param roles by order of the spec, at least one
 * @param openTiers how many of the capacity types, from the first, may be tried already
 * @param closed names of clusters whose window is too short for it now, or that refuse it, and
 *     {@link #closedPool} of pools whose windows do not let it start, and {@link #volumeOn} of
 *     volumes that close all other clusters to it
 * @param tenant the owner: nodes of other tenants' pools are not for it
 * @param nonPreemptible whether it is never evicted, and so uses nominal quota alone
 * @param tiers of the routing policy of its queue
 * @param runtime the job's longest, by which its {@code maxCost} counts; null without that cap
 */
public record GangShape(
    List<MemberShape> roles,
    PlacementSpec placement,
    int openTiers,
    SortedSet<String> closed,
    TenantId tenant,
    boolean nonPreemptible,
    Tiers tiers,
    @Nullable Duration runtime) {
  private static final String VOLUME = "volume/";
  private static final String REACHED = " (reached from nodes with ";

  public GangShape {
    roles = List.copyOf(roles);
    closed =
        closed.isEmpty()
            ? Collections.emptySortedSet()
            : Collections.unmodifiableSortedSet(new TreeSet<>(closed));
  }

  /** What {@link #closed} has of a pool: the slash is in no name of a cluster. */
  public static String closedPool(NodePool pool) {
    return "pool/" + pool.name();
  }

  /** What {@link #closed} has of a volume: jobs that are drawn to one are told so. */
  public static String volumeOn(String volume, VolumePlaces.Place place) {
    String on = VOLUME + volume + " is on " + place.cluster();
    return place.nodeLabels().isEmpty() ? on : on + REACHED + place.nodes() + ")";
  }

  /** Its volumes that are on a cluster, in words; empty when it has none such. */
  public List<String> volumes() {
    return closed.tailSet(VOLUME).stream()
        .takeWhile(each -> each.startsWith(VOLUME))
        .map(each -> each.substring(VOLUME.length()))
        .toList();
  }

  /** Whether its volumes ask labels of nodes, beside its own. */
  public boolean drawnToNodes() {
    return volumes().stream().anyMatch(each -> each.contains(REACHED));
  }

  /** Whether windows or refusals close these nodes to it now. */
  public boolean closed(String cluster, @Nullable NodePool pool) {
    return !closed.isEmpty()
        && (closed.contains(cluster) || pool != null && closed.contains(closedPool(pool)));
  }

  /** With every capacity type, every cluster and every tier open. */
  public static GangShape of(Job job) {
    int all = job.spec().placement().capacity().size();
    return of(job, all, Collections.emptySortedSet(), Tiers.NONE);
  }

  /** As it is after having waited so long. */
  public static GangShape of(Job job, Duration waited, SortedSet<String> closed, Tiers tiers) {
    return of(job, openTiers(job.spec().placement(), waited), closed, tiers);
  }

  private static GangShape of(Job job, int openTiers, SortedSet<String> closed, Tiers tiers) {
    JobSpec spec = job.spec();
    List<MemberShape> roles = new ArrayList<>();
    for (RoleSpec role : spec.roles()) {
      roles.add(MemberShape.of(roles.size(), role, spec.placement()));
    }
    return new GangShape(
        roles,
        spec.placement(),
        openTiers,
        closed,
        job.tenant(),
        spec.nonPreemptible(),
        tiers,
        spec.placement().maxCost() == null ? null : spec.maxRuntime());
  }

  private static int openTiers(PlacementSpec placement, Duration waited) {
    if (placement.waits().isEmpty()) {
      return placement.capacity().size();
    }
    Duration until = Duration.ZERO;
    int open = 0;
    for (CapacityType type : placement.capacity()) {
      if (open > 0 && waited.compareTo(until) < 0) {
        break;
      }
      until = until.plus(placement.waits().getOrDefault(type, Duration.ZERO));
      open++;
    }
    return open;
  }

  /**
   * Steps from the fewest members (step 0) to the wanted ones, each a member or a segment of one
   * role; 0 for a gang that is not elastic.
   */
  public int elasticSteps() {
    int steps = 0;
    for (MemberShape role : roles) {
      steps += steps(role);
    }
    return steps;
  }

  private int steps(MemberShape role) {
    return Math.ceilDiv(role.count() - role.minCount(), grouped(role));
  }

  /** Members of the role that go into one domain together: a segment, or the whole small role. */
  public int grouped(MemberShape role) {
    PlacementSpec.Segment segment = placement.segment();
    return segment == null ? 1 : Math.clamp(segment.size(), 1, role.count());
  }

  /**
   * Members of each role at a step of {@link #elasticSteps}: what is missing of the wanted ones
   * falls on the roles in proportion to what each can do without.
   */
  public int[] counts(int step) {
    int[] counts = new int[roles.size()];
    int all = elasticSteps();
    for (int i = 0; i < counts.length; i++) {
      MemberShape role = roles.get(i);
      int own = steps(role);
      int given = own == 0 ? 0 : own - (int) ((long) own * (all - step) / all);
      counts[i] = Math.min(role.count(), role.minCount() + given * grouped(role));
    }
    return counts;
  }

  /** The same members under other wishes, with another number of open capacity types. */
  public GangShape with(PlacementSpec other, int open) {
    List<MemberShape> labelled = roles.stream().map(r -> r.under(other)).toList();
    return new GangShape(labelled, other, open, closed, tenant, nonPreemptible, tiers, runtime);
  }

  /** The same members for a job that avoids these nodes until the times given. */
  public GangShape avoiding(SortedMap<NodeId, Instant> nodes) {
    return new GangShape(
        roles.stream().map(r -> r.avoiding(nodes)).toList(),
        placement,
        openTiers,
        closed,
        tenant,
        nonPreemptible,
        tiers,
        runtime);
  }

  /** The same members where these bookings close their nodes. */
  public GangShape booked(BookedNodes nodes) {
    return booked().equals(nodes)
        ? this
        : new GangShape(
            roles.stream().map(r -> r.booked(nodes)).toList(),
            placement,
            openTiers,
            closed,
            tenant,
            nonPreemptible,
            tiers,
            runtime);
  }

  /** Nodes that bookings close to it. */
  public BookedNodes booked() {
    return roles.getFirst().booked();
  }

  /** Nodes that failed its job, with the time until which it avoids them. */
  public SortedMap<NodeId, Instant> backsOff() {
    return roles.getFirst().backsOff();
  }

  /** With one role changed. */
  public GangShape with(MemberShape changed) {
    List<MemberShape> all = new ArrayList<>(roles);
    all.set(changed.role(), changed);
    return new GangShape(all, placement, openTiers, closed, tenant, nonPreemptible, tiers, runtime);
  }

  /** As it would be if it ended before the window of the cluster closes. */
  public GangShape within(String cluster) {
    SortedSet<String> fewer = new TreeSet<>(closed);
    fewer.remove(cluster);
    return new GangShape(
        roles, placement, openTiers, fewer, tenant, nonPreemptible, tiers, runtime);
  }

  /** The same members in a queue with these tiers. */
  public GangShape with(Tiers others) {
    return new GangShape(
        roles, placement, openTiers, closed, tenant, nonPreemptible, others, runtime);
  }

  /** As it would be with a longest runtime of its own. */
  public GangShape ending(Duration longest) {
    return new GangShape(
        roles, placement, openTiers, closed, tenant, nonPreemptible, tiers, longest);
  }

  /** As it would be if it could be evicted. */
  public GangShape preemptible() {
    return new GangShape(roles, placement, openTiers, closed, tenant, false, tiers, runtime);
  }
}
