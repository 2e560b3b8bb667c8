package dev.fairlead.bench.simulation;

import dev.fairlead.job.Job;
import dev.fairlead.loop.LeaseTimes;
import dev.fairlead.placement.backoff.BackOffs;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.workload.simulation.SimulatedCluster;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One run of one seed: faults on, then faults off. */
final class Simulation {
  /** Longest time from the end of the faults until everything has ended. */
  static final Duration RECOVERY = Duration.ofHours(6);

  /** Outcomes of pods that keep their job for ever. */
  private static final Set<String> ENDLESS = Set.of("hang", "reject");

  /** How much more frequent than ever a fault is that a missing guard is against. */
  private static final int OFTEN = 10;

  private static final Duration STEP = Duration.ofMinutes(5);

  /** Nothing lives and nothing is tried for longer than the longest back-off. */
  private static final int QUIET_STEPS = 4;

  private final RandomGenerator chance;
  private final Timetable time;
  private final Faults faults;
  private final Set<Guard> missing;
  private final Habitat habitat;
  private final Mischief mischief;
  private final Customers customers;
  private final Invariants invariants;
  private final LeaseTimes times;
  private final List<Replica> replicas = new ArrayList<>();
  private final int[] pauses = {0};
  private int processes;

  /**
   * What came of a run.
   *
   * @param failure null when every invariant held
   * @param trace the last events, empty unless asked for
   */
  record Result(
      long seed,
      Duration simulated,
      long events,
      long checks,
      Map<Fault, Integer> faults,
      int jobs,
      @Nullable Throwable failure,
      List<String> trace) {}

  private Simulation(long seed, Set<Guard> missing, boolean tracing) {
    SplittableRandom root = new SplittableRandom(seed);
    this.chance = root.split();
    this.time = new Timetable(root.split(), tracing);
    this.faults = new Faults(root.split());
    this.missing = missing;
    this.habitat = new Habitat(seed, chance, time, missing);
    this.mischief = new Mischief(root.split(), time, faults, habitat);
    this.customers = new Customers(root.split(), time, habitat, () -> replicas);
    this.invariants = new Invariants(habitat, customers, mischief, time);
    boolean longLeases = chance.nextBoolean() && !missing.contains(Guard.FENCE_CHECK);
    this.times = longLeases ? leases(30, 10, 20) : leases(9, 3, 6);
    habitat.stores().database().listen(topic -> replicas.forEach(r -> r.stir(topic)));
    time.afterEach(() -> {
      invariants.check();
      habitat.follow();
      replace();
    });
  }

  private static LeaseTimes leases(int duration, int renew, int selfStop) {
    return new LeaseTimes(
        Duration.ofSeconds(duration), Duration.ofSeconds(renew), Duration.ofSeconds(selfStop));
  }

  static Result run(long seed) {
    return run(seed, Set.of(), false);
  }

  /**
   * @param missing guards to leave out
   * @param tracing whether to keep the last events
   */
  static Result run(long seed, Set<Guard> missing, boolean tracing) {
    Simulation simulation = new Simulation(seed, missing, tracing);
    try {
      simulation.live();
    } catch (RuntimeException | Error broken) {
      simulation.time.fail(broken);
    }
    List<String> trace = new ArrayList<>();
    simulation.time.trace().forEach(trace::add);
    return new Result(
        seed,
        Duration.ofMillis(simulation.time.now()),
        simulation.time.events(),
        simulation.invariants.checks(),
        simulation.faults.counts(),
        simulation.customers.accepted().size(),
        simulation.time.failure(),
        trace);
  }

