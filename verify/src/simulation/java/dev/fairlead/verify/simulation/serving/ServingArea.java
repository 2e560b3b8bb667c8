package dev.fairlead.verify.simulation.serving;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.verify.simulation.work.Replica;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.FaultRates;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ReplicaSignals;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.serving.service.ServingPass;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Model services in addition to batch jobs, which run in each process. Judges their plans and their
 * state.
 */
public final class ServingArea implements Area {
  private static final Duration PASS = Duration.ofSeconds(2);
  private static final long SETTLED = Duration.ofMinutes(3).toMillis();

  /** Without faults, a rollout moves or states a cause within this time, in milliseconds. */
  private static final long LONGEST = Duration.ofMinutes(6).toMillis();

  private static final List<String> CAUSES = List.of("waits: ", "maxReplicas", "refused", "ended");

  /** More than any fleet here has room for. */
  private static final int TOO_MANY = 40;

  private final VirtualTime time;
  private final DurableState durable;
  private final SleepArea sleep;
  private final Set<Guard> missing;
  private final @Nullable KillsInRollouts kills;
  private final boolean open;
  private final int floor;
  private final ServiceOwners owners;
  private final Map<ModelServiceId, ServingLaws> laws = new HashMap<>();
  private final Map<String, Long> since = new HashMap<>();
  private @Nullable Long calmSince;
  private @Nullable InvariantBroken broken;

  public ServingArea(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      SleepArea sleep,
      FaultRates faults,
      Set<Guard> missing,
      @Nullable KillsInRollouts kills) {
    this.time = time;
    this.durable = durable;
    this.sleep = sleep;
    this.missing = missing;
    boolean wanted = missing.stream().anyMatch(Guard::ofServices);
    this.kills = kills;
    this.open = kills != null || wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    this.floor = missing.contains(Guard.SERVICE_REASON) ? TOO_MANY : 1 + chance.nextInt(3);
    this.owners = new ServiceOwners(chance, time, durable, floor);
    if (kills != null) {
      faults.listen(fault -> kills.struck(fault, stores().services().all()));
    }
    if (open) {
      durable
          .stores()
          .database()
          .listen(topic -> {
            if (topic == WakeUps.Topic.JOBS) {
              look();
            }
          });
      owners.begin();
      sleep.begin(owners::asked);
    }
  }

  private MemoryStores stores() {
    return durable.stores();
  }

  private void look() {
    for (ServiceState state : stores().services().all()) {
      laws(state).look(state);
    }
  }

  private ServingLaws laws(ServiceState state) {
    int least = SleepArea.its(state) ? 1 : floor;
    return laws.computeIfAbsent(state.id(), id -> new ServingLaws(stores(), least));
  }

  @Override
  public List<Loop> loops(Process process) {
    if (!open) {
      return List.of();
    }
    MemoryStores stores = stores();
    ServingStore services = services();
    JobSubmits submits = new JobSubmitCommands(process.commands(), process.control());
    ReplicaWatch watch =
        new ReplicaWatch(
            services,
            sleep.jobs(stores.jobs()),
            explanations(),
            missing.contains(Guard.SERVICE_PLACE)
                ? UnguardedStores.misnamed(stores.inventory())
                : stores.inventory(),
            process.transactions());
    owners.use(
        process.life(),
        new ModelServices(
            process.transactions(),
            services,
            stores.configs(),
            stores.tenants(),
            submits,
            watch,
            stores.audit(),
            stores.ids(),
            stores.clock()));
    Loop plans =
        new ServingLoop(
            process.leases(),
            services,
            stores.configs(),
            watch,
            stores.jobs(),
            submits,
            process.transactions(),
            new SimpleMeterRegistry());
    return sleep.open() ? List.of(plans, sleep.gate(process, services)) : List.of(plans);
  }

