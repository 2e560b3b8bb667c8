package dev.fairlead.fleet.node.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector.Operator;
import dev.fairlead.fleet.node.pool.PoolSelector.Requirement;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract of every {@link PoolStore}, with the effect of pools on nodes and on jobs. */
public abstract class PoolStoreContract {
  private static final PoolWindows NIGHTS =
      new PoolWindows(
          List.of(
              RecurringWindow.of(
                  Cron.parse("0 22 * * 1-5"),
                  Duration.ofHours(8),
                  RecurringWindow.zone("Europe/Berlin"))),
          Duration.ZERO,
          LeftoverPolicy.EXTEND_UP_TO,
          Duration.ofMinutes(30));

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  /** Of all nodes of the world's cluster. */
  private Pool pool(String name, @Nullable TenantId owner) {
    return new Pool(
        new PoolId(stores.ids().next()),
        world.uniqueName(name),
        owner,
        new PoolSelector(
            List.of(world.cluster().name()), List.of("H100"), new TreeMap<>(), List.of()),
        "for people",
        new Spares(1, 32),
        PoolWindows.NONE,
        1);
  }

  private Pool kept(Pool pool) {
    stores.pools().insert(pool);
    assign();
    return pool;
  }

  private void assign() {
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  private List<@Nullable NodePool> nodePools() {
    return stores.inventory().nodes(world.cluster().id()).stream().map(Node::pool).toList();
  }

  @Test
  void poolRoundTrips() {
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("a"),
            world.tenant().id(),
            new PoolSelector(
                List.of("eu-1"),
                List.of("H100"),
                new TreeMap<>(Map.of("team", "nlp")),
                List.of(
                    new Requirement("zone", Operator.NOT_IN, List.of("z1", "z2")),
                    new Requirement("gone", Operator.DOES_NOT_EXIST, List.of()))),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);

    stores.pools().insert(pool);

    assertThat(stores.pools().pool(pool.id())).contains(pool);
    assertThat(stores.pools().pools()).contains(pool);
    Refused.by(Guard.NAME_TAKEN, () -> stores.pools().insert(pool));
  }

  /** Fails when the query does not filter by tenant. */
  @Test
  void tenantSeesSharedPoolsAndItsOwn() {
    TenantId other = TestWorld.in(stores).tenant().id();
    Pool own = pool("own", world.tenant().id());
    Pool shared = pool("shared", null);
    stores.pools().insert(own);
    stores.pools().insert(shared);

    assertThat(stores.pools().pools(world.tenant().id())).contains(own, shared);
    assertThat(stores.pools().pools(other)).contains(shared).doesNotContain(own);
  }

  @Test
  void staleUpdateIsRejected() {
    Pool pool = kept(pool("a", null));
    Pool changed =
        pool.with(
            world.tenant().id(),
            pool.selector(),
            "now with an owner",
            new Spares(40, 2048),
            NIGHTS);
    stores.pools().update(changed);

    assertThat(stores.pools().pool(pool.id())).contains(changed);
    Refused.by(Guard.VERSION, () -> stores.pools().update(changed));
    Refused.by(Guard.VERSION, () -> stores.pools().delete(pool));
    stores.pools().delete(changed);
    assertThat(stores.pools().pool(pool.id())).isEmpty();
  }

  /** Fails when a report or a change of a pool leaves a node in a pool that does not have it. */
  @Test
  void nodesAreAssignedWhenTheirPoolChangesAndWhenReported() {
    Pool pool = kept(pool("a", null));
    assertThat(nodePools()).containsExactly(pool.nodePool(), pool.nodePool());

    world.report(
        NodeReports.node("node-1").build(),
        NodeReports.node("node-2").notReady().build(),
        NodeReports.node("node-3").build());
    assertThat(nodePools()).containsExactly(pool.nodePool(), pool.nodePool(), pool.nodePool());

    stores.pools().delete(pool);
    assign();
    assertThat(nodePools()).containsExactly(null, null, null);
  }

  /** Fails when the version of a row does not change: caches would retain the old pool. */
  @Test
  void nodeThatChangesItsPoolHasANewVersion() {
    long before = stores.inventory().nodes(world.cluster().id()).getFirst().version();

    kept(pool("a", null));

    assertThat(stores.inventory().nodes(world.cluster().id()).getFirst().version())
        .isEqualTo(before + 1);
    assertThat(stores.inventory().assign(stores.pools().pools())).isZero();
  }

  /** Fails when a placement from before the change of the pool is written. */
  @Test
  void aNodeOfAnotherTenantsPoolIsNotTaken() {
    TenantId other = TestWorld.in(stores).tenant().id();
    kept(pool("theirs", other));
    Job job = world.submit(Specs.job("job"));

    Refused.by(Guard.NODE_ROOM, () -> world.place(job));
  }