  private void live() {
    int count = 1 + chance.nextInt(3);
    if (missing.contains(Guard.FENCE_CHECK)) {
      // two schedulers at once, often: one stands still until another has taken over
      count = 3;
    }
    if (missing.contains(Guard.ABSENT)
        || missing.contains(Guard.TOMBSTONE)
        || missing.contains(Guard.TERMINAL)) {
      customers.regret();
    }
    if (missing.contains(Guard.NODE_NOW)) {
      faults.atLeast(Fault.REBOOT, OFTEN * Fault.REBOOT.most);
    }
    if (missing.contains(Guard.ROOM) || missing.contains(Guard.LIVE_ATTEMPT)) {
      customers.crowd(Duration.ofSeconds(4));
    }
    if (missing.contains(Guard.VERSION)
        && !missing.contains(Guard.LIVE_ATTEMPT)
        && !missing.contains(Guard.TERMINAL)) {
      customers.rows();
    }
    missing.forEach(guard -> faults.atLeast(guard.against, OFTEN * guard.against.most));
    for (int i = 0; i < count; i++) {
      begin();
    }
    customers.start();
    mischief.start();
    int minutes = 5 + chance.nextInt(40);
    pass(Duration.ofMinutes(missing.isEmpty() ? minutes : 40));
    time.say(() -> "faults off");
    faults.off();
    customers.close();
    mischief.heal();
    pass(Duration.ofMinutes(1));
    customers
        .names()
        .forEach(name -> {
          if (chance.nextInt(3) == 0) {
            customers.cancel(name);
          }
        });
    recover();
    remains();
  }

  private void recover() {
    hanging().forEach(customers::cancel);
    int quiet = 0;
    for (Duration left = RECOVERY;
        left.isPositive() && quiet < QUIET_STEPS;
        left = left.minus(STEP)) {
      int attempts = habitat.stores().jobs().everyAttempt().size();
      pass(STEP);
      boolean still =
          habitat.stores().jobs().live().isEmpty()
              && habitat.stores().jobs().everyAttempt().size() == attempts
              && !backsOff();
      quiet = still ? quiet + 1 : 0;
    }
    List<String> stuck = invariants.stuck();
    if (!stuck.isEmpty()) {
      throw new Broken(Invariant.EVERY_JOB_ENDS, stuck.toString());
    }
  }

  /**
   * Whether a job is to be tried again later: long after, when the clock was set back since, or
   * when the nodes that it could have failed it often.
   */
  private boolean backsOff() {
    World world = habitat.stores().world().read();
    BackOffs places = BackOffs.of(world);
    return world.pending().stream().anyMatch(pending -> backsOff(pending, places, world.asOf()));
  }

  private static boolean backsOff(PendingJob pending, BackOffs places, Instant now) {
    return !places.everybody().isEmpty()
        || !places.of(pending.job().id()).isEmpty()
        || pending.offers().stream()
            .anyMatch(offer -> offer.retryAt() != null && offer.retryAt().isAfter(now));
  }

  /** Jobs that may never end by themselves. */
  private List<String> hanging() {
    return habitat.stores().jobs().active().stream()
        .filter(j -> ENDLESS.contains(j.spec().annotations().get("sim.fairlead.dev/outcome") + ""))
        .map(Job::name)
        .toList();
  }

  private void remains() {
    for (SimulatedCluster cluster : habitat.clusters().values()) {
      if (!cluster.workloadsSince(0).workloads().isEmpty()) {
        throw new Broken(
            Invariant.NOTHING_IS_LEFT, cluster.workloadsSince(0).workloads().toString());
      }
    }
    for (QuotaUse use : habitat.stores().quotas().allUses()) {
      if (use.used() != 0 || use.firm() != 0) {
        throw new Broken(Invariant.NOTHING_IS_LEFT, use.toString());
      }
    }
    habitat.stores().jobs().everyAttempt().stream()
        .filter(a -> a.retiredAt() == null)
        .findFirst()
        .ifPresent(a -> {
          throw new Broken(Invariant.NOTHING_IS_LEFT, "not retired: " + a);
        });
  }

  private void pass(Duration duration) {
    time.run(duration);
    Throwable failure = time.failure();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }

  private void begin() {
    String name = "process-" + processes++;
    Fate fate = new Fate(name, time, faults, pauses);
    Replica replica = new Replica(fate, time, habitat, times, missing);
    replicas.add(replica);
    replica.start();
  }

  /** A process that has crashed is started anew, under another name. */
  private void replace() {
    int before = replicas.size();
    replicas.removeIf(r -> !r.fate().alive());
    for (int i = replicas.size(); i < before; i++) {
      time.in(time.between(Duration.ofSeconds(1), Duration.ofSeconds(40)), "restart", this::begin);
    }
  }
}
