package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.VolumePlaces;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All members of one element and where they may run.
 *
 * @param roles by order of the spec, at least one
 * @param openTiers how many of the capacity types, from the first, may be tried already
 * @param closed names of clusters with a window that is too short for the gang now, of clusters
 *     that refuse it, and of clusters that miss a claim of its volumes, {@link #closedPool} of
 *     pools with windows that do not let it start, and {@link #volumeOn} of volumes that close all
 *     other clusters to it
 * @param tenant the owner. Nodes of other tenants' pools are closed to the gang
 * @param nonPreemptible whether it is never evicted, and so uses only nominal quota
 * @param tiers tiers of the routing policy of its queue
 * @param runtime the job's maximum runtime, by which its {@code maxCost} counts, null without that
 *     cap
 */
@RecordBuilder
public record GangShape(
    List<MemberShape> roles,
    PlacementSpec placement,
    int openTiers,
    SortedSet<String> closed,
    TenantId tenant,
    boolean nonPreemptible,
    Tiers tiers,
    @Nullable Duration runtime)
    implements GangShapeBuilder.With {
  private static final String VOLUME = "volume/";
  private static final String MISSING = ", where its claim is missing";
  private static final String REACHED = " (reached from nodes with ";

  public GangShape {
    roles = List.copyOf(roles);
    closed =
        closed.isEmpty()
            ? Collections.emptySortedSet()
            : Collections.unmodifiableSortedSet(new TreeSet<>(closed));
  }

  /** Returns the entry of {@link #closed} for a pool. No cluster name contains a slash. */
  public static String closedPool(NodePool pool) {
    return "pool/" + pool.name();
  }

  /**
   * Returns the entry of {@link #closed} for a volume, which explanations show to jobs that are
   * bound to its location.
   */
  public static String volumeOn(String volume, VolumePlaces.Place place) {
    String on = VOLUME + volume + " is on " + place.cluster() + (place.missing() ? MISSING : "");
    return place.nodeLabels().isEmpty() ? on : on + REACHED + place.nodes() + ")";
  }

  /** Describes its volumes that are on a cluster. The result is empty if it has none. */
  public List<String> volumes() {
    return closed.tailSet(VOLUME).stream()
        .takeWhile(each -> each.startsWith(VOLUME))
        .map(each -> each.substring(VOLUME.length()))
        .toList();
  }

  public boolean missesClaims() {
    return volumes().stream().anyMatch(each -> each.contains(MISSING));
  }

  /** Returns whether the gang's volumes require node labels in addition to its own. */
  public boolean drawnToNodes() {
    return volumes().stream().anyMatch(each -> each.contains(REACHED));
  }

  /** Returns whether windows or refusals close these nodes to the gang now. */
  public boolean closed(String cluster, @Nullable NodePool pool) {
    return !closed.isEmpty()
        && (closed.contains(cluster) || pool != null && closed.contains(closedPool(pool)));
  }

  /** Returns the gang with every capacity type, cluster and tier open. */
  public static GangShape of(Job job) {
    int all = job.spec().placement().capacity().size();
    return of(job, all, Collections.emptySortedSet(), Tiers.NONE);
  }

  /** Returns the gang after this waiting time. */
  public static GangShape of(Job job, Duration waited, SortedSet<String> closed, Tiers tiers) {
    return of(job, openTiers(job.spec().placement(), waited), closed, tiers);
  }

  private static GangShape of(Job job, int openTiers, SortedSet<String> closed, Tiers tiers) {
    JobSpec spec = job.spec();
    List<MemberShape> roles = new ArrayList<>();
    SortedSet<BackendLoss> losses = BackendLoss.of(spec);
    for (RoleSpec role : spec.roles()) {
      roles.add(MemberShape.of(roles.size(), role, spec.placement(), losses));
    }
    return GangShapeBuilder.builder()
        .roles(roles)
        .placement(spec.placement())
        .openTiers(openTiers)
        .closed(closed)
        .tenant(job.tenant())
        .nonPreemptible(spec.nonPreemptible())
        .tiers(tiers)
        .runtime(spec.placement().maxCost() == null ? null : spec.maxRuntime())
        .build();
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
   * Returns the number of steps from the minimum size (step 0) to the wanted size. Each step is a
   * member or a segment of one role. Returns 0 for a gang that is not elastic.
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

  /**
   * Returns the number of members of the role that share a domain: a segment, or the whole role if
   * it is smaller.
   */
  public int grouped(MemberShape role) {
    PlacementSpec.Segment segment = placement.segment();
    return segment == null ? 1 : Math.clamp(segment.size(), 1, role.count());
  }

  /**
   * Returns the members of each role at a step of {@link #elasticSteps}. Missing members are
   * distributed over the roles in proportion to their numbers of surplus members.
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

  /**
   * Returns the same members with another placement spec and another number of open capacity types.
   */
  public GangShape with(PlacementSpec other, int open) {
    List<MemberShape> labelled = roles.stream().map(r -> r.under(other)).toList();
    return with().roles(labelled).placement(other).openTiers(open).build();
  }

  /** Returns the same members for a job that avoids these nodes until the given times. */
  public GangShape avoiding(SortedMap<NodeId, Instant> nodes) {
    return withRoles(roles.stream().map(r -> r.avoiding(nodes)).toList());
  }

  /** Returns the same members with these advance reservations, which close their nodes. */
  public GangShape booked(BookedNodes nodes) {
    return booked().equals(nodes)
        ? this
        : withRoles(roles.stream().map(r -> r.booked(nodes)).toList());
  }

  /** Returns the gang of a job that these terms concern. */
  public GangShape among(Neighbours others) {
    return neighbours().equals(others)
        ? this
        : withRoles(roles.stream().map(r -> r.among(others)).toList());
  }

  /** Returns which jobs may share a domain with its members. */
  public Neighbours neighbours() {
    return roles.getFirst().neighbours();
  }

  /** Returns the nodes that advance reservations close to the gang. */
  public BookedNodes booked() {
    return roles.getFirst().booked();
  }

  /** Returns the nodes on which its job failed, with the end of each back-off. */
  public SortedMap<NodeId, Instant> backsOff() {
    return roles.getFirst().backsOff();
  }

  public GangShape with(MemberShape changed) {
    List<MemberShape> all = new ArrayList<>(roles);
    all.set(changed.role(), changed);
    return withRoles(all);
  }

  /** Returns the gang as if it ended before the window of the cluster closes. */
  public GangShape within(String cluster) {
    SortedSet<String> fewer = new TreeSet<>(closed);
    fewer.remove(cluster);
    return withClosed(fewer);
  }

  /** Returns the same members in a queue with these tiers. */
  public GangShape with(Tiers others) {
    return withTiers(others);
  }

  /** Returns the gang with this maximum runtime. */
  public GangShape ending(Duration longest) {
    return withRuntime(longest);
  }

  /**
   * Returns why the backend of the cluster refuses the job. The result is empty if it accepts the
   * job.
   */
  public Optional<String> refusedBy(Cluster cluster) {
    return roles.getFirst().terms().refusedBy(cluster);
  }

  /** Returns the gang as if it could be evicted. */
  public GangShape preemptible() {
    return withNonPreemptible(false);
  }
}
