package dev.fairlead.work.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.signal.Reading;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ServingStoreContract {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private Stores stores;
  private ServingStore services;
  private TestWorld world;
  private TenantId tenant;
  private ConfigDocument<ModelService> document;
  private ServiceState state;

  protected abstract Stores stores();

  @BeforeEach
  void aService() {
    stores = stores();
    services = stores.services();
    world = TestWorld.in(stores);
    tenant = world.tenant().id();
    document = document("chat");
    state = state(document);
    services.insert(state);
  }

  private ConfigDocument<ModelService> document(String name) {
    ModelServiceId id = new ModelServiceId(stores.ids().next());
    ModelService service =
        new ModelService(
            id,
            name,
            world.project().name(),
            id.bare() + ".example",
            2,
            4,
            ModelService.DEFAULT_STEPS,
            Duration.ofSeconds(30),
            Duration.ofMillis(800),
            new LoadTarget(LoadTarget.Metric.RPS, 20, Duration.ofMinutes(5)),
            List.of(
                new ModelService.Floor("0 8 * * 1-5", Duration.ofHours(10), "Europe/Berlin", 3)),
            null,
            ModelService.Access.OPEN,
            null,
            List.of(),
            RouteOptions.NONE);
    return stores
        .configs()
        .put(
            new ConfigDocument<>(
                ModelService.DOCUMENTS,
                ModelService.document(world.project().id(), name),
                tenant,
                world.project().id(),
                service,
                0));
  }

  private ServiceState state(ConfigDocument<ModelService> of) {
    return ServiceState.first(of.value().id(), tenant, of.name(), of.value().route());
  }

  private ServiceVersion version(int number) {
    return new ServiceVersion(
        state.id(),
        number,
        Specs.job("v").build(),
        "mia",
        NOW,
        new ServiceVersion.Endpoint(9000, "/health"));
  }

  private ServiceTraffic traffic(long requests, long bad, JobId... ready) {
    return new ServiceTraffic(
        state.id(),
        1,
        new TrafficCount(requests, bad, 10 * requests),
        ready.length == 0 ? null : NOW,
        new TreeSet<>(List.of(ready)));
  }

  private JobId job() {
    return new JobId(stores.ids().next());
  }

  /** Fails when a pass of a front reads services of users or of other fronts. */
  @Test
  void onlyServicesOfTheFrontAreRead() {
    String front = world.uniqueName("front");
    assertThat(services.owned(front)).isEmpty();
    document = owned(document("two"), front);
    services.insert(state(document));
    services.insert(state(owned(document("three"), front + "-other")));
    assertThat(services.owned(front))
        .containsExactly(
            new OwnedService(world.project().id(), document.value(), state(document), List.of()));
  }

  private ConfigDocument<ModelService> owned(ConfigDocument<ModelService> of, String front) {
    return stores
        .configs()
        .put(of.with(of.value().withOwner(new ServiceOwner(front, "team-a", "uid", "digest"))));
  }

  @Test
  void allFieldsAreReadBack() {
    Replica replica = Replica.wanted(1, 0, 1, false).submitted(job());
    CanaryTest test =
        CanaryTest.from(new CanaryTest.Counters(TrafficCount.NONE, new TrafficCount(7, 1, 90)));
    ServiceState later = state.released(NOW).with(List.of(replica, Replica.wanted(2, 0, 2, true)));
    Rollout rollout = Rollout.to(2, true, NOW).observing(1, test, NOW);
    ServiceState planned =
        new ServiceState(
            later.id(),
            tenant,
            later.document(),
            later.route(),
            2,
            1,
            new ServiceState.Warm(1, NOW),
            rollout,
            later.weights(),
            later.replicas(),
            false,
            2,
            new Scaling(
                3,
                41.5,
                "41.5 requests per second want 3",
                List.of(new Scaling.Sample(NOW, 7, 90, null)),
                List.of(new Scaling.Peak(NOW, 3))),
            new Idleness(
                Idleness.Phase.AWAKE,
                NOW,
                NOW,
                7,
                NOW,
                List.of(Duration.ofSeconds(42)),
                "it has requests"),
            new TreeMap<>(Map.of("eu", 60, "us", 40)));
    services.update(planned);

    assertThat(services.find(tenant, document.name())).contains(planned);
    assertThat(services.all()).contains(planned);
    assertThat(services.find(TestWorld.in(stores).tenant().id(), document.name())).isEmpty();
  }

  /** Fails when one of two writers that read the same revision overwrites the other. */
  @Test
  void aRevisionIsReplacedOnce() {
    services.update(state.released(NOW));
    assertThatThrownBy(() -> services.update(state.deleted()))
        .isInstanceOf(Conflict.class)
        .hasMessageContaining("VERSION");
    assertThat(services.find(tenant, document.name()).orElseThrow().deleting()).isFalse();
  }

  @Test
  void routeBelongsToOneService() {
    ConfigDocument<ModelService> other = document("other");
    ServiceState second = state(other);
    assertThatThrownBy(() -> services.insert(second.routed(state.route())))
        .isInstanceOf(Conflict.class)
        .hasMessageContaining("NAME_TAKEN");
    services.insert(second);
    assertThatThrownBy(() -> services.update(second.routed(state.route())))
        .isInstanceOf(Conflict.class)
        .hasMessageContaining("NAME_TAKEN");
  }

  @Test
  void versionsAreListedFromTheNewest() {
    for (int number = 1; number <= 3; number++) {
      services.insert(tenant, version(number));
    }
    assertThat(services.versions(tenant, state.id(), 3, 10))
        .containsExactly(version(2), version(1));
    assertThat(services.versions(tenant, state.id(), Integer.MAX_VALUE, 1))
        .containsExactly(version(3));
    assertThat(services.version(tenant, state.id(), 2)).contains(version(2));
    assertThat(services.countVersions(tenant, state.id())).isEqualTo(3);
    assertThat(services.deleteVersion(tenant, state.id(), 2)).isTrue();
    assertThat(services.deleteVersion(tenant, state.id(), 2)).isFalse();
    assertThat(services.version(tenant, state.id(), 2)).isEmpty();
    TenantId foreign = TestWorld.in(stores).tenant().id();
    assertThat(services.version(foreign, state.id(), 1)).isEmpty();
  }

  /** Fails when the counts of a gateway that restarted are lost, or counted twice. */
  @Test
  void countsAreAddedUpOverGatewaysAndClusters() {
    ClusterId cluster = world.cluster().id();
    ClusterId second = TestWorld.in(stores).cluster().id();
    JobId here = job();
    JobId there = job();
    services.report(cluster, List.of(traffic(100, 4, here)));
    services.report(cluster, List.of(traffic(150, 5, here)));
    services.report(second, List.of(traffic(10, 1, there)));
    assertThat(services.traffic(tenant, state.id())).containsExactly(traffic(160, 6, here, there));

    Reading queue = new Reading("QUEUE", Signal.Function.SUM, 3.5, 1, NOW);
    services.report(cluster, List.of(traffic(150, 5, here).read(List.of(queue))));
    assertThat(services.traffic(tenant, state.id()).getFirst().readings()).isEmpty();
    services.report(second, List.of(traffic(10, 1, there).read(List.of(queue))));
    assertThat(services.traffic(tenant, state.id()).getFirst().readings())
        .containsExactly(new Reading("QUEUE", Signal.Function.SUM, 7, 2, NOW));
    services.report(second, List.of(traffic(10, 1, there)));

    services.report(cluster, List.of(traffic(20, 2)));
    assertThat(services.traffic(tenant, state.id())).containsExactly(traffic(180, 8, there));
    services.report(second, List.of());
    assertThat(services.traffic(tenant, state.id())).containsExactly(traffic(180, 8));
  }

  @Test
  void allStateIsDeletedWithTheDocument() {
    services.insert(tenant, version(1));
    services.report(world.cluster().id(), List.of(traffic(5, 0)));
    stores.transactions().run(() -> stores.configs().remove(document));
    assertThat(services.find(tenant, document.name())).isEmpty();
    assertThat(services.all()).doesNotContain(state);
    services.report(world.cluster().id(), List.of(traffic(9, 0)));
    assertThatThrownBy(() -> services.update(state.deleted())).isInstanceOf(Conflict.class);
  }
}
