package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageOwner;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Hourly sums of usage intervals and GPU states. */
class UsageHoursTest {
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final UseLedger ledger = stores.bean(UseLedger.class);

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  /** The time between two checks, as one hour that ends with the second one. */
  private HourBook between(long from, long to) {
    HourBook book = new HourBook(from, to);
    usage.gpus(book.hourMillis(), book.toMillis(), book::add);
    return book;
  }

  private Map<UsageBucket, Long> ofThisCluster(HourBook book) {
    return book.sums().fleet().entrySet().stream()
        .filter(e -> e.getKey().cluster().equals(world.cluster().id()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Map.of());
  }

  private List<Map<String, Object>> stored(long hour) {
    return stores
        .jdbc()
        .sql("SELECT * FROM use_fact WHERE start_ms = :hour ORDER BY use_fact::text")
        .param("hour", hour)
        .query()
        .listOfRows();
  }

  /** The clock of the database continues by at least a millisecond. */
  private UsageStore.Watermark later(UsageStore.Watermark before) {
    UsageStore.Watermark watermark = usage.look();
    while (watermark.nowMillis() <= before.nowMillis() + 1) {
      watermark = usage.look();
    }
    return watermark;
  }

  /** Fails when a state, an allocation or a share of a GPU is counted twice or not at all. */
  @Test
  void bucketsOfAllGpusAddUpToTheirTime() {
    world.place(world.submit(Specs.job("whole").gpus(3)), 0, "node-1");
    Attempt part =
        world.run(
            world.place(
                world.submit(Specs.job("part").gpu(GpuRequest.fraction(250))), 0, "node-1"));
    stores.moveNode(world.node("node-2").id(), NodeState.DRAINING);
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);
    world.succeed(part);
    UsageStore.Watermark third = later(second);

    HourBook book = between(first.nowMillis(), third.nowMillis());

    long millis = third.nowMillis() - first.nowMillis();
    long gpus =
        stores
            .jdbc()
            .sql(
                "SELECT count(*) FROM gpu_slot g JOIN node n ON n.id = g.node WHERE n.cluster = :c")
            .param("c", world.cluster().id().value())
            .query(Long.class)
            .single();
    Map<UsageBucket, Long> buckets = ofThisCluster(book);
    assertThat(buckets.values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(gpus * 1000 * millis);
    assertThat(buckets.get(UsageBucket.MAINTENANCE)).isEqualTo(8 * 1000 * millis);
    assertThat(buckets.get(UsageBucket.USED))
        .isBetween(3 * 1000 * millis + 250, 3 * 1000 * millis + 250 * millis);
    assertThat(
            book.sums().used().entrySet().stream()
                .filter(e -> e.getKey().tenant().equals(world.tenant().id()))
                .mapToLong(Map.Entry::getValue)
                .sum())
        .isEqualTo(buckets.get(UsageBucket.USED));
    assertThat(book.overbooked()).isZero();
  }

  /**
   * Fails when the usage records show GPUs as free whose cluster is unreachable, drained or
   * disabled.
   */
  @Test
  void stateOfAClusterIsThatOfItsGpus() {
    cluster("DISABLED");
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);
    cluster("UNREACHABLE");
    UsageStore.Watermark third = usage.look();
    UsageStore.Watermark fourth = later(third);

    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsOnlyKeys(UsageBucket.MAINTENANCE);
    assertThat(ofThisCluster(between(third.nowMillis(), fourth.nowMillis())))
        .containsOnlyKeys(UsageBucket.SICK);
  }

  private void cluster(String state) {
    stores
        .jdbc()
        .sql("UPDATE cluster SET state = :state WHERE id = :id")
        .param("state", state)
        .param("id", world.cluster().id().value())
        .update();
  }

