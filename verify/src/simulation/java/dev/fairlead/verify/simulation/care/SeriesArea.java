package dev.fairlead.verify.simulation.care;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.care.health.service.dcgm.GpuFaultLoop;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.QuarantineInvariants;
import dev.fairlead.verify.simulation.world.UnguardedStores;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Faults in the series of the DCGM exporter of a cluster without jobs. Exporters restart and leave
 * stale series, gauges are reset, Prometheus falls silent, and processes end between an event and
 * its value. Each fault is one event, and GPUs of other machines have none.
 */
public final class SeriesArea implements Area {
  private static final String TEMP = "DCGM_FI_DEV_GPU_TEMP";
  private static final String XID = "DCGM_FI_DEV_XID_ERRORS";
  private static final int OFF_THE_BUS = 79;
  private static final int NODES = 8;
  private static final int MOST = 60;
  private static final Duration REMAIN = Duration.ofMinutes(14);

  /** Without faults of processes, each Prometheus is read once a minute after this time. */
  private static final long SETTLED = Duration.ofMinutes(7).toMillis();

  private static final Duration BOUND = Duration.ofMinutes(3);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final List<Gpu> gpus = new ArrayList<>();
  private final Set<String> down = new HashSet<>();
  private @Nullable ClusterId cluster;
  private boolean open;
  private boolean stale;
  private boolean silent;
  private @Nullable Long calmSince;
  private @Nullable InvariantBroken broken;

  /** A GPU, its node in the series and its gauge. */
  private static final class Gpu {
    private final String uuid;
    private final List<String> nodes;
    private final boolean foreign;
    private final boolean claimed;
    private boolean faulty;
    private boolean reset;
    private int steps;

    Gpu(int number, String node) {
      this.uuid = "GPU-" + number;
      this.claimed = number % 5 == 1;
      this.foreign = claimed || number % 5 == 2 || number % 5 == 3;
      this.nodes =
          switch (number % 5) {
            case 2 -> List.of("elsewhere");
            case 3 -> List.of("s0", "s1");
            default -> List.of(node);
          };
    }
  }

