package dev.fairlead.kernel.clock.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.doctor.DoctorCheck.Verdict;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockDiagnosisTest {
  private static final long NOW = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();
  private static final long HOUR = Duration.ofHours(1).toMillis();
  private ClockStore.Reading read = new ClockStore.Reading(NOW, NOW, NOW, NOW);
  private final BelievedClock clock =
      new BelievedClock(
          () -> read,
          new Leases(
              MemoryStores.empty(1).leases(),
              new LeaseTimes(
                  Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
              () -> 0,
              "one"),
          () -> Instant.ofEpochMilli(NOW),
          new SimpleMeterRegistry());
  private final ClockDiagnosis diagnosis = new ClockDiagnosis(() -> read, clock);

  private List<Verdict> verdicts() {
    return diagnosis.look().stream().map(DoctorCheck::verdict).toList();
  }

  /** Fails when a refused clock, or a watermark that is ahead of a right one, is not a problem. */
  @Test
  void aRefusedClockAndAWatermarkAheadOfItAreProblems() {
    assertThat(verdicts()).containsExactly(Verdict.OK, Verdict.OK);

    read = new ClockStore.Reading(NOW + 3 * HOUR, NOW, NOW, NOW);
    assertThat(verdicts()).containsExactly(Verdict.PROBLEM, Verdict.OK);

    read = new ClockStore.Reading(NOW, NOW, NOW, NOW + 3 * HOUR);
    assertThat(verdicts()).containsExactly(Verdict.OK, Verdict.PROBLEM);
    assertThat(diagnosis.look().getLast().next()).contains("FairleadClockRefused.md");
  }
}
