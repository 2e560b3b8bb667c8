package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.HealthHistory.Excerpt;
import dev.fairlead.care.health.HealthRecord;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Stored events of one code, as a replay reads them. */
class RuleHistoryTest {
  /** Later than all that other tests store. */
  private static final Instant THEN = Instant.parse("2061-05-06T07:08:09Z");

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final HealthHistory history = stores.bean(HealthHistory.class);
  private final Node node = world.node("node-1");

  private void store(int xid, Instant receivedAt, boolean known) {
    HealthEvent event =
        new HealthEvent(UUID.randomUUID().toString(), THEN, node.name(), "GPU-1", null, xid, "");
    HealthRecord stored =
        new HealthRecord(event, known ? node.id() : null, Judgement.Verdict.HARMLESS, null);
    stores
        .transactions()
        .call(() -> stores.health().insert(node.cluster(), List.of(stored), receivedAt));
  }

  /** Fails when another code, an unknown node, an older event or too many rows are read. */
  @Test
  void newestEventsAreReadAndTheirRangeIsReported() {
    store(31, THEN.minusSeconds(90), true);
    store(31, THEN.plusSeconds(1), true);
    store(13, THEN.plusSeconds(2), true);
    store(31, THEN.plusSeconds(3), false);
    store(31, THEN.plusSeconds(4), true);

    Excerpt all = history.of(31, THEN, 100);
    assertThat(all.events())
        .extracting(e -> e.receivedAt().minusSeconds(THEN.getEpochSecond()).getEpochSecond())
        .containsExactlyInAnyOrder(1L, 4L);
    assertThat(all.from()).isEqualTo(THEN);
    Excerpt few = history.of(31, THEN, 3);
    assertThat(few.events()).hasSize(1);
    assertThat(few.from())
        .as("another of that moment may be left out")
        .isAfter(THEN.plusSeconds(2));
    assertThat(few.from()).isBefore(THEN.plusSeconds(3));
    Excerpt none = history.of(99, THEN, 100);
    assertThat(none.events()).isEmpty();
    assertThat(none.from()).isEqualTo(THEN);
  }
}