  public SeriesArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    boolean wanted = missing.stream().anyMatch(Guard::ofSeries);
    this.open = wanted || missing.isEmpty() && chance.nextInt(4) == 0;
    if (open) {
      this.cluster = register(durable.stores());
      every(Duration.ofSeconds(90), "a GPU", this::add);
      every(Duration.ofMinutes(2), "a fault of a GPU", this::fault);
      every(Duration.ofMinutes(8), "an exporter", this::restart);
      every(Duration.ofMinutes(10), "a Prometheus", () -> silent = !silent && calmSince == null);
      every(Duration.ofMinutes(5), "an operator", this::release);
    }
  }

  /** A cluster that no process can reach, so it starts no job. */
  private static ClusterId register(MemoryStores stores) {
    stores
        .tenants()
        .insert(
            new Tenant(
                new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1));
    Cluster plain = DurableState.simulated(stores, "series");
    Cluster read =
        plain.configured(
            plain.capacity(),
            plain.pricePerGpuHour(),
            plain.settings().withPrometheus(new Prometheus("https://series", null, true)));
    stores.inventory().insert(read, new Connection.Simulated(List.of()));
    var _ =
        stores
            .inventory()
            .report(
                read.id(),
                IntStream.range(0, NODES)
                    .mapToObj(i -> NodeReports.node("s" + i).gpus(0).cpuMilli(1).build())
                    .toList());
    return read.id();
  }

  private void every(Duration most, String what, Runnable step) {
    time.in(
        Duration.ofMillis(chance.nextLong(5_000, most.toMillis())),
        what,
        () -> {
          if (open) {
            step.run();
            every(most, what, step);
          }
        });
  }

  private void add() {
    if (gpus.size() < MOST) {
      gpus.add(new Gpu(gpus.size(), "s" + chance.nextInt(NODES)));
    }
  }

  /** A GPU with a stored value has its first fault, which is therefore new. */
  private void fault() {
    Set<String> read = new HashSet<>();
    Instant recent = durable.stores().clock().instant().minus(Duration.ofDays(1));
    durable.stores().samples().of(id()).stream()
        .filter(row -> row.series().equals(TEMP) && row.seenAt().isAfter(recent))
        .forEach(row -> read.add(row.gpu()));
    List<Gpu> sound =
        gpus.stream()
            .filter(gpu -> !gpu.faulty && (gpu.foreign || read.contains(gpu.uuid)))
            .toList();
    if (sound.isEmpty()) {
      return;
    }
    Gpu gpu = sound.get(chance.nextInt(sound.size()));
    gpu.faulty = true;
    gpu.steps = durable.clockSteps();
    time.say(() -> gpu.uuid + " has a fault");
    Long calm = calmSince;
    if (calm != null && time.now() - calm > SETTLED) {
      time.in(BOUND, "the bound of a fault", () -> reported(gpu));
    }
  }

  /** An exporter restarts. Its last values may be stale for a while, and a gauge may be reset. */
  private void restart() {
    String node = "s" + chance.nextInt(NODES);
    if (calmSince != null || !down.add(node)) {
      return;
    }
    stale = chance.nextBoolean();
    gpus.stream()
        .filter(gpu -> gpu.nodes.contains(node) && gpu.faulty && events(gpu) > 0)
        .filter(gpu -> chance.nextInt(3) == 0)
        .forEach(gpu -> gpu.reset = true);
    time.in(
        Duration.ofSeconds(chance.nextInt(10, 900)),
        "exporter of " + node,
        () -> down.remove(node));
  }

  private void release() {
    MemoryStores stores = durable.stores();
    QuarantineCommands commands = QuarantineInvariants.commands(stores);
    for (Node node : stores.inventory().nodes(id())) {
      if (node.state() == NodeState.QUARANTINED) {
        try {
          commands.release(durable.operator(), node.id().text(), "exchanged", false);
        } catch (Refusal over) {
          time.say(() -> node.name() + ": " + over.getMessage());
        }
      }
    }
  }

  private ClusterId id() {
    ClusterId its = cluster;
    if (its == null) {
      throw new IllegalStateException("no cluster in this run");
    }
    return its;
  }

  @Override
  public List<Loop> loops(Process process) {
    if (cluster == null) {
      return List.of();
    }
    MemoryStores stores = durable.stores();
    HealthIntake intake =
        new HealthIntake(
            process.transactions(),
            stores.inventory(),
            stores.health(),
            new FaultIsolation(stores.health(), stores.inventory(), stores.ids()),
            new DeviceIntake(
                process.transactions(), stores.inventory(), stores.devices(), stores.clock()),
            stores.audit(),
            stores.ids(),
            stores.clock());
    return List.of(
        new GpuFaultLoop(
            process.leases(),
            samples(stores.samples()),
            stores.health(),
            stores.devices(),
            intake,
            new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
            (at, pods, reporter) -> {},
            stores.inventory(),
            prometheus -> read(),
            process.transactions(),
            new SimpleMeterRegistry()));
  }

  /** Without the guards, values are lost with their process, or other clusters are ignored. */
  private SampleStore samples(SampleStore stored) {
    if (missing.contains(Guard.SERIES_CLAIMED)) {
      return UnguardedStores.of(
          SampleStore.class,
          (self, method, arguments) ->
              method.getName().equals("elsewhere")
                  ? Set.of()
                  : UnguardedStores.invoke(stored, method, arguments));
    }
    if (!missing.contains(Guard.SERIES_STORED)) {
      return stored;
    }
    Map<String, SampleRecord> own = new HashMap<>();
    return UnguardedStores.of(
        SampleStore.class,
        (self, method, arguments) -> {
          if (method.getName().equals("write")) {
            for (Object row : (Iterable<?>) arguments[1]) {
              SampleRecord sample = (SampleRecord) row;
              own.put(sample.gpu() + sample.series(), sample);
            }
          }
          return method.getName().equals("of")
              ? List.copyOf(own.values())
              : UnguardedStores.invoke(stored, method, arguments);
        });
  }

  /** Without the guard, GPUs have a temperature even if their exporter does not answer. */
  private SeriesReading read() {
    count();
    claim();
    if (silent) {
      return new SeriesReading.Unread("simulated");
    }
    List<GpuSample> samples = new ArrayList<>();
    for (Gpu gpu : gpus) {
      boolean up = gpu.nodes.stream().noneMatch(down::contains);
      if (up || missing.contains(Guard.SERIES_FRESH)) {
        samples.add(new GpuSample(TEMP, gpu.uuid, gpu.nodes, 40, null));
      }
      if (gpu.faulty && !gpu.reset && (up || stale)) {
        samples.add(new GpuSample(XID, gpu.uuid, gpu.nodes, OFF_THE_BUS, null));
      }
    }
    return new SeriesReading.Read(samples);
  }

  /** The series of another cluster show some of the GPUs too. */
  private void claim() {
    Instant now = durable.stores().clock().instant();
    durable
        .stores()
        .samples()
        .write(
            durable.world().cluster().id(),
            gpus.stream()
                .filter(gpu -> gpu.claimed)
                .map(gpu -> new SampleRecord(gpu.uuid, TEMP, 0, now, now))
                .toList());
  }

  private int events(Gpu gpu) {
    return durable
        .stores()
        .health()
        .seen(
            id(),
            gpu.uuid,
            OFF_THE_BUS,
            Instant.EPOCH,
            durable.stores().clock().instant().plus(Duration.ofDays(365)))
        .size();
  }

  private void count() {
    for (Gpu gpu : gpus) {
      int events = events(gpu);
      if (events > (gpu.foreign ? 0 : 1)) {
        broken(
            gpu.foreign ? Invariant.FOREIGN_GPU_IS_IGNORED : Invariant.FAULT_IS_REPORTED_ONCE,
            gpu.uuid + " on " + gpu.nodes + " has " + events + " events");
      }
    }
  }

  /** A step of the clock may make the last value too old. */
  private void reported(Gpu gpu) {
    if (gpu.faulty
        && !gpu.foreign
        && gpu.steps == durable.clockSteps()
        && (events(gpu) == 0 || incidents(gpu) == 0)) {
      broken(Invariant.FAULT_IS_REPORTED, gpu.uuid + " on " + gpu.nodes + " has no event");
    }
  }

  private long incidents(Gpu gpu) {
    return durable.stores().health().incidents(null, null, 10_000).stream()
        .filter(incident -> incident.text().contains(gpu.nodes.getFirst()))
        .count();
  }

  private void broken(Invariant invariant, String what) {
    broken = broken == null ? new InvariantBroken(invariant, what) : broken;
  }

  @Override
  public void heal() {
    if (open) {
      calmSince = time.now();
      silent = false;
      down.clear();
      time.in(REMAIN, "the last fault of a GPU", () -> open = false);
    }
  }

  @Override
  public void check() {
    if (broken != null) {
      throw broken;
    }
  }

  @Override
  public void end() {
    if (cluster != null) {
      count();
      gpus.forEach(this::reported);
      check();
    }
  }
}