  /** Fails when a placement from before the node left the job's pool is written. */
  @Test
  void nodeOutsideThePoolsOfTheJobIsNotUsed() {
    Pool pool = kept(pool("a", world.tenant().id()));
    Job inside = world.submit(inPool("inside", pool.name()));
    Job outside = world.submit(inPool("outside", "b"));

    world.place(inside);
    Refused.by(Guard.NODE_ROOM, () -> world.place(outside));
  }

  private static Pool open(Pool pool, String cron, int hours) {
    return open(pool, cron, Duration.ofHours(hours), Duration.ZERO);
  }

  private static Pool open(Pool pool, String cron, Duration duration, Duration lead) {
    RecurringWindow window =
        RecurringWindow.of(Cron.parse(cron), duration, RecurringWindow.zone("UTC"));
    PoolWindows windows =
        new PoolWindows(List.of(window), lead, LeftoverPolicy.FINISH, Duration.ZERO);
    return pool.with(pool.tenant(), pool.selector(), "", pool.spares(), windows);
  }

  /**
   * Fails when a plan from before a window closed is written while it is closed, or a plan from
   * before a lead time is written during the lead time.
   */
  @ParameterizedTest
  @CsvSource({"0 0 1 %d *, PT1H, PT0S", "0 0 * * *, PT23H59M, PT24H"})
  void startOutsideThePoolWindowsIsNotWritten(String cron, Duration duration, Duration lead) {
    int inHalfAYear = stores.pools().now().atZone(ZoneOffset.UTC).plusMonths(6).getMonthValue();
    Pool pool = kept(pool("a", null));
    stores.pools().update(open(pool, cron.formatted(inHalfAYear), duration, lead));
    assign();
    Job late = world.submit(Specs.job("late"));

    Refused.by(Guard.NODE_ROOM, () -> world.place(late));
    assertThat(stores.jobs().liveAttempts(late.id())).isEmpty();
  }

  @Test
  void poolWithAnOpenWindowAcceptsAJob() {
    Pool pool = kept(pool("a", null));
    stores.pools().update(open(pool, "0 0 * * *", 24));
    assign();

    assertThat(world.place(world.submit(Specs.job("job"))).live()).isTrue();
  }

  /** Fails when a node with work is reassigned, or a report resets the pool of its row. */
  @Test
  void nodeWithWorkStaysInAClosedPool() {
    Pool first = kept(pool("a", null));
    Attempt attempt = world.place(world.submit(Specs.job("job")));
    int inHalfAYear = stores.pools().now().atZone(ZoneOffset.UTC).plusMonths(6).getMonthValue();
    Pool closed = open(first, "0 0 1 " + inHalfAYear + " *", 1);
    stores.pools().update(closed);
    Pool next = pool("b", null);
    stores.pools().insert(next);
    Pool always = open(next, "0 0 * * *", 24);
    stores.pools().update(always);
    NodeId busy = attempt.members().getFirst().node();

    assign();
    assertThat(nodePools()).containsExactlyInAnyOrder(closed.nodePool(), always.nodePool());
    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());

    assertThat(nodePools()).containsExactlyInAnyOrder(closed.nodePool(), always.nodePool());
    assertThat(stores.inventory().node(busy).map(Node::pool)).contains(closed.nodePool());
    assertThat(stores.inventory().busyIn(world.cluster().id(), List.of(first.name(), next.name())))
        .isEqualTo(new TreeMap<>(Map.of(busy, first.name())));
    assertThat(stores.inventory().busyIn(world.cluster().id(), List.of(next.name()))).isEmpty();
    assertThat(stores.inventory().busy(world.cluster().id())).containsExactly(busy);
    Set<NodeId> both = Set.of(busy, world.node("node-2").id());
    world.report();
    assertThat(stores.inventory().pods(both))
        .as("retired")
        .isEqualTo(new TreeMap<>(Map.of(busy, 1L)));
    // Fails without retired nodes: windows and advance reservations would not stop jobs on them.
    assertThat(stores.inventory().busyIn(world.cluster().id(), List.of(first.name())))
        .isEqualTo(new TreeMap<>(Map.of(busy, first.name())));
    assertThat(stores.inventory().busy(world.cluster().id())).containsExactly(busy);

    assign();
    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());

    assertThat(stores.inventory().node(busy).map(Node::pool))
        .as("shown again while its attempt lives")
        .contains(closed.nodePool());
  }

  private static Specs inPool(String name, String pool) {
    PlacementSpec placement = PlacementSpec.ANYWHERE.with().pools(List.of(pool)).build();
    return Specs.job(name).placement(placement);
  }
}
