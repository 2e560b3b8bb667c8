package dev.fairlead.work.raypool.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.raypool.RayPoolPlan.Driver;
import dev.fairlead.work.raypool.RayPoolPlan.Phase;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The drivers of Ray pools that a plan needs: all with a cluster, and as many of the oldest that
 * wait as the pool has room for. Only the loop assigns clusters, so it reads the assigned drivers
 * once and remembers them. Not thread-safe.
 */
final class RayDrivers {
  /** Time without a start after which another driver may use the place. */
  static final Duration STALLED = Duration.ofMinutes(1);

  /** Time after which a stalled driver is as good as others again. */
  static final Duration AGAIN = Duration.ofMinutes(10);

  /** A deleted pool remains for longer than a transaction with a submit that began before. */
  static final Duration LATE_SUBMITS = Duration.ofSeconds(90);

  /** Maximum number of pages of waiting drivers in a pass. The next pass continues behind them. */
  private static final int PAGES = 4;

  private static final int PAGE = 500;
  private static final int LEAST = 50;

  private final JobStore jobs;
  private final Transactions transactions;
  private final Map<String, Known> pools = new TreeMap<>();

  /** Beginning of the time that a driver has had a cluster without a start. */
  private final Map<JobId, Instant> unstarted = new TreeMap<>();

  private Map<JobId, Job> needed = Map.of();

  RayDrivers(JobStore jobs, Transactions transactions) {
    this.jobs = jobs;
    this.transactions = transactions;
  }

  private static final class Known {
    /** Drivers that have a cluster, or had one in the pass before. */
    private final Set<JobId> inside = new TreeSet<>();

    private boolean complete;
    private JobFilter.@Nullable Cursor behind;
    private @Nullable Instant empty;
  }

  void forget() {
    pools.clear();
    unstarted.clear();
  }

  /** Forgets other pools. */
  void retain(Set<String> names) {
    pools.keySet().retainAll(names);
    Set<JobId> all =
        pools.values().stream().flatMap(known -> known.inside.stream()).collect(Collectors.toSet());
    Instant old = jobs.now().minus(AGAIN);
    unstarted.entrySet().removeIf(e -> !all.contains(e.getKey()) && e.getValue().isBefore(old));
  }

  /** Records drivers that get a cluster. */
  void assigned(ConfigDocument<WarmPool> pool, Collection<JobId> drivers) {
    known(pool).inside.addAll(drivers);
  }

  private Known known(ConfigDocument<WarmPool> pool) {
    return pools.computeIfAbsent(pool.name(), name -> new Known());
  }

  /** Returns whether a deleted pool has had no drivers for so long that none can appear. */
  boolean gone(Project project, ConfigDocument<WarmPool> pool) {
    Known known = known(pool);
    int left =
        jobs.countActiveLabelled(
            project.tenant(), project.id(), RayPoolJob.POOL, pool.value().name());
    Instant now = jobs.now();
    if (left > 0 || known.empty == null) {
      known.empty = left > 0 ? null : now;
      return false;
    }
    return known.empty.plus(LATE_SUBMITS).isBefore(now);
  }

  /** The drivers for a plan, the oldest first. */
  Map<JobId, Job> read(Project project, ConfigDocument<WarmPool> pool, WarmPool.Sharing sharing) {
    Known known = known(pool);
    Map<JobId, Job> found = new TreeMap<>();
    if (pool.value().deleting()) {
      jobs.activeLabelled(project.tenant(), project.id(), RayPoolJob.POOL, pool.value().name())
          .forEach(job -> found.put(job.id(), job));
      needed = needed(found.values());
    } else {
      List<Job> inside = known.complete ? found(known.inside) : assigned(project, pool.value());
      inside.stream().filter(job -> !job.run().ended()).forEach(job -> found.put(job.id(), job));
      int room = room(pool.value(), sharing, found.values());
      boolean stalled = found.values().stream().anyMatch(job -> stalled(job.id()));
      waiting(project, pool.value().name(), known, Math.max(room, stalled ? 1 : 0), found);
    }
    known.inside.clear();
    known.inside.addAll(inside(found.values()));
    known.complete = !pool.value().deleting(); // last, because each read may fail
    return found;
  }

  private List<Job> found(Set<JobId> drivers) {
    return drivers.isEmpty()
        ? List.of()
        : transactions.readForAllTenants(() -> jobs.findAll(drivers));
  }

