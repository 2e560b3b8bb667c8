package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.backoff.Refusals;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.world.VolumePlaces;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which clusters and pools are closed to a job that would start now: by their windows,
 * because a cluster recently refused its pods, or because a cluster misses the claim of a volume.
 */
public final class Windows {
  private final List<Cluster> windowed;
  private final List<ClusterCapacity> pools;
  private final Refusals refusals;
  private final AdvanceReservationLookup advanceReservations;
  private final VolumePlaces volumes;
  private final QuotaTree tree;
  private final Instant asOf;
  private final Map<Times, SortedSet<String>> closed = new LinkedHashMap<>();

  /** The job properties that decide which windows are closed to it. */
  private record Times(
      TenantId tenant, List<String> pools, @Nullable Instant end, @Nullable Instant leaves) {}

  /**
   * @param tree for the longest runtime of jobs that specify none
   */
  public Windows(Fleet fleet, QuotaTree tree, Instant asOf) {
    windowed =
        fleet.clusters().stream()
            .map(c -> c.cluster())
            .filter(c -> !c.settings().window().always())
            .distinct()
            .toList();
    Map<NodePool, ClusterCapacity> parts = new LinkedHashMap<>();
    for (ClusterCapacity part : fleet.clusters()) {
      NodePool pool = part.pool();
      if (pool != null && !pool.windows().always()) {
        parts.putIfAbsent(pool, part);
      }
    }
    pools = List.copyOf(parts.values());
    refusals = fleet.refusals();
    advanceReservations = new AdvanceReservationLookup(fleet.advanceReservations(), tree);
    volumes = fleet.volumes();
    this.tree = tree;
    this.asOf = asOf;
  }

  /**
   * Returns whether a job that starts at that time ends before its deadline and before the windows
   * close.
   */
  public static boolean inTime(Job job, ClusterCapacity part, QuotaTree tree, Instant start) {
    Window window = part.cluster().settings().window();
    NodePool pool = part.pool();
    return !Deadline.passed(job.spec(), start)
        && (window.always() || window.holds(start, Runtimes.end(job, tree, start)))
        && (pool == null
            || Runtimes.admit(
                pool.windows(),
                part.opening(start),
                job,
                tree.node(job.queue()).orElse(null),
                start));
  }

  /** Returns whether windows never close this part of a cluster. */
  public static boolean always(ClusterCapacity part) {
    NodePool pool = part.pool();
    return part.cluster().settings().window().always() && (pool == null || pool.windows().always());
  }

  /**
   * Returns whether any cluster or pool may be closed, so the closed capacity of a job changes over
   * time.
   */
  public boolean any() {
    return !windowed.isEmpty() || !pools.isEmpty() || refusals.any();
  }

  /**
   * Returns the names of clusters that are closed to the job: their window ends before the job
   * would, they refuse the job, or they miss a claim of its volumes. The result also contains
   * {@link GangShape#closedPool} of pools with windows that do not let it start, and {@link
   * GangShape#volumeOn} of its volumes. Jobs with equal end times share a cached result.
   */
  public SortedSet<String> closedTo(Job job) {
    SortedMap<String, VolumePlaces.Place> on = volumes.of(job);
    SortedSet<String> byTime = any() ? closedNow(job) : Collections.emptySortedSet();
    if (on.isEmpty()) {
      return byTime;
    }
    SortedSet<String> both = new TreeSet<>(byTime);
    on.forEach((volume, place) -> {
      both.add(GangShape.volumeOn(volume, place));
      if (place.missing()) {
        both.add(place.cluster());
      }
    });
    return both;
  }

  private SortedSet<String> closedNow(Job job) {
    Times times =
        new Times(
            job.tenant(),
            job.spec().placement().pools(),
            Runtimes.end(job, tree, asOf),
            Runtimes.leaves(job, asOf));
    SortedSet<String> byTime = closed.computeIfAbsent(times, this::closedTo);
    SortedMap<String, Refusals.Refused> refused = refusals.of(job);
    if (refused.isEmpty()) {
      return byTime;
    }
    SortedSet<String> both = new TreeSet<>(byTime);
    both.addAll(refused.keySet());
    return both;
  }

  /** Returns the nodes that advance reservations close to a job that would start now. */
  public BookedNodes bookedFor(Job job) {
    return advanceReservations.closedTo(job, asOf);
  }

  /**
   * Returns the nodes that advance reservations close to a job that starts at that time or earlier.
   */
  public BookedNodes bookedFor(Job job, Instant latest) {
    return advanceReservations.closedTo(job, asOf, latest);
  }

  private SortedSet<String> closedTo(Times times) {
    SortedSet<String> shut = new TreeSet<>();
    for (Cluster cluster : windowed) {
      if (!cluster.settings().window().holds(asOf, times.end())) {
        shut.add(cluster.name());
      }
    }
    for (ClusterCapacity part : pools) {
      NodePool pool = Objects.requireNonNull(part.pool());
      if (pool.serves(times.tenant())
          && (times.pools().isEmpty() || times.pools().contains(pool.name()))
          && !pool.windows().admit(part.opening(asOf), asOf, times.end(), times.leaves())) {
        shut.add(GangShape.closedPool(pool));
      }
    }
    return Collections.unmodifiableSortedSet(shut);
  }
}
