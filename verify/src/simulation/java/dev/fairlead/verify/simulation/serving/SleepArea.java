package dev.fairlead.verify.simulation.serving;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.GatedService;
import dev.fairlead.work.serving.service.GatedServices;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The service {@code nap} of {@link ServingArea}, which sleeps without requests. Its requests come
 * in bursts, its gateway sometimes does not count, clients wait at the gate of each process, and
 * its owner wakes it and applies versions.
 */
public final class SleepArea implements Area {
  static final String NAME = "nap";
  private static final String ROUTE = "nap.example";
  private static final Duration IDLE_AFTER = Duration.ofMinutes(2);

  /** Shortest time between the end of the traffic and the stop of the replicas. */
  private static final Duration CLOSING_FOR = Duration.ofSeconds(10);

  private static final Duration PASS = Duration.ofSeconds(2);
  private static final Duration REMAIN = Duration.ofMinutes(16);
  private static final long SETTLED = Duration.ofMinutes(3).toMillis();

  /** Without faults, a request waits no longer than this for a replica that has quota. */
  private static final long LONGEST = Duration.ofMinutes(6).toMillis();

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final Map<Integer, TrafficCount> frozen = new HashMap<>();
  private BiConsumer<String, Consumer<ModelServices>> owner = (name, order) -> {};
  private boolean open;
  private boolean ordering;
  private boolean counted = true;
  private @Nullable Long calmSince;
  private @Nullable Long waitingSince;