  /** Fails when a recomputed hour is added to the old one, or has another result. */
  @Test
  void recomputedHourIsUnchanged() {
    long begin = usage.look().nowMillis();
    world.succeed(world.run(world.place(world.submit(Specs.job("a").gpus(2)), 0, "node-1")));
    long end = later(usage.look()).nowMillis();
    HourBook book = between(begin, end);
    ledger.write(book.sums().facts());
    List<Map<String, Object>> facts = stored(begin);
    assertThat(facts).extracting(row -> row.get("kind")).contains("USE", "FLEET");

    ledger.write(between(begin, end).sums().facts());

    assertThat(stored(begin)).isEqualTo(facts);
    assertThat(ledger.stored(begin).differences(book.sums().facts())).isEmpty();
    UsageOwner owner =
        book.sums().used().keySet().stream()
            .filter(o -> o.tenant().equals(world.tenant().id()))
            .findFirst()
            .orElseThrow();
    assertThat(owner.project()).isEqualTo(world.project().id());
    assertThat(owner.pool()).isEmpty();
  }

  private long lockedAtOnce() {
    return stores
        .transactions()
        .forAllTenants(() -> {
          stores.jdbc().sql("SET LOCAL lock_timeout = '20ms'").update();
          return usage.lock();
        });
  }

  /** Fails when an hour is recomputed while the loop writes one. */
  @Test
  void hoursHaveOneWriterAtATime() {
    stores
        .transactions()
        .forAllTenants(() -> {
          usage.look();
          assertThatThrownBy(() -> CompletableFuture.supplyAsync(this::lockedAtOnce).join())
              .hasStackTraceContaining("lock timeout");
          return true;
        });
  }

  /** Fails when GPUs of foreign pods count as free, or hide the GPUs of a member. */
  @Test
  void useByForeignPodsIsReserved() {
    world.place(world.submit(Specs.job("ours").gpus(3)), 0, "node-1");
    foreign("node-1", 4_500);
    foreign("node-2", 99_000);
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);

