package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Validity of a plan for the next passes. */
class LastPlanTest {
  private static final HeldLease LEASE = lease(7);
  private static final Duration NANO = Duration.ofNanos(1);
  private static final Duration TWO_SECONDS = Duration.ofSeconds(2);

  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when a fleet without work is planned more often than once a minute. */
  @Test
  void planIsReusedForAMinuteWithoutWork() {
    World read = stores.world().read();
    LastPlan last = last(read);

    assertThat(last.holds(LEASE, at(read, LastPlan.QUIET.minus(NANO)))).isTrue();
    assertThat(last.holds(LEASE, at(read, LastPlan.QUIET))).isFalse();
  }

  /** Fails when back-offs and estimates of a waiting job do not follow the time. */
  @Test
  void planIsReusedForSecondsWhileAJobWaits() {
    world.submit(Specs.job("waits"));
    World read = stores.world().read();
    LastPlan last = last(read);

    assertThat(last.holds(LEASE, at(read, LastPlan.WAITING.minus(NANO)))).isTrue();
    assertThat(last.holds(LEASE, at(read, LastPlan.WAITING))).isFalse();
  }

  /** Fails when a job starts later than its start time. */
  @Test
  void planExpiresWhenAJobMayStart() {
    Instant start = stores.world().read().asOf().plusSeconds(1);
    world.submit(Specs.job("later").notBefore(start));
    World read = stores.world().read();
    Duration left = Duration.between(read.asOf(), start);

    assertThat(last(read).holds(LEASE, at(read, left.minus(NANO)))).isTrue();
    assertThat(last(read).holds(LEASE, at(read, left))).isFalse();
  }

  /** Fails when the night limit of a queue applies minutes after the start of the night. */
  @Test
  void planExpiresWhenALimitWindowOpensOrCloses() {
    stores.clock().advance(Duration.ofSeconds(30));
    Instant now = stores.world().read().asOf();
    Instant opens = now.truncatedTo(ChronoUnit.MINUTES).plus(Duration.ofMinutes(1));
    ZonedDateTime at = opens.atZone(ZoneOffset.UTC);
    Cron cron = Cron.parse("%d %d * * *".formatted(at.getMinute(), at.getHour()));
    RecurringWindow window =
        RecurringWindow.of(cron, Duration.ofHours(1), RecurringWindow.zone("UTC"));
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    world.limit(
        world.queue(),
        new QuotaLimit(
            flavor, "gpu", 8L, 0L, null, List.of(new LimitWindow(window, 9L, null)), null));
    World read = stores.world().read();
    Duration left = Duration.between(read.asOf(), opens);

    assertThat(last(read).holds(LEASE, at(read, left.minus(NANO)))).isTrue();
    assertThat(last(read).holds(LEASE, at(read, left))).isFalse();
  }

  /** Fails when a scheduler that was replaced and returned trusts its earlier plan. */
  @Test
  void planIsValidForItsEpochOnly() {
    World read = stores.world().read();

    assertThat(last(read).holds(lease(8), read)).isFalse();
  }

  /** Fails when a step back of the database clock extends the validity. */
  @Test
  void planIsNotValidBeforeItsTime() {
    World read = stores.world().read();

    assertThat(last(read).holds(LEASE, at(read, NANO.negated()))).isFalse();
  }

  /** Fails when the comparison omits any kind of row. */
  @Test
  void planExpiresWithAnyChangedRow() {
    Job job = world.submit(Specs.job("runs"));
    LastPlan queued = last(stores.world().read());
    world.run(world.place(job, 0, "node-1"));
    World running = stores.world().read();
    World none = World.at(running.asOf()).build();
    DomainQuarantine rack =
        new DomainQuarantine(
            new DomainQuarantineId(new UUID(1, 2)),
            world.cluster().id(),
            "rack",
            "r1",
            "cooling fails",
            "olga",
            none.asOf(),
            null,
            null,
            null,
            1);

    assertThat(queued.holds(LEASE, running)).isFalse();
    assertThat(last(none).holds(LEASE, none)).isTrue();
    assertThat(
            List.of(
                World.at(none.asOf()).clusters(running.clusters()).build(),
                World.at(none.asOf()).nodes(running.nodes()).build(),
                World.at(none.asOf()).quotaNodes(running.quotaNodes()).build(),
                World.at(none.asOf()).quotaUses(running.quotaUses()).build(),
                World.at(none.asOf()).live(running.live()).build(),
                World.at(none.asOf()).licences(List.of(new Licence("ansys", 1))).build(),
                World.at(none.asOf()).domainQuarantines(List.of(rack)).build()))
        .noneMatch(changed -> last(none).holds(LEASE, changed));
  }

  /** Fails when a tier, or a price, is checked only when something else changes. */
  @Test
  void planExpiresWhenATierOpensOrAPriceBegins() {
    RoutingPolicy.Tier later =
        new RoutingPolicy.Tier(
            List.of(), List.of(), List.of(), TWO_SECONDS, null, RoutingPolicy.Order.FIXED);
    QuotaNode queue = world.queue();
    stores
        .quotas()
        .update(
            queue
                .with()
                .queue(QueueSettings.DEFAULT.withRouting(new RoutingPolicy(List.of(later))))
                .version(queue.version() + 1)
                .build());
    world.submit(Specs.job("waits"));
    World read = stores.world().read();

    assertThat(last(read).until()).isEqualTo(read.asOf().plus(TWO_SECONDS));
    World priced = priced(read, read.asOf().plusSeconds(1));
    assertThat(last(read).holds(LEASE, priced)).isFalse();
    assertThat(last(priced).until()).isEqualTo(read.asOf().plusSeconds(1));
  }

  private static World priced(World w, Instant from) {
    Price price =
        new Price(
            new PriceId(new UUID(1, 1)),
            new PriceScope(null, null, null, null),
            new Money(1, "EUR"),
            new Validity(from, null),
            null,
            null,
            w.asOf());
    return w.toBuilder().prices(new PriceBook(List.of(price))).build();
  }

  private static HeldLease lease(long epoch) {
    return new HeldLease("scheduler", "me", epoch, 0, 0);
  }

  private static LastPlan last(World read) {
    return LastPlan.of(LEASE, read, Plan.of(read.asOf(), List.of(), new TreeMap<>(), List.of()));
  }

  private static World at(World read, Duration later) {
    return read.toBuilder().asOf(read.asOf().plus(later)).build();
  }
}