  @Override
  public Optional<ServingUpkeep> services(Process process) {
    if (!open) {
      return Optional.empty();
    }
    ServingPass pass =
        new ServingPass(
            services(),
            stores().configs(),
            stores().inventory(),
            new ReplicaSignals(
                services(),
                stores().jobs(),
                stores().inventory(),
                (prometheus, signals) -> new SignalReader.Answer(new TreeMap<>(), "none"),
                process.transactions()),
            process.transactions());
    return Optional.of((cluster, clock) -> {
      Recurring look = Recurring.fromNowOn(clock, PASS);
      return (lease, gateway) -> {
        if (look.due()) {
          look.done();
          run(pass, cluster, lease, gateway);
        }
      };
    });
  }

  private void run(ServingPass pass, ClusterId cluster, HeldLease lease, ServingGateway gateway) {
    try {
      pass.run(cluster, lease, kills == null ? gateway : routes -> counted(gateway, routes));
    } catch (FenceLost deposed) {
      time.say(() -> "another process applies the routes of " + cluster.text());
    } catch (RuntimeException failed) {
      if (!Replica.simulated(failed)) {
        time.fail(failed);
      }
      time.say(() -> "routes of " + cluster.text() + ": " + failed);
    }
  }

  private Optional<List<ServiceTraffic>> counted(
      ServingGateway gateway, List<ServiceRoute> routes) {
    Optional<List<ServiceTraffic>> answer = gateway.serve(routes);
    if (kills != null && answer.isEmpty()) {
      kills.struck(KillsInRollouts.Victim.GATEWAY, stores().services().all());
    }
    return answer;
  }

  /** The real store, whose plans are judged. Without their guards, plans misread their input. */
  private ServingStore services() {
    ServingStore stored = stores().services();
    Map<ModelServiceId, List<ServiceTraffic>> read = new HashMap<>();
    return UnguardedStores.of(
        ServingStore.class,
        (self, method, arguments) -> {
          switch (method.getName()) {
            case "update" -> {
              ServiceState next = (ServiceState) arguments[0];
              update(stored, next, read.remove(next.id()));
              return null;
            }
            case "report" -> {
              stored.report((ClusterId) arguments[0], shown((List<?>) arguments[1]));
              look();
              return null;
            }
            case "traffic" -> {
              TenantId tenant = (TenantId) arguments[0];
              ModelServiceId service = (ModelServiceId) arguments[1];
              List<ServiceTraffic> real = stored.traffic(tenant, service);
              read.put(service, real);
              return sleep.read(traffic(tenant, service, real));
            }
            case "all" -> {
              return sleep.known(known(stored.all()));
            }
            default -> {
              return UnguardedStores.invoke(stored, method, arguments);
            }
          }
        });
  }

  /** Without the guard, a paused rollout continues. */
  private List<ServiceState> known(List<ServiceState> all) {
    return missing.contains(Guard.SERVICE_PAUSED)
        ? all.stream().map(ServingArea::continued).toList()
        : all;
  }

  private static ServiceState continued(ServiceState state) {
    Rollout rollout = state.rollout();
    return rollout == null ? state : state.withRollout(rollout.withPause(null));
  }

  /** Without the guard, only the first replica of a version ever becomes ready. */
  private List<ServiceTraffic> shown(List<?> seen) {
    return seen.stream()
        .map(ServiceTraffic.class::cast)
        .map(each -> missing.contains(Guard.SERVICE_READY_EACH) ? firstReady(each) : each)
        .map(sleep::shown)
        .toList();
  }

  private static ServiceTraffic firstReady(ServiceTraffic seen) {
    SortedSet<JobId> first = new TreeSet<>();
    if (!seen.ready().isEmpty()) {
      first.add(seen.ready().first());
    }
    return new ServiceTraffic(
        seen.service(), seen.version(), seen.count(), seen.countedAt(), first);
  }

