package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two transactions that change the same version of a row of configuration. */
class ConfigurationRacesTest {
  private static final long LOOK_MILLIS = 2;
  private static final Instant CONTACT = Instant.parse("2031-05-06T07:08:09Z");
  private static final Egress NOTHING = Egress.strict(List.of());
  private static final ConfigType<Sample> SAMPLES = new ConfigType<>(ConfigKind.POOL, Sample.class);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Value of a document. */
  private record Sample(int amount) {}

  /**
   * Two changes of one version.
   *
   * @param tenant tenant of the row, null for the fleet
   * @param read reads the row, empty if it is gone
   */
  private record Race(
      String name,
      @Nullable TenantId tenant,
      Supplier<?> read,
      Runnable winner,
      Runnable loser,
      Object after) {}

  private Stream<Race> races() {
    return Stream.of(
        tenants(),
        projects(),
        members("member", false),
        members("removed member", true),
        pools("pool", false),
        pools("removed pool", true),
        observed(),
        configured(),
        quotas(),
        fleetQuotas(),
        documents());
  }

  /** Fails when a row is written in a version that its writer has not read. */
  @TestFactory
  Stream<DynamicTest> changeAfterAnotherOneIsRefused() {
    return races().map(race -> dynamicTest(race.name(), () -> lateWriterLoses(race)));
  }

  private void lateWriterLoses(Race race) {
    Guard guard =
        guard(() ->
            within(
                race.tenant(),
                () -> {
                  Object _ = race.read().get();
                  CompletableFuture.runAsync(race.winner()).join();
                  race.loser().run();
                }));

    assertThat(guard).isEqualTo(Guard.VERSION);
    assertThat(race.read().get()).isEqualTo(race.after());
  }

  /** Fails when a writer that waits for the row does not compare the version again. */
  @TestFactory
  Stream<DynamicTest> changeThatWaitsForAnotherOneIsRefused() {
    return races().map(race -> dynamicTest(race.name(), () -> waitingWriterLoses(race)));
  }

  private void waitingWriterLoses(Race race) {
    CompletableFuture<@Nullable Guard> other = new CompletableFuture<>();
    within(
        race.tenant(),
        () -> {
          race.winner().run();
          other.completeAsync(() -> guard(race.loser()));
          awaitLock(other);
        });

    assertThat(other.join()).isEqualTo(Guard.VERSION);
    assertThat(race.read().get()).isEqualTo(race.after());
  }

  private void within(@Nullable TenantId tenant, Runnable work) {
    if (tenant == null) {
      boolean _ =
          stores
              .transactions()
              .forAllTenants(() -> {
                work.run();
                return true;
              });
    } else {
      stores.transactions().runInTenant(tenant, work);
    }
  }

