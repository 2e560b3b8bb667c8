package dev.fairlead.verify.simulation.work;

import dev.fairlead.care.health.quarantine.UnknownHolder;
import dev.fairlead.care.health.service.ConditionIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.data.transfer.service.TransferWriters;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.operation.service.DrainLoop;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.IdempotencyKey;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.memory.InlineExecutor;
import dev.fairlead.verify.simulation.fleet.FleetWorld;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.FaultyConnector;
import dev.fairlead.verify.simulation.world.FaultyLeases;
import dev.fairlead.verify.simulation.world.FaultyTransactions;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.LoopIntervals;
import dev.fairlead.verify.simulation.world.PausingWorld;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.service.JobCommands;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.job.submit.SubmitPolicies;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.service.DemandWriter;
import dev.fairlead.work.placement.service.Evictor;
import dev.fairlead.work.placement.service.ExplanationKeeper;
import dev.fairlead.work.placement.service.PlanApplier;
import dev.fairlead.work.placement.service.Resizer;
import dev.fairlead.work.placement.service.SchedulerLoop;
import dev.fairlead.work.placement.service.SchedulerReport;
import dev.fairlead.work.placement.service.StartEstimates;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.workload.service.ClusterTokens;
import dev.fairlead.work.workload.service.Supervisors;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClosedPlaces;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A process with the real commands and loops. Each pass of a loop is an event of the timetable. */
public final class Replica {
  /** Short, so that the removal of kept pods is visible within the quiet phase. */
  private static final Duration KEPT = Duration.ofSeconds(20);

  private final ProcessLife life;
  private final VirtualTime time;
  private final DurableState durable;
  private final List<Area> areas;
  private final Set<Guard> missing;
  private final JobCommands commands;
  private final JobControl control;
  private final List<Loop> loops = new ArrayList<>();
  private final List<LoopIntervals> paces = new ArrayList<>();
  private final Duration longestSleep;
  private final PausingWorld world;

  public Replica(
      ProcessLife life,
      VirtualTime time,
      DurableState durable,
      LeaseTimes times,
      WorkloadTimeouts timeouts,
      List<Area> areas,
      Set<Guard> missing) {
    this.life = life;
    this.time = time;
    this.durable = durable;
    this.areas = areas;
    this.missing = missing;
    this.longestSleep = times.selfStop().minus(times.renew()).multipliedBy(4).dividedBy(5);
    this.world = new PausingWorld(life, durable, missing);
    MemoryStores stores = durable.stores();
    Transactions transactions = new FaultyTransactions(stores, life, time, missing);
    LeaseStore leaseStore = new FaultyLeases(stores.leases(), life);
    Leases leases = new Leases(leaseStore, times, () -> time.now() * 1_000_000, life.name());
    JobWriter writer = new JobWriter(hasty(stores.jobs()), stores.explanations(), transition -> {});
    this.commands =
        new JobCommands(
            transactions,
            names(stores.jobs()),
            writer,
            FleetWorld.rules(stores),
            new Idempotency(keys()),
            areas.stream()
                .flatMap(area -> area.warmMembers().stream())
                .findFirst()
                .orElse(WarmMembers.NONE),
            stores.audit(),
            stores.ids());
    control =
        new JobControl(
            transactions,
            stores.jobs(),
            writer,
            new Idempotency(keys()),
            stores.legalHolds(),
            new TransferWriters(stores.transfers(), stores.volumes()),
            stores.audit(),
            SubmitPolicies.NONE,
            stores.tenants());
    Area.Process process = new Area.Process(life, leases, transactions, commands, control);
    Evictor evictor = new Evictor(stores.jobs(), writer, reservations());
    loops.add(
        new SchedulerLoop(
            leases,
            world,
            new SchedulingEngine(),
            new PlanApplier(
                transactions,
                asPlanned(stores.jobs()),
                writer,
                evictor,
                new Resizer(asPlanned(stores.jobs()), writer, evictor),
                stores.volumes(),
                stores.ids(),
                new SimpleMeterRegistry()),
            new ExplanationKeeper(transactions, stores.explanations(), leases),
            new StartEstimates(
                transactions,
                stores.activeJobs(),
                stores.explanations(),
                stores.progress(),
                leases),
            new DemandWriter(transactions, stores.quotas(), leases),
            new SchedulerReport(new SimpleMeterRegistry(), leases, world)));
    loops.add(
        new DrainLoop(
            leases, stores.operations(), stores.inventory(), stores.jobs(), transactions));
    AttemptRepository repository =
        new AttemptRepository(
            transactions,
            stores.jobs(),
            writer,
            stores.tenants(),
            leaseStore,
            reservations(),
            stores.secrets(),
            volumes(),
            stores.progress(),
            stores.outputs(),
            stores.configs(),
            purpose -> Optional.empty(),
            new SimpleMeterRegistry());
    ClusterConnections gateways =
        new ClusterConnections(
            List.of(new FaultyConnector(durable, life, time, areas, missing)),
            stores.inventory(),
            leaseStore);
    Supervisors supervisors =
        new Supervisors(
            stores.inventory(),
            new ClosedPlaces(
                stores.transactions(),
                stores.placeNotes(),
                NoticeArea.inventory(stores.inventory(), missing),
                stores.operations(),
                NoticeArea.health(stores.health(), missing),
                stores.repairs(),
                pools(),
                advanceReservations(),
                new ConditionIntake(
                    stores.inventory(),
                    stores.health(),
                    new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
                    stores.ids(),
                    new HealthAudit(stores.audit(), stores.tenants(), stores.inventory())),
                UnknownHolder.DEFAULT,
                stores.ids()),
            transactions,
            leases,
            gateways,
            repository,
            new ClusterTokens(
                stores.inventory(),
                stores.tenants(),
                transactions,
                stores.audit(),
                new SimpleMeterRegistry()),
            stores.removals(),
            Area.fronts(areas, process),
            areas.stream()
                .flatMap(area -> area.services(process).stream())
                .findFirst()
                .orElse((cluster, clock) -> (lease, gateway) -> {}),
            timeouts.keeping(KEPT, KEPT),
            new SimpleMeterRegistry());
    durable.clusters().keySet().forEach(id -> loops.add(supervisors.of(id, new InlineExecutor())));
    areas.forEach(area -> loops.addAll(area.loops(process)));
  }