  public SleepArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
  }

  /**
   * Begins in some of the runs with services.
   *
   * @param asked sends an owner's order to a service until it gets a response
   */
  void begin(BiConsumer<String, Consumer<ModelServices>> asked) {
    boolean wanted = missing.stream().anyMatch(Guard::ofSleep);
    open = wanted || missing.isEmpty() && chance.nextInt(2) == 0;
    if (open) {
      owner = asked;
      ordering = true;
      time.in(PASS, "owner of " + NAME, this::apply);
      order();
      arrive();
      count();
    }
  }

  private ModelServices.Name name() {
    return new ModelServices.Name(durable.world().project().name(), NAME);
  }

  private @Nullable ServiceState state() {
    return durable.stores().services().all().stream()
        .filter(SleepArea::its)
        .findFirst()
        .orElse(null);
  }

  static boolean its(ServiceState state) {
    return state.route().equals(ROUTE);
  }

  private boolean its(ModelServiceId id) {
    ServiceState state = state();
    return state != null && state.id().equals(id);
  }

  private void apply() {
    ServiceState state = state();
    AppliedService request =
        new AppliedService(
            ROUTE,
            new AppliedService.Scale(0, 2, null, List.of(), IDLE_AFTER),
            List.of(50, 100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Specs.job("")
                .gpus(1)
                .run("v" + (state == null ? 1 : state.latest() + 1))
                .annotation(
                    "sim.fairlead.dev/requests",
                    "30, 0 after 2m, 20 after 9m, 0 after 10m, 30 after 18m, 0 after 20m")
                .build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    owner.accept(NAME, all -> all.put(durable.actor(), name(), request, null, false));
  }

  private void order() {
    time.in(
        time.between(Duration.ofMinutes(2), Duration.ofMinutes(12)),
        "owner of " + NAME,
        () -> {
          if (ordering) {
            if (chance.nextInt(3) == 0) {
              apply();
            } else {
              owner.accept(NAME, all -> all.wake(durable.actor(), name(), false));
            }
            order();
          }
        });
  }

  private void arrive() {
    time.in(
        time.between(Duration.ofSeconds(30), Duration.ofMinutes(10)),
        "a client of " + NAME,
        () -> {
          if (open) {
            waitingSince = waitingSince == null ? Long.valueOf(time.now()) : waitingSince;
            arrive();
          }
        });
  }

  /** The gateway counts, and does not count for a while. */
  private void count() {
    time.in(
        time.between(Duration.ofSeconds(20), Duration.ofMinutes(counted ? 8 : 3)),
        "counts of " + NAME,
        () -> {
          counted = !counted || calmSince != null;
          count();
        });
  }

  /** The gate of one process, which wakes the service while a client waits. */
  Loop gate(Process process, ServingStore services) {
    GatedServices gate =
        new GatedServices(
            missing.contains(Guard.SLEEP_WOKEN) ? deaf(services) : services,
            durable.stores().configs(),
            durable.stores().tenants(),
            process.transactions(),
            durable.stores().clock());
    return new Loop() {
      @Override
      public String name() {
        return "gate";
      }

      @Override
      public String role() {
        return "gate";
      }

      @Override
      public Duration idle() {
        return PASS;
      }

      @Override
      public Set<WakeUps.Topic> wakesOn() {
        return Set.of();
      }

      @Override
      public boolean tick() {
        GatedService service = waitingSince == null ? null : gate.byHost().get(ROUTE);
        if (service != null && service.target(0).isPresent()) {
          waitingSince = null;
        } else if (service != null) {
          gate.wake(service);
        }
        return false;
      }

      @Override
      public void close() {}
    };
  }

  boolean open() {
    return open;
  }

  /** Without the guard, wakes are not stored. */
  private static ServingStore deaf(ServingStore stored) {
    return UnguardedStores.of(
        ServingStore.class,
        (self, method, arguments) ->
            method.getName().equals("update")
                ? null
                : UnguardedStores.invoke(stored, method, arguments));
  }

  /** Without the guard, jobs of the service that are being cancelled are ignored. */
  JobStore jobs(JobStore stored) {
    return missing.contains(Guard.SLEEP_ENDED)
        ? UnguardedStores.of(
            JobStore.class,
            (self, method, arguments) -> {
              Object answer = UnguardedStores.invoke(stored, method, arguments);
              return method.getName().equals("findAll")
                  ? ((Collection<?>) answer)
                      .stream().map(Job.class::cast).filter(job -> !stops(job)).toList()
                  : answer;
            })
        : stored;
  }

  private static boolean stops(Job job) {
    return job.name().startsWith(NAME + "-") && job.state() == JobState.CANCELLING;
  }

  /** The metrics of gateways while they do not count. */
  ServiceTraffic shown(ServiceTraffic seen) {
    return counted || !its(seen.service())
        ? seen
        : new ServiceTraffic(seen.service(), seen.version(), seen.count(), null, seen.ready());
  }

  /** Without the guard, the service reports its first count forever. */
  List<ServiceTraffic> read(List<ServiceTraffic> stored) {
    return missing.contains(Guard.SLEEP_COUNTED)
        ? stored.stream().map(each -> its(each.service()) ? stopped(each) : each).toList()
        : stored;
  }

  private ServiceTraffic stopped(ServiceTraffic seen) {
    TrafficCount first = frozen.computeIfAbsent(seen.version(), version -> seen.count());
    return new ServiceTraffic(
        seen.service(), seen.version(), first, seen.countedAt(), seen.ready());
  }

  /** Without the guard, a service that has become ready counts as asleep. */
  List<ServiceState> known(List<ServiceState> all) {
    return missing.contains(Guard.SLEEP_KNOWN)
        ? all.stream().map(state -> its(state) ? asleep(state) : state).toList()
        : all;
  }

  private static ServiceState asleep(ServiceState state) {
    Idleness idle = state.idleness();
    if (idle == null || idle.phase() != Idleness.Phase.AWAKE) {
      return state;
    }
    return state.withIdleness(idle.with().phase(Idleness.Phase.SLEEPING).reason("stale").build());
  }

  /**
   * Judges a stored plan.
   *
   * @param traffic traffic that its author read from the real store, null if none
   * @throws InvariantBroken when the next state breaks an invariant
   */
  void check(ServiceState before, ServiceState next, @Nullable List<ServiceTraffic> traffic) {
    if (!its(before)) {
      return;
    }
    Set<JobId> kept =
        next.replicas().stream()
            .map(Replica::job)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    List<JobId> removed =
        before.replicas().stream()
            .map(Replica::job)
            .filter(job -> job != null && !kept.contains(job))
            .toList();
    if (durable.stores().jobs().findAll(removed).stream().anyMatch(job -> !job.run().ended())) {
      throw new InvariantBroken(Invariant.REPLICA_ENDS_FIRST, before + " to " + next);
    }
    Idleness was = before.idleness();
    Idleness is = next.idleness();
    if (was != null && is != null && was.phase() != is.phase() && is.closed()) {
      Instant since = is.sleeping() ? was.since().plus(CLOSING_FOR) : was.usedAt().plus(IDLE_AFTER);
      if (traffic == null || !idle(traffic, was.requests(), since)) {
        throw new InvariantBroken(
            Invariant.SLEEP_HAS_EVIDENCE, before + " to " + next + ": " + traffic);
      }
    }
  }

  /** Returns whether all ready versions were counted at or after that time, without a request. */
  private static boolean idle(List<ServiceTraffic> traffic, long requests, Instant since) {
    long now = traffic.stream().mapToLong(each -> each.count().requests()).sum();
    List<ServiceTraffic> ready = traffic.stream().filter(t -> !t.ready().isEmpty()).toList();
    return now == requests
        && !ready.isEmpty()
        && ready.stream()
            .allMatch(each -> each.countedAt() != null && !each.countedAt().isBefore(since));
  }

  @Override
  public void heal() {
    if (open) {
      calmSince = time.now();
      counted = true;
      ordering = false;
      time.in(
          REMAIN,
          "the owner deletes " + NAME,
          () -> {
            open = false;
            waitingSince = null;
            owner.accept(NAME, all -> all.remove(durable.actor(), name(), false));
          });
    }
  }

  /** With faults off, a waiting request gets a replica, unless the job of a replica has to wait. */
  @Override
  public void check() {
    Long since = waitingSince;
    Long calm = calmSince;
    ServiceState state = calm == null || since == null ? null : state();
    if (state == null || time.now() - calm < SETTLED) {
      return;
    }
    if (waits(state)) {
      waitingSince = time.now();
    } else if (time.now() - Math.max(since, calm + SETTLED) > LONGEST) {
      throw new InvariantBroken(Invariant.WAITING_REQUEST_WAKES, state.toString());
    }
  }

  /** Returns whether a replica waits for quota, for capacity or for its next retry. */
  private boolean waits(ServiceState state) {
    List<JobId> jobs =
        state.replicas().stream().map(Replica::job).filter(Objects::nonNull).toList();
    return state.replicas().stream().anyMatch(r -> r.job() == null && r.notBefore() != null)
        || durable.stores().jobs().findAll(jobs).stream()
            .anyMatch(job -> job.state() == JobState.QUEUED);
  }
}
