package dev.fairlead.bench.simulation;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ReplicaSignals;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.serving.service.ServingPass;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.serving.signal.SignalReader;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Model services in addition to batch jobs: one with a fixed number of replicas and one that scales
 * with its load. Their owner applies good and bad versions, promotes, aborts and rolls back.
 */
final class ServingArea implements Area {
  private static final List<String> NAMES = List.of("chat", "embed");
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration PASS = Duration.ofSeconds(2);
  private static final Duration REMAIN = Duration.ofMinutes(16);
  private static final Duration RETURN = Duration.ofMinutes(10);
  private static final long SETTLED = Duration.ofMinutes(3).toMillis();

  /** Without faults, a rollout moves or states a cause within this time, in milliseconds. */
  private static final long LONGEST = Duration.ofMinutes(6).toMillis();

  private static final List<String> CAUSES = List.of("waits: ", "maxReplicas", "refused", "ended");

  /** More than any fleet here has room for. */
  private static final int TOO_MANY = 40;

  private final RandomGenerator chance;
  private final Timetable time;
  private final Habitat habitat;
  private final SleepArea sleep;
  private final Set<Guard> missing;
  private final boolean open;
  private final int floor;
  private final List<Owner> owners = new ArrayList<>();
  private final Map<ModelServiceId, ServingLaws> laws = new HashMap<>();
  private final Map<String, Long> since = new HashMap<>();
  private boolean ordering = true;
  private @Nullable Long calmSince;
  private @Nullable Broken broken;

  /** The operations of one process. */
  private record Owner(Fate fate, ModelServices services) {}

  ServingArea(
      RandomGenerator chance,
      Timetable time,
      Habitat habitat,
      SleepArea sleep,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.habitat = habitat;
    this.sleep = sleep;
    this.missing = missing;
    boolean wanted = missing.stream().anyMatch(Guard::ofServices);
    this.open = wanted || missing.isEmpty() && chance.nextInt(3) == 0;
    this.floor = missing.contains(Guard.SERVICE_REASON) ? TOO_MANY : 1 + chance.nextInt(3);
    if (open) {
      habitat
          .stores()
          .database()
          .listen(topic -> {
            if (topic == WakeUps.Topic.JOBS) {
              look();
            }
          });
      NAMES.forEach(this::later);
      sleep.begin(this::asked);
    }
  }

