package dev.fairlead.care.health.service.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** A cluster of eight nodes whose Prometheus gives fixed answers. */
abstract class GpuFaultLoopScene {
  static final Duration MINUTE = Duration.ofMinutes(1);
  static final int NODES = 8;
  static final String XID = "DCGM_FI_DEV_XID_ERRORS";
  static final String REFUSED = "fairlead-refused";
  final MemoryStores stores = MemoryStores.empty(3450);
  final TestWorld world = TestWorld.in(stores);
  final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  final Told reader = new Told();
  final List<PodGpus> held = new ArrayList<>();
  final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  final DeviceIntake devices =
      new DeviceIntake(stores.transactions(), stores.inventory(), stores.devices(), stores.clock());
  final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          devices,
          stores.audit(),
          stores.ids(),
          stores.clock());
  long nanos;
  int sent;
  GpuFaultLoop loop = loop("one", stores.samples());

  /** Returns fixed answers for each address, and records the calls. */
  static final class Told implements SeriesReader {
    final SortedMap<String, SeriesReading> says = new TreeMap<>();
    final List<String> asked = new ArrayList<>();

    @Override
    public SeriesReading read(Prometheus prometheus) {
      asked.add(prometheus.url());
      return says.getOrDefault(prometheus.url(), new SeriesReading.Read(List.of()));
    }
  }

  Leases leases(String process) {
    return new Leases(
        stores.leases(),
        new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
        () -> nanos,
        process);
  }

  GpuFaultLoop loop(String process, SampleStore samples) {
    return new GpuFaultLoop(
        leases(process),
        samples,
        stores.health(),
        stores.devices(),
        intake,
        new HealthAudit(stores.audit(), stores.tenants(), stores.inventory()),
        (cluster, pods, reporter) -> {
          if (!pods.isEmpty() && pods.getFirst().namespace().equals(REFUSED)) {
            throw new IllegalStateException("cannot be stored");
          }
          held.addAll(pods);
        },
        stores.inventory(),
        reader,
        stores.transactions(),
        metrics);
  }

  @BeforeEach
  void aClusterWithAPrometheus() {
    Tenant first =
        new Tenant(new TenantId(stores.ids().next()), Tenant.FIRST, "", Tenant.State.ACTIVE, 1);
    stores.transactions().run(() -> stores.tenants().insert(first));
    world.report(
        IntStream.range(0, NODES)
            .mapToObj(i -> NodeReports.node("n" + i).build())
            .toArray(NodeReport[]::new));
    read(world.cluster(), new Prometheus("https://one", null, true));
  }

  void read(Cluster cluster, Prometheus prometheus) {
    Cluster now = stores.inventory().cluster(cluster.id()).orElseThrow();
    stores
        .inventory()
        .configure(
            now.configured(
                now.capacity(), now.pricePerGpuHour(), now.settings().withPrometheus(prometheus)),
            null);
  }

  static GpuSample sample(String series, int gpu, double value) {
    return new GpuSample(series, "GPU-" + gpu, List.of("n" + gpu), value, null);
  }

  /** Every node has one GPU of 40 °C, and these other values. */
  void says(GpuSample... samples) {
    List<GpuSample> all = new ArrayList<>();
    for (int gpu = 0; gpu < NODES; gpu++) {
      all.add(sample("DCGM_FI_DEV_GPU_TEMP", gpu, 40));
    }
    all.addAll(Arrays.asList(samples));
    reader.says.put("https://one", new SeriesReading.Read(all));
  }

  /** Runs passes a minute later until nothing is due. */
  void pass() {
    stores.advance(MINUTE);
    nanos += MINUTE.toNanos();
    int turns = 0;
    while (loop.tick()) {
      assertThat(turns++).isLessThan(10);
    }
  }

  List<Incident> incidents() {
    return stores.health().incidents(null, null, 100);
  }

  double counted(String outcome) {
    return metrics
        .counter(Metric.GPU_FAULTS.meter(), Metric.GPU_FAULTS.tags(world.cluster().name(), outcome))
        .count();
  }

  void agent(int xid, int gpu) {
    sent++;
    HealthEvent event =
        new HealthEvent(
            "agent-" + sent, stores.clock().instant(), "n" + gpu, "GPU-" + gpu, null, xid, "");
    assertThat(intake.take(olga, world.cluster().id().text(), List.of(event))).hasSize(1);
  }

  List<DoctorCheck> doctor() {
    return new GpuFaultDiagnosis(
            stores.inventory(),
            stores.health(),
            stores.samples(),
            stores.devices(),
            reader,
            leases("doctor"))
        .look();
  }
}
