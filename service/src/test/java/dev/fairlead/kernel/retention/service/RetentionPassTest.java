package dev.fairlead.kernel.retention.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetentionPassTest {
  private final Tables tables = new Tables();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final RetentionPass clearing = new RetentionPass(tables, metrics);

  @Test
  void failedBatchIsHalvedAndBlocksNoOtherKind() {
    // Fails when the first kind that throws ends the pass, or is retried with the same number of
    // rows.
    tables.most = 3_000;

    IndependentSteps first = new IndependentSteps();
    assertThat(clearing.turn(first)).isTrue();
    assertThatThrownBy(first::rethrow).hasMessage("JOBS is too much");
    assertThat(clearing.turn(new IndependentSteps())).isTrue();
    IndependentSteps third = new IndependentSteps();
    clearing.turn(third);
    third.rethrow();

    assertThat(tables.limits).containsExactly(10_000, 5_000, 2_500);
    assertThat(tables.cleared.keySet()).containsExactlyInAnyOrder(RetentionStore.Kind.values());
    assertThat(tables.cleared.get(RetentionStore.Kind.EVENTS)).isEqualTo(3);
    assertThat(metrics.counter("fairlead.retention.failures", "kind", "JOBS").count()).isEqualTo(2);
  }

  @Test
  void batchLimitGrowsBackAfterAFailure() {
    tables.most = 1;
    for (int i = 0; i < 20; i++) {
      clearing.turn(new IndependentSteps());
    }
    assertThat(tables.limits.getLast()).isLessThanOrEqualTo(2);
    tables.most = Integer.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      clearing.turn(new IndependentSteps());
    }

    assertThat(tables.limits.getLast()).isEqualTo(10_000);
  }

  @Test
  void rowsADayBeyondTheirAgeAreReported() {
    // Fails when a kind without removals is not noticed.
    RetentionLag lateness = new RetentionLag(tables, metrics);
    tables.oldest.put(RetentionStore.Kind.JOBS, Duration.ofDays(8));
    tables.oldest.put(RetentionStore.Kind.EVENTS, Duration.ofDays(12));

    lateness.look();

    assertThat(lateness.late()).containsOnlyKeys(RetentionStore.Kind.EVENTS);
    assertThat(metrics.get("fairlead.retention.late").tag("kind", "EVENTS").gauge().value())
        .isEqualTo(Duration.ofDays(5).toSeconds());

    tables.oldest.clear();
    lateness.look();
    assertThat(lateness.late()).isEmpty();
  }

  /** Jobs whose removal fails beyond {@code most} rows. */
  private static final class Tables implements RetentionStore {
    private final List<Integer> limits = new ArrayList<>();
    private final Map<Kind, Integer> cleared = new EnumMap<>(Kind.class);
    private final Map<Kind, Duration> oldest = new EnumMap<>(Kind.class);
    private int most = Integer.MAX_VALUE;

    @Override
    public int clear(Kind kind, Ages ages, int limit) {
      if (kind == Kind.JOBS) {
        limits.add(limit);
        if (limit > most) {
          throw new IllegalStateException("JOBS is too much");
        }
      }
      cleared.merge(kind, 1, Integer::sum);
      return 1;
    }

    @Override
    public Map<Kind, Duration> oldest() {
      return oldest;
    }

    @Override
    public void prepare() {}

    @Override
    public Duration horizon() {
      return Duration.ofDays(9);
    }

    @Override
    public void fold() {}
  }
}