  private void update(ServingStore stored, ServiceState next, @Nullable List<ServiceTraffic> read) {
    ServiceState before =
        stored.all().stream().filter(each -> each.id().equals(next.id())).findFirst().orElse(null);
    stored.update(next);
    if (before != null) {
      try {
        laws(before).check(before, next);
        sleep.check(before, next, read);
      } catch (InvariantBroken wrong) {
        broken = broken == null ? wrong : broken;
      }
    }
    laws(next).begin(next);
  }

  /** Without the guards, each job counts as ready, or each job after the first of its version. */
  private List<ServiceTraffic> traffic(
      TenantId tenant, ModelServiceId service, List<ServiceTraffic> answer) {
    boolean all = missing.contains(Guard.SERVICE_READY);
    if (!all && !missing.contains(Guard.SERVICE_READY_EACH)) {
      return answer;
    }
    Map<Integer, ServiceTraffic> versions = new TreeMap<>();
    answer.forEach(seen -> versions.put(seen.version(), seen));
    return versions.values().stream()
        .map(seen -> all || !seen.ready().isEmpty() ? allReady(tenant, service, seen) : seen)
        .toList();
  }

  private ServiceTraffic allReady(TenantId tenant, ModelServiceId service, ServiceTraffic seen) {
    SortedSet<JobId> ready = new TreeSet<>(seen.ready());
    for (ServiceState state : stores().services().all()) {
      for (var replica : state.replicas()) {
        boolean its = state.tenant().equals(tenant) && state.id().equals(service);
        JobId job = replica.job();
        if (its && replica.version() == seen.version() && job != null) {
          ready.add(job);
        }
      }
    }
    return new ServiceTraffic(
        seen.service(), seen.version(), seen.count(), seen.countedAt(), ready);
  }

  /** Without the guard, the reasons of waiting jobs are ignored. */
  private ExplanationStore explanations() {
    ExplanationStore stored = stores().explanations();
    return missing.contains(Guard.SERVICE_REASON)
        ? UnguardedStores.of(
            ExplanationStore.class,
            (self, method, arguments) ->
                method.getName().equals("of") ? new HashMap<>() : method.invoke(stored, arguments))
        : stored;
  }

  @Override
  public void heal() {
    calmSince = time.now();
    if (open) {
      owners.heal();
    }
  }

  @Override
  public void check() {
    if (broken != null) {
      throw broken;
    }
    if (open && calmSince != null && time.now() - calmSince > SETTLED) {
      Set<String> now = new TreeSet<>();
      stores().services().all().stream().filter(s -> !s.deleting()).forEach(s -> calm(s, now));
      since.keySet().retainAll(now);
    }
  }

  /**
   * With faults off, weights follow the replicas, and rollouts with traffic move or state a cause.
   */
  private void calm(ServiceState state, Set<String> now) {
    for (int version : state.weights().keySet()) {
      if (!laws(state).serves(state, version)) {
        lasting(Invariant.SERVICE_WEIGHTS, state.id().text() + " weight " + version, state, now);
      }
    }
    Rollout rollout = state.rollout();
    if (rollout == null || SleepArea.its(state)) {
      return;
    }
    boolean caused =
        rollout.phase() == RolloutPhase.WAITING_FOR_REPLICAS
            && CAUSES.stream().anyMatch(rollout.reason()::contains);
    if (rollout.open() && !rollout.paused() && !caused) {
      String step = state.id().text() + " " + rollout.target() + " " + rollout.step();
      lasting(Invariant.SERVICE_ROLLOUT_MOVES, step + rollout.phase(), state, now);
    }
  }

  private void lasting(Invariant invariant, String what, ServiceState state, Set<String> now) {
    now.add(what);
    if (time.now() - since.computeIfAbsent(what, w -> time.now()) > LONGEST) {
      throw new InvariantBroken(invariant, what + " " + state);
    }
  }

  @Override
  public void end() {
    if (open && !stores().services().all().isEmpty()) {
      throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, stores().services().all().toString());
    }
  }
}
