package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Samples of the states of GPUs that are recorded as spans. */
class GpuSpansTest {
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final UsageStore usage = stores.bean(UsageStore.class);

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

  private UUID node() {
    return world.node("node-1").id().value();
  }

  private int spans(String condition) {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM gpu_interval WHERE node = :node AND " + condition)
        .param("node", node())
        .query(Integer.class)
        .single();
  }

  /** Fails when a sample compares spans without one of their columns. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE node SET gpu_model = 'A100' WHERE id = :node",
        "UPDATE node SET pool = 'other' WHERE id = :node",
        "UPDATE node SET pool_tenant = gen_random_uuid() WHERE id = :node",
        "UPDATE node SET foreign_gpu = 8000 WHERE id = :node",
        "UPDATE gpu_slot SET state = 'FAILED' WHERE node = :node",
        "UPDATE cluster SET capacity_type = 'SPOT' WHERE id = (SELECT cluster FROM node WHERE id = :node)",
        "UPDATE cluster SET state = 'DISABLED' WHERE id = (SELECT cluster FROM node WHERE id = :node)"
      })
  void changeOfAGpuEndsItsSpanAndBeginsAnother(String change) {
    usage.look();
    usage.look(); // finds no difference, so that the next one reads the GPUs only for the change
    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);

    assertThat(stores.jdbc().sql(change).param("node", node()).update()).isPositive();
    usage.look();

    assertThat(spans("ended_ms IS NOT NULL")).isEqualTo(8);
    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);
  }

  /** Fails when a sample reads no GPUs after another reservation. */
  @Test
  void reservationOfAGpuEndsItsSpanAndBeginsAnother() {
    Job job = world.submit(Specs.job("waits").gpus(2));
    Instant now = world.now().truncatedTo(ChronoUnit.MICROS);
    Reservation reservation =
        new Reservation(
            job.id(),
            0,
            Reservation.Kind.BACKFILL,
            world.cluster().id(),
            Members.of(job.spec(), List.of(world.node("node-1")), CapacityType.RESERVED),
            List.of(),
            now,
            null,
            now.plus(Duration.ofMinutes(10)));
    usage.look();
    usage.look();

    stores.reservations().put(List.of(reservation));
    usage.look();

    assertThat(spans("ended_ms IS NULL AND kept_milli = 1000")).isEqualTo(2);
    assertThat(spans("ended_ms IS NOT NULL")).isEqualTo(2);
  }

  /** Fails when a sample misses a new or a removed GPU. */
  @Test
  void spansBeginAndEndWithTheirGpu() {
    usage.look();
    int _ =
        stores
            .jdbc()
            .sql(
                """
                INSERT INTO gpu_slot
                SELECT (jsonb_populate_record(g, jsonb_build_object('idx', 8))).* FROM gpu_slot g
                WHERE node = :node AND idx = 7
                """)
            .param("node", node())
            .update();
    usage.look();
    assertThat(spans("ended_ms IS NULL")).isEqualTo(9);

    int _ =
        stores
            .jdbc()
            .sql("DELETE FROM gpu_slot WHERE node = :node AND idx = 8")
            .param("node", node())
            .update();
    usage.look();

    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);
    assertThat(spans("ended_ms IS NOT NULL")).isEqualTo(1);
  }

  /** Fails when a sample without a change ends or begins a span. */
  @Test
  void unchangedGpusRetainTheirSpans() {
    usage.look();
    usage.look();

    assertThat(spans("ended_ms IS NOT NULL")).isZero();
    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);
  }

  /** Fails when a sample reads all GPUs although no row of them has changed. */
  @Test
  void unchangedFleetIsNotReadAgain() {
    usage.look();
    usage.look();
    String delete = "DELETE FROM gpu_interval WHERE gpu = 0 AND node = :node";
    assertThat(stores.jdbc().sql(delete).param("node", node()).update()).isEqualTo(1);

    usage.look();
    assertThat(spans("ended_ms IS NULL")).isEqualTo(7);

    String touch = "UPDATE node SET version = version + 1 WHERE id = :node";
    assertThat(stores.jdbc().sql(touch).param("node", node()).update()).isEqualTo(1);
    usage.look();
    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);
  }

  /** Fails when a process does not read the GPUs after another process has changed their spans. */
  @Test
  void fleetIsReadAgainAfterASampleOfAnotherProcess() {
    usage.look();
    usage.look();
    String delete = "DELETE FROM gpu_interval WHERE gpu = 0 AND node = :node";
    assertThat(stores.jdbc().sql(delete).param("node", node()).update()).isEqualTo(1);
    String other = "UPDATE usage_watermark SET look_ms = look_ms + 1";
    assertThat(stores.jdbc().sql(other).update()).isEqualTo(1);

    usage.look();

    assertThat(spans("ended_ms IS NULL")).isEqualTo(8);
  }

  /** Fails when equal GPUs are missing from their group, or another GPU is in it. */
  @Test
  void equalGpusAreOneHistory() {
    long now = usage.look().nowMillis();
    String shorter =
        """
        WITH old AS (DELETE FROM gpu_interval WHERE node = :node AND ended_ms IS NULL RETURNING *)
        INSERT INTO gpu_interval (node, gpu, cluster, pool, owner, model, capacity, state, kept_milli, started_ms)
        SELECT node, gpu, cluster, pool, owner, model, capacity, state, kept_milli,
               CAST(:now AS bigint) - CASE gpu WHEN 7 THEN 50 ELSE 200 END
        FROM old
        """;
    assertThat(stores.jdbc().sql(shorter).param("node", node()).param("now", now).update())
        .isEqualTo(8);
    List<GpuHistory> histories = new ArrayList<>();

    usage.gpus(now - 100, now, histories::add);

    assertThat(histories)
        .filteredOn(history -> history.part().cluster().equals(world.cluster().id()))
        .extracting(GpuHistory::gpus, history -> now - history.states().getFirst().fromMillis())
        .containsExactlyInAnyOrder(tuple(7, 100L), tuple(1, 50L));
  }
}