  /**
   * Without the guards, members release their resources when they are ordered to leave, or only at
   * the end of their gang.
   */
  private JobStore hasty(JobStore unguarded) {
    JobStore stored = BackendArea.jobs(unguarded, missing);
    if (!missing.contains(Guard.LEAVING) && !missing.contains(Guard.EARLY_RELEASE)) {
      return stored;
    }
    boolean early = missing.contains(Guard.LEAVING);
    return UnguardedStores.of(
        JobStore.class,
        (self, method, arguments) -> {
          if (method.getName().equals("append")) {
            List<?> given = (List<?>) arguments[0];
            stored.append(
                given.stream()
                    .map(Transition.class::cast)
                    .map(t -> early ? left(t) : t)
                    .filter(t -> early || t.holding() != Transition.AllocationChange.LEAVE)
                    .toList());
            return null;
          }
          return method.invoke(stored, arguments);
        });
  }

  private static Transition left(Transition told) {
    Attempt attempt = told.attempt();
    boolean leaves =
        attempt != null && attempt.live() && attempt.members().stream().anyMatch(Member::leaves);
    if (!leaves || told.holding() != Transition.AllocationChange.KEEP) {
      return told;
    }
    List<Member> here = attempt.members().stream().filter(m -> !m.leaves()).toList();
    List<Member> gone = new ArrayList<>(attempt.left());
    attempt.members().stream()
        .filter(Member::leaves)
        .forEach(m -> gone.add(m.left(attempt.createdAt())));
    return new Transition(
        told.job(),
        told.elements(),
        attempt.with(here, gone),
        Transition.AllocationChange.LEAVE,
        told.facts(),
        told.actor());
  }

  /** Without the guard, the write uses the rows that the plan read instead of the locked rows. */
  private JobStore asPlanned(JobStore stored) {
    if (!missing.contains(Guard.VERSION)) {
      return stored;
    }
    return UnguardedStores.of(
        JobStore.class,
        (self, method, arguments) -> {
          Object answer = method.invoke(stored, arguments);
          return method.getName().equals("lock")
              ? ((List<?>) answer).stream().map(row -> world.asRead((Job) row)).toList()
              : answer;
        });
  }

