package dev.fairlead.care.health.service.dcgm;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.FaultIsolation;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.doctor.Check;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults in the series of the DCGM exporter, from the Prometheus to the quarantine. */
class GpuFaultLoopTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int NODES = 8;
  private static final String XID = "DCGM_FI_DEV_XID_ERRORS";
  private static final String REFUSED = "fairlead-refused";
  private final MemoryStores stores = MemoryStores.empty(3450);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Actor olga = new Actor(world.tenant().id(), "olga", Role.ADMIN);
  private final Told reader = new Told();
  private final List<PodGpus> held = new ArrayList<>();
  private final FaultIsolation isolation =
      new FaultIsolation(stores.health(), stores.inventory(), stores.ids());
  private final DeviceIntake devices =
      new DeviceIntake(stores.transactions(), stores.inventory(), stores.devices(), stores.clock());
  private final HealthIntake intake =
      new HealthIntake(
          stores.transactions(),
          stores.inventory(),
          stores.health(),
          isolation,
          devices,
          stores.audit(),
          stores.ids(),
          stores.clock());
  private long nanos;
  private int sent;
  private GpuFaultLoop loop = loop("one", stores.samples());

  /** Returns fixed answers for each address, and records the calls. */
  private static final class Told implements SeriesReader {
    private final SortedMap<String, SeriesReading> says = new TreeMap<>();
    private final List<String> asked = new ArrayList<>();

    @Override
    public SeriesReading read(Prometheus prometheus) {
      asked.add(prometheus.url());
      return says.getOrDefault(prometheus.url(), new SeriesReading.Read(List.of()));
    }
  }

  private Leases leases(String process) {
    return new Leases(
        stores.leases(),
        new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
        () -> nanos,
        process);
  }

  private GpuFaultLoop loop(String process, SampleStore samples) {
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

  private void read(Cluster cluster, Prometheus prometheus) {
    Cluster now = stores.inventory().cluster(cluster.id()).orElseThrow();
    stores
        .inventory()
        .configure(
            now.configured(
                now.capacity(), now.pricePerGpuHour(), now.settings().measured(prometheus)),
            null);
  }

  private static GpuSample sample(String series, int gpu, double value) {
    return new GpuSample(series, "GPU-" + gpu, List.of("n" + gpu), value);
  }

  /** Every node has one GPU of 40 °C, and these further values. */
  private void says(GpuSample... samples) {
    List<GpuSample> all = new ArrayList<>();
    for (int gpu = 0; gpu < NODES; gpu++) {
      all.add(sample("DCGM_FI_DEV_GPU_TEMP", gpu, 40));
    }
    all.addAll(Arrays.asList(samples));
    reader.says.put("https://one", new SeriesReading.Read(all));
  }

  /** Runs passes a minute later until nothing is due. */
  private void pass() {
    stores.advance(MINUTE);
    nanos += MINUTE.toNanos();
    int turns = 0;
    while (loop.tick()) {
      assertThat(turns++).isLessThan(10);
    }
  }

  private List<Incident> incidents() {
    return stores.health().incidents(null, null, 100);
  }

  private double counted(String outcome) {
    return metrics
        .counter(Metric.GPU_FAULTS.meter(), Metric.GPU_FAULTS.tags(world.cluster().name(), outcome))
        .count();
  }

  private void agent(int xid, int gpu) {
    sent++;
    HealthEvent event =
        new HealthEvent(
            "agent-" + sent, stores.clock().instant(), "n" + gpu, "GPU-" + gpu, null, xid, "");
    assertThat(intake.take(olga, world.cluster().id().text(), List.of(event))).hasSize(1);
  }

  @Test
  void anXidTakesItsNodeOutOfService() {
    says();
    pass();
    says(sample(XID, 3, 79));
    pass();
    pass();

    assertThat(incidents())
        .singleElement()
        .satisfies(incident -> {
          assertThat(incident.text()).contains("XID 79", "GPU-3", "n3");
          assertThat(incident.node()).isEqualTo(world.node("n3").id());
        });
    assertThat(world.node("n3").state()).isEqualTo(NodeState.QUARANTINED);
    assertThat(counted("taken")).isEqualTo(1);
    assertThat(stores.auditEntries())
        .filteredOn(row -> row.operation().equals("reportHealthEvents"))
        .extracting(AuditRecord::actor)
        .extracting(Actor::name)
        .containsExactly("exporter/" + world.cluster().name());
  }

  @Test
  void aFaultThatWasReleasedIsNotReportedAgainWhileTheGaugeKeepsIt() {
    says(sample("DCGM_FI_DEV_ROW_REMAP_FAILURE", 3, 1));
    pass();
    assertThat(world.node("n3").state()).isEqualTo(NodeState.QUARANTINED);
    new QuarantineCommands(
            stores.transactions(),
            stores.inventory(),
            stores.health(),
            isolation,
            stores.audit(),
            stores.clock())
        .release(olga, world.node("n3").id().text(), "GPU exchanged", false);
    pass();
    pass();

    assertThat(stores.health().standing(world.cluster().id())).isEmpty();
    assertThat(incidents()).hasSize(1);
  }

  @Test
  void anXidThatTheNodeAgentReportedIsOneFault() {
    says();
    pass();
    agent(79, 3);
    says(sample(XID, 3, 79));
    pass();
    pass();

    assertThat(incidents())
        .singleElement()
        .satisfies(incident -> assertThat(incident.events()).isEqualTo(1));
    assertThat(counted("known")).isEqualTo(1);
    assertThat(counted("taken")).isZero();
  }

  @Test
  void anXidThatTheNodeAgentReportsLaterJoinsTheIncident() {
    says();
    pass();
    says(sample(XID, 3, 79));
    pass();
    agent(79, 3);

    assertThat(incidents()).hasSize(1);
  }

  /** Fails when a value is stored before its event, or a repeated event counts twice. */
  @Test
  void aPassThatEndsBeforeItsValuesAreStoredIsRepeatedWithoutASecondEvent() {
    says();
    pass();
    says(sample(XID, 3, 79));
    loop.close();
    loop = loop("dies", withoutWrites());
    pass();
    loop.close();
    loop = loop("two", stores.samples());
    pass();

    assertThat(incidents())
        .singleElement()
        .satisfies(incident -> assertThat(incident.events()).isEqualTo(1));
  }

  private SampleStore withoutWrites() {
    return (SampleStore)
        Proxy.newProxyInstance(
            SampleStore.class.getClassLoader(),
            new Class<?>[] {SampleStore.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("write")
                    ? null
                    : method.invoke(stores.samples(), arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  @Test
  void anotherProcessFindsAFaultThatBeganInBetween() {
    says();
    pass();
    loop.close();
    loop = loop("two", stores.samples());
    says(sample(XID, 3, 79));
    pass();

    assertThat(incidents()).hasSize(1);
  }

  private void agentLists(String gpu, String node) {
    assertThat(
            devices.take(
                olga,
                world.cluster().id().text(),
                List.of(
                    new NodeDevices(
                        node,
                        stores.clock().instant(),
                        List.of(new NodeDevices.Listed(gpu, null))))))
        .isEmpty();
  }

  @Test
  void aGpuThatItsNodeAgentListsInAnotherNodeIsDisputed() {
    says();
    pass();
    agentLists("GPU-3", "n5");
    assertThat(doctor())
        .singleElement()
        .satisfies(check ->
            assertThat(check.found())
                .satisfies(reason("gpu-fault-loop.another-source", "GPU-3", "n3", "n5")));
    says(sample(XID, 3, 79));
    pass();
    assertThat(incidents()).isEmpty();
    assertThat(counted("disputed")).isEqualTo(1);

    stores.advance(Duration.ofHours(1));
    pass();
    assertThat(incidents()).as("the board has moved").hasSize(1);
  }

  @Test
  void aGpuThatAnotherClusterShowsIsDisputed() {
    says();
    pass();
    anotherClusterShows(List.of("GPU-3"));
    says(sample(XID, 3, 79), sample(XID, 4, 79));
    pass();

    assertThat(incidents()).singleElement().satisfies(i -> assertThat(i.text()).contains("n4"));
    assertThat(counted("disputed")).isEqualTo(1);
    assertThat(doctor())
        .singleElement()
        .satisfies(check ->
            assertThat(check.found())
                .satisfies(reason("gpu-fault-loop.another-cluster", "GPU-3", "n3")));
  }

  private void anotherClusterShows(List<String> gpus) {
    Instant now = stores.clock().instant();
    stores
        .samples()
        .write(
            TestWorld.in(stores).cluster().id(),
            gpus.stream()
                .map(gpu -> new SampleRecord(gpu, "DCGM_FI_DEV_GPU_TEMP", 0, now, now))
                .toList());
  }

  /** Fails when a forged exporter of one cluster silences the faults of another. */
  @Test
  void aGpuThatItsNodeAgentListsIsNotDisputedByAnotherCluster() {
    says();
    pass();
    agentLists("GPU-3", "n3");
    anotherClusterShows(List.of("GPU-3"));
    says(sample(XID, 3, 79));
    pass();

    assertThat(incidents()).hasSize(1);
  }

  @Test
  void disputedGpusDelayNoOther() {
    List<GpuSample> all = new ArrayList<>();
    for (int gpu = 0; gpu < GpuFaultLoop.MOST; gpu++) {
      all.add(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-0x" + gpu, List.of("n0"), 40));
      all.add(new GpuSample("DCGM_FI_DEV_ROW_REMAP_FAILURE", "GPU-0x" + gpu, List.of("n0"), 1));
    }
    anotherClusterShows(all.stream().map(GpuSample::gpu).distinct().toList());
    all.add(sample("DCGM_FI_DEV_ROW_REMAP_FAILURE", 3, 1));
    says(all.toArray(GpuSample[]::new));
    pass();

    assertThat(incidents()).singleElement().satisfies(i -> assertThat(i.text()).contains("n3"));
    assertThat(counted("late")).isZero();
  }

  /** PostgreSQL refuses a NUL, so one label would stop the reading of the cluster. */
  @Test
  void aLabelThatIsNoNameDoesNotReachTheDatabase() {
    List<String> names = new ArrayList<>();
    HealthStore recording =
        (HealthStore)
            Proxy.newProxyInstance(
                HealthStore.class.getClassLoader(),
                new Class<?>[] {HealthStore.class},
                (proxy, method, arguments) -> {
                  ((Collection<?>) arguments[1]).forEach(name -> names.add((String) name));
                  return List.of();
                });
    List<String> labels = List.of("n0", "n\u0000", "n\ud800", "a".repeat(254));
    assertThat(GpuNames.nodes(recording, world.cluster().id(), labels)).isEmpty();

    assertThat(names).containsExactly("n0");
  }

  @Test
  void moreFaultsThanOnePassHandlesContinueInTheNext() {
    int most = GpuFaultLoop.MOST;
    GpuSample[] many =
        IntStream.range(0, most + 1)
            .boxed()
            .flatMap(gpu -> {
              List<String> node = List.of("n" + gpu % NODES);
              return List.of(
                  new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-x" + gpu, node, 40),
                  new GpuSample("DCGM_FI_DEV_ROW_REMAP_PENDING", "GPU-x" + gpu, node, 1))
                  .stream();
            })
            .toArray(GpuSample[]::new);
    says(many);
    pass();
    assertThat(counted("taken")).isEqualTo(most);
    assertThat(counted("late")).isEqualTo(1);
    pass();
    assertThat(counted("taken")).isEqualTo(most + 1);
  }

  @Test
  void aSilentPrometheusDelaysNoOther() {
    Cluster silent = TestWorld.in(stores).cluster();
    read(silent, new Prometheus("https://silent", null, true));
    reader.says.put("https://silent", new SeriesReading.Unread("it hangs"));
    says();
    for (int minute = 0; minute < 6; minute++) {
      pass();
    }

    assertThat(reader.asked).filteredOn("https://one"::equals).hasSize(6);
    assertThat(reader.asked).filteredOn("https://silent"::equals).hasSize(2);
  }

  @Test
  void aClusterWithoutTheSettingIsNotRead() {
    read(world.cluster(), new Prometheus("https://one", null, false));
    pass();

    assertThat(reader.asked).isEmpty();
  }

  private List<Check> doctor() {
    return new GpuFaultDiagnosis(
            stores.inventory(),
            stores.health(),
            stores.samples(),
            stores.devices(),
            reader,
            leases("doctor"))
        .look();
  }

  @Test
  void theDoctorNamesMachinesThatNoClusterHas() {
    says();
    assertThat(doctor()).extracting(Check::verdict).containsExactly(Check.Verdict.OK);
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-9", List.of("n9.example.com"), 40));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> {
          assertThat(check.verdict()).isEqualTo(Check.Verdict.WARNING);
          assertThat(check.found()).contains("n9.example.com");
          assertThat(check.next()).contains("name of the node");
        });
  }

  @Test
  void theDoctorNamesGpusThatTwoMachinesClaim() {
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-3", List.of("n4"), 40));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("GPU-3 on n3 and n4"));
  }

  @Test
  void theDoctorPrintsNoControlCharacters() {
    says(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-9", List.of("\u001b[31m"), 40));

    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("?[31m").doesNotContain("\u001b"));
  }

  @Test
  void theDoctorSaysThatNothingIsReadAndWhy() {
    reader.says.put("https://one", new SeriesReading.Unread("it hangs"));
    assertThat(doctor())
        .singleElement()
        .satisfies(
            check -> assertThat(check.found()).satisfies(reason("gpu-fault-loop.read-hangs")));
    reader.says.put("https://one", new SeriesReading.Read(List.of()));
    assertThat(doctor())
        .singleElement()
        .satisfies(check -> assertThat(check.found()).contains("no recent DCGM_FI_DEV_GPU_TEMP"));
  }

  /** Fails when labels of GPUs that several machines claim name a holder. */
  @Test
  void podsInTheLabelsOfUndisputedGpusAreReported() {
    GpuSample.Holder holder = new GpuSample.Holder("fairlead-a", "fl-1-worker-0-0", false);
    says(
        new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-1", List.of("n1"), 41, holder),
        new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-2", List.of("n3"), 41, holder));
    pass();
    assertThat(held)
        .containsExactly(new PodGpus("n1", "fairlead-a", "fl-1-worker-0-0", List.of("GPU-1")));
  }

  /** Fails when a pod that cannot be stored keeps all faults of its cluster from being reported. */
  @Test
  void aPodThatCannotBeStoredDelaysNoFault() {
    says();
    pass();
    GpuSample.Holder holder = new GpuSample.Holder(REFUSED, "fl-1-worker-0-0", false);
    says(
        new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-1", List.of("n1"), 41, holder),
        sample(XID, 3, 79));
    pass();
    assertThat(incidents()).hasSize(1);
    assertThat(loop.passedOver()).as("counted for the alert").isEqualTo(1);
  }
}
