package dev.fairlead.care.health.service.dcgm;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.world.TestWorld;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Faults in the series of the DCGM exporter, from the Prometheus to the quarantine. */
class GpuFaultLoopTest extends GpuFaultLoopScene {
  @Test
  void xidTakesItsNodeOutOfService() {
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
  void releasedFaultIsNotReportedAgainWhileTheGaugeRetainsIt() {
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
  void xidAlreadyReportedByTheNodeAgentIsOneFault() {
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
  void xidReportedLaterByTheNodeAgentJoinsTheIncident() {
    says();
    pass();
    says(sample(XID, 3, 79));
    pass();
    agent(79, 3);

    assertThat(incidents()).hasSize(1);
  }

  /** Fails when a value is stored before its event, or a repeated event counts twice. */
  @Test
  void passInterruptedBeforeItsWriteIsRepeatedWithoutASecondEvent() {
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
  void nextProcessFindsAFaultThatBeganInBetween() {
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
            intake.list(
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
  void gpuListedByTheAgentOfAnotherNodeIsDisputed() {
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
  void gpuReportedByAnotherClusterIsDisputed() {
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
  void gpuListedByItsNodeAgentIsNotDisputedByAnotherCluster() {
    says();
    pass();
    agentLists("GPU-3", "n3");
    anotherClusterShows(List.of("GPU-3"));
    says(sample(XID, 3, 79));
    pass();

    assertThat(incidents()).hasSize(1);
  }

  @Test
  void disputedGpusDelayNoOtherGpus() {
    List<GpuSample> all = new ArrayList<>();
    for (int gpu = 0; gpu < GpuFaultLoop.MOST; gpu++) {
      all.add(new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-0x" + gpu, List.of("n0"), 40, null));
      all.add(
          new GpuSample("DCGM_FI_DEV_ROW_REMAP_FAILURE", "GPU-0x" + gpu, List.of("n0"), 1, null));
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
  void invalidNodeLabelDoesNotReachTheDatabase() {
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
                  new GpuSample("DCGM_FI_DEV_GPU_TEMP", "GPU-x" + gpu, node, 40, null),
                  new GpuSample("DCGM_FI_DEV_ROW_REMAP_PENDING", "GPU-x" + gpu, node, 1, null))
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
  void silentPrometheusDelaysNoOther() {
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
  void clusterWithoutTheSettingIsNotRead() {
    read(world.cluster(), new Prometheus("https://one", null, false));
    pass();

    assertThat(reader.asked).isEmpty();
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
  void unstorablePodDelaysNoFault() {
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
