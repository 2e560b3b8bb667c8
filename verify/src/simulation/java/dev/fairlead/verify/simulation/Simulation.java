package dev.fairlead.verify.simulation;

import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.verify.simulation.serving.KillsInRollouts;
import dev.fairlead.verify.simulation.work.JobClients;
import dev.fairlead.verify.simulation.work.PlannedJobs;
import dev.fairlead.verify.simulation.work.Replica;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Fault;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.memory.MemoryJobStore;
import dev.fairlead.work.placement.backoff.BackOffs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A run of one seed: with faults, then without, or without any, or with restarts only. */
public final class Simulation {
  /** Longest time from the end of the faults until everything has ended. */
  static final Duration RECOVERY = Duration.ofHours(6);

  /** Maximum duration of a run without faults. */
  private static final Duration CALM = Duration.ofDays(2);

  private static final Duration SHORT_STEP = Duration.ofMinutes(1);

  /**
   * A start may take as long as the run: its time-out includes the time without a process that
   * could create pods, which is most of the time if every event causes a restart.
   */
  private static final WorkloadTimeouts PATIENT =
      WorkloadTimeouts.DEFAULT.with().gangStart(CALM).imagePull(CALM).build();

  /** Outcomes of pods that never end their job. */
  private static final Set<String> ENDLESS = Set.of("hang", "reject");

  /** The factor by which the fault of a missing guard is more frequent than usual. */
  private static final int OFTEN = 10;

  private static final Duration STEP = Duration.ofMinutes(5);

  /** No object lives and no call is retried for longer than the maximum back-off. */
  private static final int QUIET_STEPS = 4;

  private final long seed;
  private final Trouble trouble;
  private final RandomGenerator chance;
  private final VirtualTime time;
  private final FaultRates faults;
  private final Set<Guard> missing;
  private final @Nullable KillsInRollouts kills;
  private final DurableState durable;
  private final ClusterFaults clusterFaults;
  private final JobClients clients;
  private final Invariants invariants;
  private final List<Area> areas;
  private final LeaseTimes times;
  private final WorkloadTimeouts timeouts;
  private final List<Replica> replicas = new ArrayList<>();
  private final int[] pauses = {0};
  private int processes;
  private long restarts;

  /** The faults of the system. */
  enum Trouble {
    FAULTS,
    NONE,
    /** One process ends at each commit that appends an event, before it receives the answer. */
    RESTARTS
  }

  /**
   * The result of a run.
   *
   * @param commits that appended to the event log
   * @param restarts processes that replaced another
   * @param outcomes outcome of each job by name, empty if faults determine it
   * @param failure null when every invariant held
   * @param trace the last events, empty unless requested
   */
  record Result(
      long seed,
      Duration simulated,
      long events,
      long checks,
      Map<Fault, Integer> faults,
      int jobs,
      long commits,
      long restarts,
      SortedMap<String, String> outcomes,
      @Nullable Throwable failure,
      List<String> trace) {}