    long millis = second.nowMillis() - first.nowMillis();
    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsEntry(UsageBucket.USED, 3_000 * millis)
        .containsEntry(UsageBucket.KEPT, (4_500 + 8_000) * millis);
    assertThat(between(first.nowMillis(), second.nowMillis()).overbooked()).isZero();
  }

  /**
   * Fails when foreign pods are assigned to a faulty GPU while the GPU that they hold counts as
   * free.
   */
  @Test
  void useByForeignPodsIsNotHiddenByAnUnhealthyGpu() {
    stores
        .jdbc()
        .sql("UPDATE gpu_slot SET state = 'FAILED' WHERE node = :node AND idx = 7")
        .param("node", world.node("node-1").id().value())
        .update();
    foreign("node-1", 1_000);
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);

    long millis = second.nowMillis() - first.nowMillis();
    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsEntry(UsageBucket.SICK, 1_000 * millis)
        .containsEntry(UsageBucket.KEPT, 1_000 * millis)
        .containsEntry(UsageBucket.FREE, 14_000 * millis);
  }

  /** Fails when foreign pods are assigned to a GPU that is already reserved. */
  @Test
  void useByForeignPodsIsReservedAlongsideReservations() {
    Job job = world.submit(Specs.job("waits").gpus(1));
    Member member = world.members(job, 0, "node-1").getFirst();
    keep(
        job,
        List.of(
            Member.planned(
                member.role(),
                member.index(),
                member.node(),
                member.nodeName(),
                member.flavor(),
                member.request(),
                List.of(new GpuShare(7, "last", 1000)))));
    foreign("node-1", 1_000);
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);

    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsEntry(UsageBucket.KEPT, 2_000 * (second.nowMillis() - first.nowMillis()));
  }

  private void foreign(String node, long milli) {
    stores
        .jdbc()
        .sql("UPDATE node SET foreign_gpu = :milli WHERE id = :id")
        .param("milli", milli)
        .param("id", world.node(node).id().value())
        .update();
  }

  /**
   * Fails when capacity reserved for a waiting job counts as free, or is read from the wrong table.
   */
  @Test
  void capacityReservedForAJobIsNotFree() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    keep(job, world.members(job, 0, "node-1"));
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);

    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsEntry(UsageBucket.KEPT, 2 * 1000 * (second.nowMillis() - first.nowMillis()));
  }

  private void keep(Job job, List<Member> members) {
    stores
        .reservations()
        .put(
            List.of(
                new Reservation(
                    job.id(),
                    0,
                    Reservation.Kind.BACKFILL,
                    world.cluster().id(),
                    members,
                    List.of(),
                    world.now(),
                    null,
                    world.now().plusSeconds(60))));
  }

  /** Fails when a closed hour is changed by a clock that runs backwards. */
  @Test
  void eventsAfterAClosedHourCountAfterIt() {
    UsageStore.Watermark watermark = usage.look();
    long open = (watermark.nowMillis() / HourBook.HOUR_MILLIS + 1) * HourBook.HOUR_MILLIS;
    usage.close(open);
    usage.close(watermark.openMillis());

    world.succeed(world.run(world.place(world.submit(Specs.job("late").gpus(1)), 0, "node-1")));

    assertThat(usage.look().openMillis()).isEqualTo(open);
    assertThat(between(open - HourBook.HOUR_MILLIS, open).sums().used().keySet())
        .noneMatch(o -> o.tenant().equals(world.tenant().id()));
    stores
        .jdbc()
        .sql("UPDATE usage_watermark SET open_ms = :open")
        .param("open", watermark.openMillis())
        .update();
  }

  private UsageQuery query(@Nullable List<ProjectId> projects, UsageQuery.Group... groups) {
    return new UsageQuery(
        world.tenant().id(),
        projects,
        null,
        UsageQuery.Period.DAY,
        new TreeSet<>(List.of(groups)),
        new TreeSet<>(),
        Instant.EPOCH,
        Instant.parse("9000-01-01T00:00:00Z"),
        10);
  }

  private List<UsageRow> ofOwnTenant() {
    return query(null).report(ledger);
  }

  private void used(long hour, ProjectId project, String user, long amount) {
    HourBook book = new HourBook(hour, hour + amount);
    UsageOwner owner =
        new UsageOwner(
            world.tenant().id(),
            project,
            world.queue().id(),
            user,
            world.cluster().id(),
            "",
            new Flavor("H100", CapacityType.RESERVED),
            null,
            Collections.emptySortedMap());
    book.add(
        new GpuHistory(
            0,
            new FleetPart(world.cluster().id(), "", null, "H100", CapacityType.RESERVED),
            List.of(),
            List.of(new GpuHistory.Use(hour, hour + amount, owner, 1000, 0))));
    ledger.write(book.sums().facts());
  }

  /** Fails when a report shows projects that were not requested, or projects of another tenant. */
  @Test
  void reportSumsOnlyVisibleProjects() {
    ProjectId own = world.project().id();
    ProjectId other = world.newProject("other").id();
    long day = 24 * HourBook.HOUR_MILLIS;
    used(10 * day, own, "ada", 5);
    used(10 * day + HourBook.HOUR_MILLIS, own, "bob", 7);
    used(11 * day, other, "ada", 11);
    usage.look();

    assertThat(query(List.of(own), UsageQuery.Group.PROJECT).report(ledger))
        .containsExactly(
            new UsageRow(
                Instant.ofEpochMilli(10 * day),
                new TreeMap<>(Map.of(UsageQuery.Group.PROJECT, world.project().name())),
                new TreeMap<>(),
                12_000,
                false));
    assertThat(query(null, UsageQuery.Group.USER).report(ledger))
        .extracting(row -> row.group().get(UsageQuery.Group.USER), UsageRow::milliMillis)
        .containsExactly(tuple("ada", 5_000L), tuple("bob", 7_000L), tuple("ada", 11_000L));
    assertThat(query(List.of()).report(ledger)).isEmpty();
    assertThat(new UsageHoursTest().ofOwnTenant()).isEmpty();
  }

  /** Fails when a GPU of a removed node continues to count, or its earlier state is lost. */
  @Test
  void deletedNodeIsNoLongerCounted() {
    UsageStore.Watermark first = usage.look();
    UsageStore.Watermark second = later(first);
    stores.moveNode(world.node("node-1").id(), NodeState.RETIRED);
    UsageStore.Watermark third = later(second);
    UsageStore.Watermark fourth = later(third);

    assertThat(ofThisCluster(between(first.nowMillis(), second.nowMillis())))
        .containsEntry(UsageBucket.FREE, 16 * 1000 * (second.nowMillis() - first.nowMillis()));
    assertThat(ofThisCluster(between(third.nowMillis(), fourth.nowMillis())))
        .containsEntry(UsageBucket.FREE, 8 * 1000 * (fourth.nowMillis() - third.nowMillis()));
  }
}
