package dev.fairlead.money.usage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReservedOnlyTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long GPU_HOUR = 1000 * HOUR;

  private final ReservedOnly queue = new ReservedOnly(110 * HOUR);

  private void hour(String model, int hour, int spilled, int free) {
    queue.add(new SpillHour(model, hour * HOUR, spilled * GPU_HOUR, free * GPU_HOUR));
  }

  /** Fails when free time of an hour is carried over, or waits across hours are ignored. */
  @Test
  void workWaitsForTheFreeTimeOfLaterHours() {
    hour("H100", 100, 0, 50);
    hour("H100", 101, 4, 1);
    hour("H100", 104, 0, 2);
    hour("H100", 105, 0, 9);

    // 3 wait from the end of hour 101 until hour 104, 1 of them until 105: 3 * 3 + 1 hours for 4.
    assertThat(queue.waits())
        .containsExactly(new ReservedOnly.Wait("H100", 4 * GPU_HOUR, 0, 10 * HOUR / 4));
  }

  /** Fails when unserved work counts as served, or its wait ends at its last row. */
  @Test
  void unservedJobsWaitUntilTheEnd() {
    hour("H100", 108, 2, 0);

    assertThat(queue.waits())
        .containsExactly(new ReservedOnly.Wait("H100", 2 * GPU_HOUR, 2 * GPU_HOUR, 2 * HOUR));
  }

  /** Fails when free time of one model serves another. */
  @Test
  void modelsHaveSeparateBacklogsAndIdleModelsAreOmitted() {
    hour("A100", 100, 0, 9);
    hour("H100", 100, 1, 1);

    assertThat(queue.waits()).containsExactly(new ReservedOnly.Wait("H100", GPU_HOUR, 0, 0));
  }

  /** Fails with an overflow when amounts times hours are stored in a long. */
  @Test
  void backlogOfAYearDoesNotOverflow() {
    ReservedOnly year = new ReservedOnly(9_000 * HOUR);
    for (int hour = 0; hour < 8_760; hour++) {
      year.add(new SpillHour("H100", hour * HOUR, 100_000 * GPU_HOUR, 0));
    }

    assertThat(year.waits().getFirst().meanWaitMillis()).isBetween(4_600 * HOUR, 4_640 * HOUR);
  }
}