  private Simulation(
      long seed,
      Trouble trouble,
      Set<Guard> missing,
      boolean tracing,
      @Nullable KillsInRollouts kills) {
    this.seed = seed;
    this.kills = kills;
    this.trouble = trouble;
    SplittableRandom root = new SplittableRandom(seed);
    this.chance = root.split();
    this.time = new VirtualTime(root.split(), tracing);
    this.faults = new FaultRates(root.split());
    this.missing = missing;
    this.durable = new DurableState(seed, chance, time, missing);
    this.clusterFaults = new ClusterFaults(root.split(), time, faults, durable);
    this.clients = new JobClients(root.split(), time, durable, () -> replicas);
    this.invariants = new Invariants(durable, clients, clusterFaults, time, missing);
    this.areas =
        trouble == Trouble.FAULTS
            ? Areas.all(seed, root.split(), time, durable, clients, faults, missing, kills)
            : List.of();
    clusterFaults.in(areas);
    boolean longLeases = chance.nextBoolean() && !missing.contains(Guard.FENCE_CHECK);
    this.timeouts = trouble == Trouble.FAULTS ? WorkloadTimeouts.DEFAULT : PATIENT;
    this.times = longLeases ? leases(30, 10, 20) : leases(9, 3, 6);
    durable
        .stores()
        .database()
        .listen(topic -> {
          if (trouble == Trouble.RESTARTS && topic == WakeUps.Topic.JOBS) {
            replicas.forEach(r -> r.life().end("an event"));
          }
          replicas.forEach(r -> r.stir(topic));
        });
    time.afterEach(() -> {
      invariants.check();
      areas.forEach(Area::check);
      durable.follow();
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
   * @param missing omitted guards
   * @param tracing whether to record the last events
   */
  static Result run(long seed, Set<Guard> missing, boolean tracing) {
    return run(seed, Trouble.FAULTS, missing, tracing);
  }

  static Result run(long seed, Trouble trouble, Set<Guard> missing, boolean tracing) {
    return run(new Simulation(seed, trouble, missing, tracing, null));
  }

  /** A run with model services, whose kills are counted. */
  static Result services(long seed, KillsInRollouts kills) {
    return run(new Simulation(seed, Trouble.FAULTS, Set.of(), false, kills));
  }

  private static Result run(Simulation simulation) {
    SortedMap<String, String> outcomes = new TreeMap<>();
    try {
      if (simulation.trouble == Trouble.FAULTS) {
        simulation.live();
      } else {
        simulation.calm();
        outcomes.putAll(simulation.outcomes());
      }
    } catch (RuntimeException | Error broken) {
      simulation.time.fail(broken);
    }
    List<String> trace = new ArrayList<>();
    simulation.time.trace().forEach(trace::add);
    return new Result(
        simulation.seed,
        Duration.ofMillis(simulation.time.now()),
        simulation.time.events(),
        simulation.invariants.checks(),
        simulation.faults.counts(),
        simulation.clients.accepted().size(),
        simulation.durable.commits(),
        simulation.restarts,
        outcomes,
        simulation.time.failure(),
        trace);
  }

  private void live() {
    int count = 1 + chance.nextInt(3);
    if (missing.contains(Guard.FENCE_CHECK)) {
      /* often two schedulers at the same time: one is paused until another has taken over */
      count = 3;
    }
    if (missing.contains(Guard.ABSENT)
        || missing.contains(Guard.TOMBSTONE)
        || missing.contains(Guard.TERMINAL)) {
      clients.regret();
    }
    if (missing.contains(Guard.NODE_NOW)) {
      faults.atLeast(Fault.REBOOT, OFTEN * Fault.REBOOT.most);
    }
    if (missing.contains(Guard.QUARANTINE)) {
      /* only a machine that disappears and returns changes the state of its node through reports */
      faults.atLeast(Fault.DEAD_MACHINE, OFTEN * Fault.DEAD_MACHINE.most);
    }
    if (missing.contains(Guard.ROOM) || missing.contains(Guard.LIVE_ATTEMPT)) {
      clients.crowd(Duration.ofSeconds(4));
    }
    if (missing.contains(Guard.DEVICE_ELSEWHERE)) {
      clients.crowd(Duration.ofSeconds(4));
    }
    if (missing.contains(Guard.DEVICE_ALLOCATION) || missing.contains(Guard.DEVICE_FAULT)) {
      clients.lasting();
      clients.crowd(Duration.ofSeconds(20));
    }
    if (missing.contains(Guard.VERSION)
        && !missing.contains(Guard.LIVE_ATTEMPT)
        && !missing.contains(Guard.TERMINAL)) {
      clients.rows();
    }
    if (missing.contains(Guard.CLOSED_HOUR) || missing.contains(Guard.BUDGET_CLOCK)) {
      clients.crowd(Duration.ofSeconds(30));
    }
    if (missing.contains(Guard.KEPT_END)) {
      clients.wide();
    }
    if (missing.contains(Guard.WAITING)) {
      clients.overrun(OnUnreachable.AFTER_DEADLINE);
    }
    if (missing.contains(Guard.RENEWAL)) {
      clients.overrun(OnUnreachable.WAIT);
    }
    missing.forEach(guard -> faults.atLeast(guard.against, OFTEN * guard.against.most));
    for (int i = 0; i < count; i++) {
      begin();
    }
    clients.start();
    clusterFaults.start();
    int minutes = 5 + chance.nextInt(40);
    pass(Duration.ofMinutes(missing.isEmpty() ? minutes : 40));
    time.say(() -> "faults off");
    faults.off();
    clients.close();
    clusterFaults.heal();
    areas.forEach(Area::heal);
    pass(Duration.ofMinutes(1));
    clients
        .names()
        .forEach(name -> {
          if (chance.nextInt(3) == 0) {
            clients.cancel(name);
          }
        });
    recover();
    remains();
  }

  /** A single process without faults. Ends when no more events occur. */
  private void calm() {
    faults.off();
    begin();
    clients.start(PlannedJobs.of(seed, durable.preempts()));
    int quiet = 0;
    for (Duration left = CALM; left.isPositive() && quiet < 2; left = left.minus(SHORT_STEP)) {
      long before = durable.commits();
      pass(SHORT_STEP);
      quiet = durable.commits() == before && still() ? quiet + 1 : 0;
      if (quiet > 0 && durable.stores().jobs().active().isEmpty()) {
        break;
      }
    }
    allEnded();
    remains();
  }

  private boolean still() {
    return clients.unanswered() == 0
        && durable.stores().jobs().everyAttempt().stream().allMatch(a -> a.retiredAt() != null)
        && !backsOff();
  }

  /** Results that must not depend on the acting process: states, causes and used retries. */
  private SortedMap<String, String> outcomes() {
    MemoryJobStore jobs = durable.stores().jobs();
    SortedMap<String, String> outcomes = new TreeMap<>();
    for (Job job : jobs.findAll(clients.accepted().values())) {
      StringBuilder text = new StringBuilder(outcome(job.run()));
      if (job.array() != null) {
        text.append(", ").append(job.array());
        jobs.elements(job.id(), 0, Integer.MAX_VALUE)
            .forEach(e -> text.append(", ").append(e.index()).append(' ').append(outcome(e.run())));
      }
      outcomes.put(job.name(), text.toString());
    }
    return outcomes;
  }

  private static String outcome(JobStatus run) {
    Failure failure = run.failure();
    boolean failed = run.state() == JobState.FAILED && failure != null;
    return run.state() + (failed ? " " + failure.cause() : "") + " after " + run.failures();
  }

  private void recover() {
    hanging().forEach(clients::cancel);
    int quiet = 0;
    for (Duration left = RECOVERY;
        left.isPositive() && quiet < QUIET_STEPS;
        left = left.minus(STEP)) {
      int attempts = durable.stores().jobs().everyAttempt().size();
      pass(STEP);
      boolean still =
          durable.stores().jobs().live().isEmpty()
              && durable.stores().jobs().everyAttempt().size() == attempts
              && !backsOff();
      quiet = still ? quiet + 1 : 0;
    }
    durable.stores().reservations().all().stream()
        .filter(r -> r.kind() == Reservation.Kind.FAULT)
        .findFirst()
        .ifPresent(r -> {
          throw new InvariantBroken(Invariant.FAULT_RESERVATION_ENDS, r.toString());
        });
    allEnded();
  }

  private void allEnded() {
    List<String> stuck = invariants.stuck();
    if (!stuck.isEmpty()) {
      throw new InvariantBroken(Invariant.EVERY_JOB_ENDS, stuck.toString());
    }
  }

  /**
   * Returns whether a job is to be tried again later: long after, when the clock was set back
   * since, or when the nodes that it could have failed it often.
   */
  private boolean backsOff() {
    World world = durable.stores().world().read();
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
    return durable.stores().jobs().active().stream()
        .filter(j ->
            ENDLESS.contains(j.spec().annotations().get("sim.fairlead.dev/outcome") + "")
                || durable.refuses(j))
        .map(Job::name)
        .toList();
  }

  private void remains() {
    areas.forEach(Area::end);
    for (SimulatedCluster cluster : durable.clusters().values()) {
      if (!cluster.workloadsSince(0).workloads().isEmpty()) {
        throw new InvariantBroken(
            Invariant.NOTHING_IS_LEFT, cluster.workloadsSince(0).workloads().toString());
      }
    }
    for (QuotaUse use : durable.stores().quotas().allUses()) {
      if (use.used() != 0 || use.nonPreemptible() != 0) {
        throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, use.toString());
      }
    }
    durable.stores().jobs().everyAttempt().stream()
        .filter(a -> a.retiredAt() == null)
        .findFirst()
        .ifPresent(a -> {
          throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, "not retired: " + a);
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
    ProcessLife life = new ProcessLife(name, time, faults, pauses);
    Replica replica = new Replica(life, time, durable, times, timeouts, areas, missing);
    replicas.add(replica);
    replica.start();
  }

  /** A crashed process is restarted under another name. */
  private void replace() {
    int before = replicas.size();
    replicas.removeIf(r -> !r.life().alive());
    for (int i = replicas.size(); i < before; i++) {
      restarts++;
      if (trouble == Trouble.RESTARTS) {
        begin();
        continue;
      }
      time.in(time.between(Duration.ofSeconds(1), Duration.ofSeconds(40)), "restart", this::begin);
    }
  }
}