  /** All drivers with a cluster, including clusters beyond the current size of the pool. */
  private List<Job> assigned(Project project, WarmPool pool) {
    return pool.memberNames().stream()
        .flatMap(cluster ->
            jobs
                .activeLabelled(project.tenant(), project.id(), RayPoolJob.DRIVER, cluster)
                .stream())
        .toList();
  }

  /** Places without drivers. Drivers of a cluster that the pool no longer has do not count. */
  private static int room(WarmPool pool, WarmPool.Sharing sharing, Collection<Job> drivers) {
    Map<String, Long> taken =
        drivers.stream()
            .flatMap(job -> Stream.ofNullable(RayPoolJob.cluster(job.spec())))
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    return pool.clusterNames().stream()
        .mapToInt(name -> (int) Math.max(0, sharing.jobs() - taken.getOrDefault(name, 0L)))
        .sum();
  }

  private static Set<JobId> inside(Collection<Job> drivers) {
    return drivers.stream()
        .filter(job -> RayPoolJob.cluster(job.spec()) != null)
        .map(Job::id)
        .collect(Collectors.toSet());
  }

  /** Adds waiting drivers until {@code room} drivers can start. */
  private void waiting(Project project, String pool, Known known, int room, Map<JobId, Job> found) {
    needed = needed(found.values());
    int ready = 0;
    for (int page = 0; page < PAGES && ready < room; page++) {
      JobFilter filter =
          JobFilter.of(project.tenant(), project.id())
              .labelled(new TreeMap<>(Map.of(RayPoolJob.POOL, pool)))
              .withStates(List.of(JobState.QUEUED))
              .withOrder(JobFilter.Order.OLDEST)
              .withAfter(known.behind)
              .withLimit(known.behind == null ? Math.clamp(room, LEAST, PAGE) : PAGE);
      JobSlice slice = jobs.list(filter);
      Map<JobId, Job> more = new TreeMap<>(needed);
      more.putAll(needed(slice.jobs()));
      needed = more;
      for (Job job : slice.jobs()) {
        boolean other = RayPoolJob.cluster(job.spec()) == null && found.put(job.id(), job) == null;
        ready += other && ready(job) ? 1 : 0;
      }
      known.behind = slice.next();
      if (slice.next() == null) {
        return;
      }
    }
    if (ready >= room) {
      known.behind = null;
    }
  }

  private Map<JobId, Job> needed(Collection<Job> drivers) {
    Set<JobId> ids =
        drivers.stream()
            .flatMap(driver -> driver.spec().dependsOn().stream())
            .map(Dependency::job)
            .collect(Collectors.toSet());
    return ids.isEmpty()
        ? Map.of()
        : transactions.readForAllTenants(() -> jobs.findAll(ids)).stream()
            .collect(Collectors.toMap(Job::id, Function.identity()));
  }

  /** A driver as the plan needs it. */
  Driver driver(Job job, boolean live) {
    Phase phase =
        switch (job.state()) {
          case QUEUED -> live ? Phase.STOPS : ready(job) ? Phase.WAITS : Phase.HELD;
          case ADMITTED, STARTING, RUNNING -> Phase.RUNS;
          case SUSPENDED -> live ? Phase.STOPS : Phase.HELD;
          case CANCELLING, SUCCEEDED, FAILED, CANCELLED -> Phase.STOPS;
        };
    String cluster = RayPoolJob.cluster(job.spec());
    Instant now = jobs.now();
    Instant since = unstarted.get(job.id());
    if (phase != Phase.WAITS || since != null && !since.plus(AGAIN).isAfter(now)) {
      Instant _ = unstarted.remove(job.id());
    }
    if (phase == Phase.WAITS && cluster != null) {
      Instant _ = unstarted.putIfAbsent(job.id(), now);
    }
    return new Driver(job.id(), phase, cluster, RayPoolJob.address(job.spec()), stalled(job.id()));
  }

  private boolean stalled(JobId driver) {
    Instant since = unstarted.get(driver);
    return since != null && !since.plus(STALLED).isAfter(jobs.now());
  }

  /**
   * Returns whether the driver waits neither for a time nor for another job. A driver that still
   * waits would reserve a Ray cluster too early.
   */
  private boolean ready(Job driver) {
    Instant from = driver.spec().notBefore();
    return (from == null || !jobs.now().isBefore(from))
        && driver.spec().dependsOn().stream().allMatch(each -> met(each, needed.get(each.job())));
  }

  private static boolean met(Dependency dependency, @Nullable Job job) {
    return job == null // archived
        || job.run().ended()
        || dependency.condition() == Dependency.Condition.STARTED && job.run().startedAt() != null;
  }
}