  private MemoryStores stores() {
    return habitat.stores();
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

  private void later(String name) {
    time.in(
        time.between(Duration.ofSeconds(5), Duration.ofMinutes(2)),
        "owner of " + name,
        () -> {
          if (ordering) {
            order(name);
            later(name);
          }
        });
  }

  private ModelServices.Name named(String name) {
    return new ModelServices.Name(habitat.world().project().name(), name);
  }

  private @Nullable ServiceState state(String name) {
    return stores().services().all().stream()
        .filter(each -> each.document().endsWith("/" + name))
        .findFirst()
        .orElse(null);
  }

  /** Applies a version, or gives an order that the present state permits or refuses. */
  private void order(String name) {
    ServiceState state = state(name);
    int latest = state == null ? 0 : state.latest();
    int one = chance.nextInt(8);
    if (state == null || one < 4) {
      apply(name, latest + 1);
    } else if (one < 6) {
      asked(
          name,
          services ->
              services.order(habitat.actor(), RolloutOrder.PROMOTE, named(name), latest, false));
    } else if (one == 6) {
      asked(
          name,
          services ->
              services.order(habitat.actor(), RolloutOrder.ABORT, named(name), latest, false));
    } else {
      back(name, 1 + chance.nextInt(latest));
    }
  }

  private void back(String name, int version) {
    asked(name, services -> services.rollback(habitat.actor(), named(name), version, false));
  }

  private void apply(String name, int version) {
    boolean byLoad = name.equals(NAMES.getLast());
    Specs job =
        Specs.job("")
            .gpus(1)
            .run("v" + version)
            .annotation(
                "sim.fairlead.dev/requests", byLoad ? "60, 200 after 4m, 40 after 12m" : "200");
    if (version > 1 && chance.nextInt(3) == 0) {
      job.annotation("sim.fairlead.dev/error-percent", "30");
    }
    AppliedService request =
        new AppliedService(
            name + ".example",
            new AppliedService.Scale(
                floor,
                floor + 1 + chance.nextInt(byLoad ? 4 : 2),
                byLoad ? new LoadTarget(LoadTarget.Metric.RPS, 40, Duration.ofMinutes(2)) : null,
                List.of(),
                null),
            List.of(50, 100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            job.build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    asked(name, services -> services.put(habitat.actor(), named(name), request, null, false));
  }

  /** An order without an answer is repeated. */
  private void asked(String name, Consumer<ModelServices> order) {
    Owner owner = owners.stream().filter(o -> o.fate().responds()).findFirst().orElse(null);
    try {
      if (owner != null) {
        order.accept(owner.services());
        return;
      }
    } catch (Refusal refused) {
      time.say(() -> name + ": " + refused.getMessage());
      return;
    } catch (Crash | RuntimeException unanswered) {
      time.say(() -> name + " unanswered: " + unanswered);
    }
    time.in(EVERY, "owner of " + name + " again", () -> asked(name, order));
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
                ? Twin.misnamed(stores.inventory())
                : stores.inventory(),
            process.transactions());
    owners.addFirst(
        new Owner(
            process.fate(),
            new ModelServices(
                process.transactions(),
                services,
                stores.configs(),
                stores.tenants(),
                submits,
                watch,
                stores.audit(),
                stores.ids(),
                stores.clock())));
    Loop plans =
        new ServingLoop(
            process.leases(),
            services,
            stores.configs(),
            watch,
            stores.jobs(),
            submits,
            process.transactions());
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
      pass.run(cluster, lease, gateway);
    } catch (FenceLost deposed) {
      time.say(() -> "another process applies the routes of " + cluster.text());
    } catch (RuntimeException failed) {
      if (!Replica.simulated(failed)) {
        time.fail(failed);
      }
      time.say(() -> "routes of " + cluster.text() + ": " + failed);
    }
  }

  /** The real store, whose plans are judged. Unguarded twins misread their input. */
  private ServingStore services() {
    ServingStore stored = stores().services();
    Map<ModelServiceId, List<ServiceTraffic>> read = new HashMap<>();
    return Twin.of(
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
              return sleep.known(stored.all());
            }
            default -> {
              return Twin.invoke(stored, method, arguments);
            }
          }
        });
  }

  /** For the second twin, only the first replica of a version ever becomes ready. */
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
      } catch (Broken wrong) {
        broken = broken == null ? wrong : broken;
      }
    }
    laws(next).begin(next);
  }

  /** The unguarded twins treat each job as ready, or each after the first of its version. */
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

  /** The unguarded twin knows no reason of a job that waits. */
  private ExplanationStore explanations() {
    ExplanationStore stored = stores().explanations();
    return missing.contains(Guard.SERVICE_REASON)
        ? Twin.of(
            ExplanationStore.class,
            (self, method, arguments) ->
                method.getName().equals("of") ? new HashMap<>() : method.invoke(stored, arguments))
        : stored;
  }

  /** Each service returns to its first version, serves for some minutes, and is deleted. */
  @Override
  public void heal() {
    calmSince = time.now();
    ordering = false;
    if (!open) {
      return;
    }
    time.in(RETURN, "owners roll back", () -> NAMES.forEach(name -> back(name, 1)));
    time.in(
        REMAIN,
        "owners delete their services",
        () ->
            NAMES.forEach(name -> {
              returned(name);
              asked(name, all -> all.remove(habitat.actor(), named(name), false));
            }));
  }

  /** A rollback has restored the weights, or waits for a stated cause. */
  private void returned(String name) {
    ServiceState state = state(name);
    if (state == null || state.weights().isEmpty()) {
      return;
    }
    Rollout rollout = state.rollout();
    boolean first = state.stable() == 1 && Integer.valueOf(100).equals(state.weights().get(1));
    boolean waits = rollout != null && rollout.open() && rollout.target() == 1;
    if (!first && !waits) {
      throw new Broken(Invariant.SERVICE_ORDER_REMAINS, "not rolled back: " + state);
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
    if (rollout.open() && !caused) {
      String step = state.id().text() + " " + rollout.target() + " " + rollout.step();
      lasting(Invariant.SERVICE_ROLLOUT_MOVES, step + rollout.phase(), state, now);
    }
  }

  private void lasting(Invariant invariant, String what, ServiceState state, Set<String> now) {
    now.add(what);
    if (time.now() - since.computeIfAbsent(what, w -> time.now()) > LONGEST) {
      throw new Broken(invariant, what + " " + state);
    }
  }

  @Override
  public void end() {
    if (open && !stores().services().all().isEmpty()) {
      throw new Broken(Invariant.NOTHING_IS_LEFT, stores().services().all().toString());
    }
  }
}