  /** Returns when a session waits for a lock, or the work has ended. */
  private void awaitLock(CompletableFuture<?> work) {
    while (!work.isDone() && !waits()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }

  private boolean waits() {
    return stores
        .jdbc()
        .sql("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        .query(Boolean.class)
        .single();
  }

  /** The guard that refused the work, null for none. */
  private static @Nullable Guard guard(Runnable work) {
    try {
      work.run();
      return null;
    } catch (Conflict refused) {
      return refused.guard();
    }
  }

  private Race tenants() {
    Tenant tenant = world.tenant();
    Tenant renamed = tenant.renamed("Acme Corporation");
    return new Race(
        "tenant",
        tenant.id(),
        () -> stores.tenants().tenant(tenant.id()).orElseThrow(),
        () -> stores.tenants().update(renamed),
        () -> stores.tenants().update(tenant.in(Tenant.State.ARCHIVING)),
        renamed);
  }

  private Race projects() {
    Project project = world.newProject("raced");
    stores.tenants().insert(project);
    Project paid = project.paidBy("4711").with(project.defaultQueue(), Egress.OPEN);
    return new Race(
        "project",
        project.tenant(),
        () -> stores.tenants().project(project.tenant(), project.id()).orElseThrow(),
        () -> stores.tenants().update(paid),
        () -> stores.tenants().update(project.with(project.defaultQueue(), NOTHING)),
        paid);
  }

  private Race members(String name, boolean removed) {
    TenantId tenant = world.tenant().id();
    TenantMember member =
        new TenantMember(
            stores.ids().next(),
            name,
            new Membership(tenant, null, Role.TENANT_MEMBER),
            world.now(),
            "olga",
            0);
    stores.memberships().insert(member);
    TenantMember owner = member.with(Role.TENANT_OWNER);
    return new Race(
        name,
        tenant,
        () -> stores.memberships().member(tenant, null, name).orElseThrow(),
        () -> stores.memberships().update(owner),
        removed
            ? () -> stores.memberships().delete(member)
            : () -> stores.memberships().update(member.with(Role.TENANT_VIEWER)),
        owner);
  }

  private Race pools(String name, boolean removed) {
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("raced"),
            null,
            new PoolSelector(List.of("nowhere"), List.of(), new TreeMap<>(), List.of()),
            "first",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    Pool second = described(pool, "second");
    return new Race(
        name,
        null,
        () -> stores.pools().pool(pool.id()).orElseThrow(),
        () -> stores.pools().update(second),
        removed
            ? () -> stores.pools().delete(pool)
            : () -> stores.pools().update(described(pool, "third")),
        second);
  }

  private static Pool described(Pool pool, String text) {
    return pool.with(null, pool.selector(), text, pool.spares(), pool.windows());
  }

  private Race observed() {
    Cluster cluster = TestWorld.in(stores).cluster();
    Cluster disabled = cluster.in(ClusterState.DISABLED);
    return new Race(
        "observed cluster",
        null,
        () -> stores.inventory().cluster(cluster.id()).orElseThrow(),
        () -> stores.inventory().update(disabled),
        () -> stores.inventory().update(cluster.in(ClusterState.DEGRADED)),
        disabled);
  }

  private Race configured() {
    Cluster cluster = TestWorld.in(stores).cluster();
    Cluster spot = configured(cluster, CapacityType.SPOT);
    return new Race(
        "configured cluster",
        null,
        () -> stores.inventory().cluster(cluster.id()).orElseThrow(),
        () -> stores.inventory().configure(spot, null),
        () -> stores.inventory().configure(configured(cluster, CapacityType.ON_DEMAND), null),
        spot);
  }

  private static Cluster configured(Cluster cluster, CapacityType capacity) {
    return cluster.configured(capacity, cluster.pricePerGpuHour(), cluster.settings());
  }

  private Race quotas() {
    QuotaNode queue = world.queue();
    QuotaNode heavy = weighing(queue, 70);
    return new Race(
        "quota",
        world.tenant().id(),
        () -> stores.quotas().node(queue.tenant(), queue.id()).orElseThrow(),
        () -> stores.quotas().update(heavy),
        () -> stores.quotas().update(weighing(queue, 90)),
        heavy);
  }

  private Race fleetQuotas() {
    TenantId tenant = TestWorld.in(stores).tenant().id();
    QuotaNode node = fleet(tenant);
    QuotaNode heavy = weighing(node, 70);
    return new Race(
        "quota of the fleet",
        null,
        () -> fleet(tenant),
        () -> stores.fleetQuotas().updateFleet(heavy),
        () -> stores.fleetQuotas().updateFleet(weighing(node, 90)),
        heavy);
  }

  private QuotaNode fleet(TenantId tenant) {
    return stores.fleetQuotas().fleet().stream()
        .filter(node -> node.id().equals(FleetQuota.of(tenant)))
        .findFirst()
        .orElseThrow();
  }

  private static QuotaNode weighing(QuotaNode node, long weight) {
    return node.with().weight(weight).version(node.version() + 1).build();
  }

  private Race documents() {
    TenantId tenant = world.tenant().id();
    String name = world.uniqueName("raced");
    ConfigDocument<Sample> first =
        stores.configs().put(new ConfigDocument<>(SAMPLES, name, tenant, null, new Sample(1), 0));
    return new Race(
        "document",
        tenant,
        () -> stores.configs().find(SAMPLES, tenant, name).orElseThrow().value(),
        () -> stores.configs().put(first.with(new Sample(2))),
        () -> stores.configs().put(first.with(new Sample(3))),
        new Sample(2));
  }

  /**
   * Fails when a change writes the whole row: the time of contact and the sealed connection change
   * without a version.
   */
  @Test
  void changeOfAClusterLeavesColumnsWithoutAVersion() {
    Cluster cluster = world.cluster();
    within(
        null,
        () -> {
          assertThat(stores.inventory().cluster(cluster.id())).contains(cluster);
          CompletableFuture.runAsync(() -> stores.inventory().seen(cluster.id(), CONTACT)).join();
          stores.inventory().configure(configured(cluster, CapacityType.SPOT), null);
        });

    Cluster after = stores.inventory().cluster(cluster.id()).orElseThrow();
    assertThat(after.lastSeenAt()).isEqualTo(CONTACT);
    assertThat(after.capacity()).isEqualTo(CapacityType.SPOT);
  }

  /** Fails when the version rises only with other columns: a stale copy would then be accepted. */
  @Test
  void versionRisesWithEqualColumns() {
    QuotaNode queue = world.queue();
    QuotaNode same = weighing(queue, queue.weight());

    stores.quotas().update(same);

    JdbcClient jdbc = stores.jdbc();
    long stored =
        stores
            .transactions()
            .forAllTenants(() ->
                jdbc.sql("SELECT version FROM quota_node WHERE id = :id")
                    .param("id", queue.id().value())
                    .query(Long.class)
                    .single());
    assertThat(stored).isEqualTo(same.version());
  }
}
