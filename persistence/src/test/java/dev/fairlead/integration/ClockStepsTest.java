package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The clock of the database steps forward by hours, and the clock of the process's machine does
 * not.
 */
class ClockStepsTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long STEP = 3 * HOUR;
  private static final long SECOND = 1_000;
  private static final long TOLERANCE = SteadyClock.TOLERANCE.toMillis();
  private static DatabaseClock clock;
  private static String url;
  private static PostgresInstallation stores;
  private final UsageStore usage = stores.bean(UsageStore.class);
  private long begin;
  private TestWorld world;

  @BeforeAll
  static void open() {
    clock = new DatabaseClock(System.currentTimeMillis());
    url = Embedded.migratedDatabase();
    stores =
        PostgresInstallation.altered(
            url, Embedded.server().user(), Embedded.server().password(), clock);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void aWorldOfItsOwn() {
    clock.ahead(0);
    begin = System.currentTimeMillis();
    clock.to(begin);
    sql(
        "UPDATE usage_watermark SET look_ms = %d, open_ms = %d"
            .formatted(begin, begin - begin % HOUR));
    world = TestWorld.in(stores);
  }

  private static void sql(String statement) {
    stores.jdbc().sql(statement).update();
  }

  private Attempt running() {
    return world.run(world.place(world.submit(Specs.job("train").gpus(8)), 0, "node-1"));
  }

  /** Durations of this tenant's uses, in order. */
  private List<Long> used() {
    return stores
        .jdbc()
        .sql(
            "SELECT ended_ms - started_ms FROM usage_interval WHERE tenant = :tenant ORDER BY"
                + " started_ms, ended_ms")
        .param("tenant", world.tenant().id().value())
        .query(Long.class)
        .list();
  }

  /** Fails when an end is written by a clock that is hours ahead, or the next use is free. */
  @Test
  void endWhileTheClockIsAheadIsOverbilledByAtMostTwoMinutes() {
    Attempt first = running();
    clock.to(begin + 85 * SECOND);
    clock.ahead(STEP);
    world.succeed(first);

    clock.ahead(0);
    clock.to(begin + HOUR / 2);
    Attempt next = running();
    clock.to(begin + HOUR / 2 + 15 * SECOND);
    world.succeed(next);

    assertThat(used().getFirst()).isBetween(85 * SECOND, 85 * SECOND + TOLERANCE);
    assertThat(used().getLast()).isEqualTo(15 * SECOND);
  }

  /** Fails when a machine with a clock that is hours behind bills too little despite samples. */
  @Test
  void machineWithAWrongClockBillsByTheDatabaseClock() {
    clock.ahead(STEP);
    sql("UPDATE usage_watermark SET look_ms = " + (begin + STEP));
    Attempt attempt = running();
    clock.to(begin + 85 * SECOND);
    world.succeed(attempt);

    assertThat(used()).containsExactly(85 * SECOND);
  }

  /** Fails when an end after a long outage without samples is billed too short. */
  @Test
  void endAfterHoursWithoutAPassIsBilledInFullIfTheMachineAgrees() {
    Attempt attempt = running();
    clock.to(begin + 5 * HOUR);
    world.succeed(attempt);

    assertThat(used()).containsExactly(5 * HOUR);
  }

  /**
   * Fails when deadlines, windows, budgets or the watermarks of the usage follow the wrong clock.
   */
  @Test
  void noOtherDecisionFollowsAFastClock() {
    clock.ahead(STEP);

    assertThat(stores.jobs().now().toEpochMilli()).isEqualTo(begin + TOLERANCE);
    assertThat(stores.pools().now().toEpochMilli()).isEqualTo(begin + TOLERANCE);
    assertThat(stores.bean(UseLedger.class).now()).isEqualTo(begin + TOLERANCE);
    assertThat(stores.transactions().call(usage::look).nowMillis()).isEqualTo(begin + TOLERANCE);
    assertThat(stores.bean(ClockStore.class).read().nowMillis()).isEqualTo(begin + STEP);
  }

  /**
   * Fails when a storage period of a volume ends by a wrong clock, or the next period starts before
   * its end.
   */
  @Test
  void staysOfAVolumeNeverOverlap() {
    Volume bound =
        Volumes.stored(
            stores,
            Volumes.stored(
                    stores,
                    Volumes.kept(stores, world.project(), "data").placed(world.cluster().id()))
                .provisioned("uid-1", Instant.ofEpochMilli(begin)));
    clock.ahead(STEP);
    Volume lost = Volumes.stored(stores, bound.lost("gone"));
    clock.ahead(0);
    Volume _ = Volumes.stored(stores, lost.found(Instant.ofEpochMilli(begin + SECOND)));

    List<VolumeStay> stays = new ArrayList<>();
    Instant end = Instant.ofEpochMilli(begin + HOUR);
    stores.volumes().stays(world.tenant().id(), Instant.EPOCH, end, stays::add);
    assertThat(stays).hasSize(2);
    assertThat(stays.getFirst().to()).isBeforeOrEqualTo(Instant.ofEpochMilli(begin + TOLERANCE));
    assertThat(stays.getLast().from()).isEqualTo(stays.getFirst().to());
    assertThat(stays.getLast().to()).isEqualTo(end);
  }

  /** Fails when a fast clock ends an advance reservation, so that other jobs get its nodes. */
  @Test
  void advanceReservationDoesNotEndByAFastClock() {
    Node node = world.node("node-1");
    AdvanceReservation advanceReservation =
        new AdvanceReservation(
            new AdvanceReservationId(stores.ids().next()),
            world.uniqueName("advanceReservation"),
            null,
            Instant.ofEpochMilli(begin),
            Instant.ofEpochMilli(begin + HOUR),
            LeftoverPolicy.FINISH,
            "",
            List.of(new BookedNode(node.id(), node.cluster(), node.name())),
            "root",
            Instant.ofEpochMilli(begin));
    stores.advanceReservations().insert(advanceReservation);
    clock.ahead(STEP);
    assertThat(stores.advanceReservations().open()).contains(advanceReservation);
    Job other = world.submit(Specs.job("other").gpus(1));
    assertThatThrownBy(() -> world.place(other, 0, "node-1")).isInstanceOf(Conflict.class);
    clock.ahead(0);
    clock.to(begin + 2 * HOUR);
    assertThat(stores.advanceReservations().open()).doesNotContain(advanceReservation);
    assertThat(world.place(other, 0, "node-1").live()).isTrue();
  }

  /** Fails when a clock that is ahead makes Fairlead forget a node that failed an attempt. */
  @Test
  void failedNodeIsAvoidedForAnHourOfTheAcceptedClock() {
    Job job = world.submit(Specs.job("refused"));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.PLACEMENT_CONFLICT);
    clock.ahead(STEP);
    assertThat(failed(job)).hasSize(1);
    clock.ahead(0);
    clock.to(begin + 2 * HOUR);
    assertThat(failed(job)).isEmpty();
  }

  private static List<PlaceFailure> failed(Job job) {
    return stores.activeJobs().placeFailures().stream()
        .filter(failure -> failure.job().equals(job.id()))
        .toList();
  }

  /** Fails when the statements of the runbook do not undo the effects of a wrong clock. */
  @Test
  void runbookResetsTheWatermarks() throws IOException {
    Attempt first = running();
    sql("UPDATE usage_watermark SET look_ms = %1$d, open_ms = %1$d".formatted(begin + STEP));
    world.succeed(first);
    Attempt slices = running();
    sql(
        "INSERT INTO slice_allocation VALUES ('%s', 'worker', 0, '%s', 100, %d, NULL)"
            .formatted(slices.id().value(), world.node("node-1").id().value(), begin + STEP));
    assertThat(used()).allSatisfy(millis -> assertThat(millis).isGreaterThan(2 * HOUR));
    assertThat(stores.bean(ClockStore.class).read().watermarksAheadMillis())
        .isGreaterThanOrEqualTo(STEP);

    Databases.run(url, Embedded.server().user(), Embedded.server().password(), runbook());

    long present = System.currentTimeMillis();
    clock.to(present);
    String since = "SELECT since_ms FROM slice_allocation WHERE attempt = :attempt";
    assertThat(
            stores
                .jdbc()
                .sql(since)
                .param("attempt", slices.id().value())
                .query(Long.class)
                .single())
        .isLessThanOrEqualTo(present);
    world.succeed(slices);
    assertThat(stores.bean(ClockStore.class).read().watermarksAheadMillis()).isNotPositive();
    assertThat(used())
        .allSatisfy(millis -> assertThat(millis).isLessThanOrEqualTo(present - begin));
    clock.to(present + HOUR / 2);
    Attempt next = running();
    clock.to(present + HOUR / 2 + 15 * SECOND);
    world.succeed(next);
    assertThat(used().getLast()).isEqualTo(15 * SECOND);
  }

  private static String runbook() throws IOException {
    String page =
        Files.readString(
            Path.of(System.getProperty("fairlead.root", ".."))
                .resolve("docs/how-to/runbooks/FairleadClockRefused.md"));
    String block = page.substring(page.indexOf("```sql\n") + "```sql\n".length());
    return block.substring(0, block.indexOf("```"));
  }
}
