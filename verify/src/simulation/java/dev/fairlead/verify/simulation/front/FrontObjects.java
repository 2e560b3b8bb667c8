package dev.fairlead.verify.simulation.front;

import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.memory.MemoryConfigStore;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.memory.MemoryServingStore;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.OwnedServices;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Users who create, change and delete ModelServices on the front of {@link FrontArea}. The services
 * have separate stores and no replicas, so the fleet has no work for them. This class removes
 * deleted services as their loop does.
 */
public final class FrontObjects {
  /** Of a front without ModelServices. */
  static final ObjectServices NONE =
      new ObjectServices() {
        @Override
        public SortedMap<String, OwnedService> owned(String cluster) {
          return new TreeMap<>();
        }

        @Override
        public Spec read(Actor actor, Project project, String name, String json) {
          throw new IllegalStateException("there are no ModelServices");
        }

        @Override
        public void remove(HeldLease lease, Actor actor, OwnedService service) {
          throw new IllegalStateException("there are no ModelServices");
        }
      };

  private static final int SERVICES = 6;
  private static final int SWEEPS = 100;

  /** Longest time between two orders of a user, in seconds. */
  private static final int LONGEST = 100;

  private static final Duration SWEEP = Duration.ofSeconds(10);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final FrontServer server;
  private final Set<Guard> missing;
  private final boolean open;
  private final ConfigStore configs;
  private final ServingStore services;
  private final SortedSet<String> deleted = new TreeSet<>();

  /** Deletions before a restore of etcd, some of which are lost. */
  private final SortedSet<String> undone = new TreeSet<>();

  private boolean changing = true;

  FrontObjects(
      RandomGenerator chance,
      VirtualTime time,
      DurableState durable,
      FrontServer server,
      Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.server = server;
    this.missing = missing;
    boolean wanted = missing.stream().anyMatch(Guard::ofObjects);
    this.open = wanted || missing.isEmpty() && chance.nextInt(4) == 0;
    MemoryStores stores = durable.stores();
    this.configs = new MemoryConfigStore(stores.database(), stores.tenants());
    this.services = new MemoryServingStore(stores.database(), configs);
    if (open) {
      for (int i = 0; i < SERVICES; i++) {
        begin(new UUID(chance.nextLong(), chance.nextLong()).toString(), "served-" + i);
      }
      sweepLater(SWEEPS);
    }
  }

  private void begin(String uid, String name) {
    later(
        "creates " + name,
        () -> {
          server.serve(uid, name);
          change(uid, name);
        });
  }

  /** Three of four times the spec changes. Otherwise the ModelService is deleted, or remains. */
  private void change(String uid, String name) {
    if (chance.nextInt(4) > 0) {
      later(
          "changes " + name,
          () -> {
            server.respec(uid);
            change(uid, name);
          });
    } else if (chance.nextBoolean()) {
      later(
          "deletes " + name,
          () -> {
            if (server.has(uid)) {
              deleted.add(uid);
              server.delete(uid);
            }
          });
    }
  }

  private void later(String order, Runnable change) {
    time.in(
        Duration.ofSeconds(1L + chance.nextInt(LONGEST)),
        "user " + order,
        () -> {
          if (changing) {
            change.run();
          }
        });
  }

  private void sweepLater(int sweeps) {
    if (sweeps > 0) {
      time.in(
          SWEEP,
          "deleted services end",
          () -> {
            sweep();
            sweepLater(sweeps - 1);
          });
    }
  }

  private void sweep() {
    for (ConfigDocument<ModelService> document : configs.all(ModelService.DOCUMENTS)) {
      if (states().stream().anyMatch(s -> s.deleting() && s.document().equals(document.name()))) {
        configs.remove(document);
      }
    }
  }

  private List<ServiceState> states() {
    return services.all();
  }

  /** The services as a process applies them. */
  ObjectServices of(Area.Process process) {
    if (!open) {
      return NONE;
    }
    MemoryStores stores = durable.stores();
    ReplicaWatch watch =
        new ReplicaWatch(
            services,
            stores.jobs(),
            stores.explanations(),
            stores.inventory(),
            process.transactions());
    ModelServices commands =
        new ModelServices(
            process.transactions(),
            services,
            configs,
            stores.tenants(),
            new JobSubmitCommands(process.commands(), process.control()),
            watch,
            stores.audit(),
            stores.ids(),
            stores.clock());
    return new OwnedServices(
        commands,
        (actor, name, spec) -> file(name.service(), spec),
        owners(),
        watch,
        process.transactions());
  }

  /** Without the guard, the current spec of each object counts as applied. */
  private ServingStore owners() {
    return missing.contains(Guard.OBJECT_GENERATION)
        ? UnguardedStores.of(
            ServingStore.class,
            (self, method, arguments) ->
                method.getName().equals("owned")
                    ? services.owned((String) arguments[0]).stream().map(this::current).toList()
                    : UnguardedStores.invoke(services, method, arguments))
        : services;
  }

  private OwnedService current(OwnedService of) {
    ServiceOwner owner = of.settings().owner();
    SeenJob seen = owner == null ? null : server.services().get(owner.uid());
    return seen == null
        ? of
        : new OwnedService(
            of.project(),
            of.settings()
                .withOwner(
                    new ServiceOwner(
                        owner.cluster(), owner.namespace(), owner.uid(), seen.digest())),
            of.state(),
            of.replicas());
  }

  private static AppliedService file(String name, String spec) {
    return new AppliedService(
        name + ".front.example",
        new AppliedService.Scale(1, 2, null, List.of(), null),
        List.of(100),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        Specs.job("").gpus(1).run("v" + spec).build(),
        ServiceVersion.Endpoint.DEFAULT,
        ModelService.Access.OPEN,
        List.of(),
        RouteOptions.NONE);
  }

  void restored() {
    undone.addAll(deleted);
  }

  void heal() {
    changing = false;
    if (open) {
      sweepLater(SWEEPS);
    }
  }

  /** Only a ModelService that its user deleted ends its service. */
  void check() {
    if (!open) {
      return;
    }
    for (ServiceState state : states()) {
      ServiceOwner owner = owner(state);
      if (state.deleting() && owner != null && !deleted.contains(owner.uid())) {
        throw new InvariantBroken(Invariant.FORGOTTEN_SERVICE_RUNS, state.document());
      }
    }
  }

  private ServiceOwner owner(ServiceState state) {
    return configs.all(ModelService.DOCUMENTS).stream()
        .filter(document -> document.name().equals(state.document()))
        .map(document -> document.value().owner())
        .findFirst()
        .orElseThrow();
  }

  /** Each ModelService has a service with its spec, and no deleted one has a service. */
  void end() {
    SortedMap<String, ServiceState> owned = new TreeMap<>();
    states().forEach(state -> owned.put(owner(state).uid(), state));
    server
        .services()
        .forEach((uid, seen) -> {
          ServiceState state = owned.get(uid);
          if (seen.deleting() || state == null || !serves(state, seen.generation())) {
            throw new InvariantBroken(Invariant.OBJECT_IS_SERVED, seen + " by " + state);
          }
        });
    for (String uid : deleted) {
      if (owned.containsKey(uid) && !undone.contains(uid)) {
        throw new InvariantBroken(
            Invariant.OBJECT_IS_SERVED, "deleted, and served by " + owned.get(uid));
      }
    }
  }

  private boolean serves(ServiceState state, long generation) {
    return services
        .version(state.tenant(), state.id(), state.latest())
        .filter(newest -> file("x", Long.toString(generation)).job().equals(newest.job()))
        .isPresent();
  }
}