  /** Without the guard, every name is free. */
  private JobStore names(JobStore stored) {
    if (!missing.contains(Guard.NAME)) {
      return stored;
    }
    return UnguardedStores.of(
        JobStore.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "named", "activeNamed" -> List.of();
              default -> method.invoke(stored, arguments);
            });
  }

  /** Without the guards, repeated requests or retries of a pipeline are not recognized. */
  private IdempotencyStore keys() {
    IdempotencyStore stored = durable.stores().idempotency();
    if (missing.contains(Guard.RETRY_KEY)) {
      return PipelineArea.forgetful(stored);
    }
    return missing.contains(Guard.KEY)
        ? new IdempotencyStore() {
          @Override
          public Set<IdempotencyKey> claim(Collection<IdempotencyKey> keys) {
            return Set.copyOf(keys);
          }

          @Override
          public Map<IdempotencyKey, Remembered> find(Collection<IdempotencyKey> keys) {
            return Map.of();
          }

          @Override
          public void remember(Map<IdempotencyKey, Remembered> answers) {
            time.say(() -> "forgets " + answers.keySet());
          }
        }
        : stored;
  }

  /**
   * Without the guards, a volume is lost at the first failed check, is not checked again, counts as
   * confirmed lost, or has no circuit breaker.
   */
  private VolumeStore volumes() {
    VolumeStore stored = durable.stores().volumes();
    SortedMap<String, Guard> guarded = new TreeMap<>();
    guarded.put("lost", Guard.FOUND);
    guarded.put("update", Guard.LOST_AFTER);
    guarded.put("confirmed", Guard.CLAIMS_CONFIRMED);
    guarded.put("mark", Guard.BREAKER_STORED);
    guarded.values().retainAll(missing);
    if (guarded.isEmpty()) {
      return stored;
    }
    return UnguardedStores.of(
        VolumeStore.class,
        (self, method, arguments) ->
            switch (guarded.get(method.getName())) {
              case FOUND -> List.of();
              case LOST_AFTER -> method.invoke(stored, hasty(stored, (Volume) arguments[0]));
              case CLAIMS_CONFIRMED ->
                  new TreeSet<>(
                      stored.on((ClusterId) arguments[0]).stream().map(Volume::id).toList());
              case BREAKER_STORED -> null;
              case null, default -> method.invoke(stored, arguments);
            });
  }

  private static Volume hasty(VolumeStore stored, Volume saying) {
    String message = saying.message();
    boolean missed =
        message != null && message.contains("becomes LOST after") && saying.claimUid() != null;
    return missed
        ? stored.find(saying.tenant(), saying.project(), saying.name()).orElseThrow().lost(message)
        : saying;
  }

  /** Without the guard, windows are ignored. */
  private PoolStore pools() {
    PoolStore stored = durable.stores().pools();
    return missing.contains(Guard.WINDOW_LEAVE)
        ? UnguardedStores.of(
            PoolStore.class,
            (self, method, arguments) ->
                method.getName().equals("pools") ? List.of() : method.invoke(stored, arguments))
        : stored;
  }

  /** Without the guard, advance reservations are ignored. */
  private AdvanceReservationStore advanceReservations() {
    AdvanceReservationStore stored = durable.stores().advanceReservations();
    return missing.contains(Guard.BOOKED_LEAVE)
        ? UnguardedStores.of(
            AdvanceReservationStore.class,
            (self, method, arguments) ->
                method.getName().equals("open") ? List.of() : method.invoke(stored, arguments))
        : stored;
  }

  /** Without the guards, reservations are invisible or never released, or moves reserve nothing. */
  private ReservationStore reservations() {
    ReservationStore stored = durable.stores().reservations();
    boolean endless = missing.contains(Guard.KEPT_END);
    boolean forgetful = !endless && missing.contains(Guard.RESERVATION);
    if (missing.contains(Guard.MOVE_KEPT)) {
      return MoveBackArea.unreserved(stored, durable.stores().jobs());
    }
    if (!endless && !forgetful) {
      return stored;
    }
    return UnguardedStores.of(
        ReservationStore.class,
        (self, method, arguments) -> {
          if (endless && method.getName().equals("remove")) {
            return null;
          }
          return forgetful && method.getName().equals("all")
              ? List.of()
              : method.invoke(stored, arguments);
        });
  }

  public ProcessLife life() {
    return life;
  }

  JobCommands commands() {
    return commands;
  }

  JobControl control() {
    return control;
  }

  public void start() {
    for (Loop loop : loops) {
      LoopIntervals pace =
          new LoopIntervals(loop, time, longestSleep, () -> turn(loop), life.name());
      paces.add(pace);
      pace.begin();
    }
  }

  /** Another transaction committed a change of this. */
  public void stir(WakeUps.Topic topic) {
    if (life.alive()) {
      paces.forEach(pace -> pace.stir(topic));
    }
  }

  /** The result of a pass. */
  private LoopIntervals.Turn turn(Loop loop) {
    if (!life.alive()) {
      return LoopIntervals.Turn.DEAD;
    }
    if (!life.responds()) {
      return LoopIntervals.Turn.FAILED;
    }
    try {
      boolean more = loop.tick();
      if (more) {
        world.forget();
      }
      return more ? LoopIntervals.Turn.MORE : LoopIntervals.Turn.DONE;
    } catch (PausingWorld.NothingNew spared) {
      return LoopIntervals.Turn.DONE;
    } catch (ProcessDied crash) {
      return LoopIntervals.Turn.DEAD;
    } catch (RuntimeException failed) {
      /* as LoopThread does. A failure that the faults did not cause is a bug */
      if (life.alive() && !simulated(failed)) {
        time.fail(failed);
      }
      time.say(() -> life.name() + " " + loop.name() + ": " + failed);
      world.forget();
      return LoopIntervals.Turn.FAILED;
    }
  }

  /** Returns whether a fault of the simulation caused it. */
  public static boolean simulated(Throwable failed) {
    for (Throwable t = failed; t != null; t = t.getCause()) {
      String message = t.getMessage();
      if (t instanceof ProcessDied || message != null && message.startsWith("simulated")) {
        return true;
      }
    }
    return false;
  }
}
