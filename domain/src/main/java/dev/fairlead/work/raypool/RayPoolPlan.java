package dev.fairlead.work.raypool;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.warmpool.WarmPool.Sharing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Next steps of a Ray pool: which driver uses which cluster, and how many clusters the pool needs.
 * Pure.
 *
 * @param assigned cluster of each driver that gets one, by job
 * @param released drivers that do not run and lose their cluster. Their places are free in the next
 *     plan only, because a driver may start before it is released
 * @param stopped running drivers of a cluster that has ended, which wait again
 * @param cancelled names of clusters without drivers that the pool does not need
 * @param missing number of clusters to submit
 */
public record RayPoolPlan(
    SortedMap<JobId, Cluster> assigned,
    List<JobId> released,
    List<JobId> stopped,
    List<String> cancelled,
    int missing) {

  /**
   * A Ray cluster of the pool.
   *
   * @param current whether it has the spec of the pool. Another cluster gets no more drivers
   * @param address address of its head, null while it does not run
   * @param idle whether it has had no drivers for the idle time of the pool
   */
  public record Cluster(String name, boolean current, @Nullable String address, boolean idle) {}

  /** State of a driver. */
  public enum Phase {
    /** The driver can start. */
    WAITS,
    /** The driver is suspended, or waits for a time or another job. */
    HELD,
    /** The cluster has an attempt that runs or is about to start. */
    RUNS,
    /** Its attempt is stopping. */
    STOPS
  }

  /**
   * A driver of the pool.
   *
   * @param cluster name of its cluster, null if none
   * @param address head of its cluster, null if none
   * @param stalled whether it had a cluster for so long without a start, for example because its
   *     queue has no quota, that another driver may use its place
   */
  public record Driver(
      JobId job,
      Phase phase,
      @Nullable String cluster,
      @Nullable String address,
      boolean stalled) {}

  /**
   * Drivers fill one cluster before another, so that surplus clusters become idle.
   *
   * @param drivers oldest first
   */
  public static RayPoolPlan of(WarmPool pool, List<Cluster> clusters, List<Driver> drivers) {
    return new Planner(pool, clusters).plan(drivers);
  }

  private static final class Planner {
    private final WarmPool pool;
    private final Sharing sharing;
    private final SortedMap<String, Cluster> clusters = new TreeMap<>();
    private final Map<String, Integer> busy = new TreeMap<>();
    private final SortedMap<JobId, Cluster> assigned = new TreeMap<>();
    private final List<JobId> released = new ArrayList<>();
    private final List<JobId> stopped = new ArrayList<>();
    private int waiting;

    Planner(WarmPool pool, List<Cluster> clusters) {
      this.pool = pool;
      Sharing ray = pool.ray();
      if (ray == null) {
        throw new IllegalArgumentException("pool " + pool.name() + " has no Ray clusters");
      }
      sharing = ray;
      clusters.forEach(cluster -> this.clusters.put(cluster.name(), cluster));
    }

    RayPoolPlan plan(List<Driver> drivers) {
      List<Driver> inside = drivers.stream().filter(this::inside).toList();
      inside.forEach(this::count);
      List<Driver> outside = drivers.stream().filter(driver -> !inside(driver)).toList();
      outside.stream().filter(driver -> !driver.stalled()).forEach(this::outside);
      int first = waiting;
      outside.stream().filter(Driver::stalled).forEach(this::outside);
      inside.stream().filter(this::yields).limit(first).forEach(this::release);
      int demand = waiting + busy.values().stream().mapToInt(Integer::intValue).sum();
      int needed = pool.deleting() ? 0 : Math.ceilDiv(demand, sharing.jobs());
      int wanted = Math.min(pool.members(), Math.max(needed, pool.deleting() ? 0 : sharing.min()));
      int current = (int) clusters.values().stream().filter(Cluster::current).count();
      List<String> cancelled = new ArrayList<>();
      for (Cluster cluster : clusters.values()) {
        boolean surplus = cluster.current() && current > wanted;
        boolean unused = !busy.containsKey(cluster.name());
        if (unused && (!cluster.current() || surplus && (cluster.idle() || pool.deleting()))) {
          cancelled.add(cluster.name());
          current -= cluster.current() ? 1 : 0;
        }
      }
      int room = pool.members() - clusters.size();
      return new RayPoolPlan(
          assigned, released, stopped, cancelled, Math.max(0, Math.min(wanted - current, room)));
    }

    /** Returns whether the driver may use its cluster. */
    private boolean inside(Driver driver) {
      Cluster cluster = driver.cluster() == null ? null : clusters.get(driver.cluster());
      return cluster != null
          && cluster.address() != null
          && cluster.address().equals(driver.address())
          && driver.phase() != Phase.HELD;
    }

    private boolean yields(Driver driver) {
      return driver.stalled() && driver.phase() == Phase.WAITS;
    }

    private void count(Driver driver) {
      String cluster = driver.cluster();
      if (cluster != null) {
        busy.merge(cluster, 1, Integer::sum);
      }
    }

    private void outside(Driver driver) {
      switch (driver.phase()) {
        case RUNS -> stopped.add(driver.job());
        case STOPS -> {}
        case HELD -> release(driver);
        case WAITS ->
            free()
                .ifPresentOrElse(
                    cluster -> {
                      assigned.put(driver.job(), cluster);
                      busy.merge(cluster.name(), 1, Integer::sum);
                    },
                    () -> {
                      waiting++;
                      release(driver);
                    });
      }
    }

    private void release(Driver driver) {
      if (driver.cluster() != null) {
        released.add(driver.job());
      }
    }

    /** The fullest cluster with room for a driver. */
    private Optional<Cluster> free() {
      return clusters.values().stream()
          .filter(cluster -> cluster.current() && cluster.address() != null && !pool.deleting())
          .filter(cluster -> drivers(cluster) < sharing.jobs())
          .max(Comparator.comparingInt(this::drivers).thenComparing(Cluster::name));
    }

    private int drivers(Cluster cluster) {
      return busy.getOrDefault(cluster.name(), 0);
    }
  }
}
