package dev.fairlead.work.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The last activity of an attempt, from its own report and the use of its GPUs. */
class LastActivityTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration TOO_OLD = LastActivity.FRESH.plusSeconds(1);

  private static ProgressReport report(Duration age, Map<String, Double> metrics) {
    Progress progress = new Progress(null, null, new TreeMap<>(metrics));
    return new ProgressReport(progress, NOW.minus(age), null, null, null, null);
  }

  private static ProgressReport idle(double seconds) {
    return report(Duration.ofSeconds(10), Map.of("idle_seconds", seconds, "gpu_seen", 1.0));
  }

  /** Seconds before now. */
  private static LastActivity last(long at, long seenUntil) {
    return new LastActivity(NOW.minusSeconds(at), NOW.minusSeconds(seenUntil));
  }

  private static Efficiency sampled(Duration age, @Nullable Duration idle) {
    Instant at = NOW.minus(age);
    return new Efficiency(
        new AttemptId(new UUID(0, 1)),
        new JobId(new UUID(0, 2)),
        new TenantId(new UUID(0, 3)),
        3,
        1,
        1,
        null,
        null,
        idle == null ? null : at.minus(idle),
        at.minusSeconds(60),
        at,
        null,
        null);
  }

  @Test
  void lastActivityIsTheTimeReportedByTheProgram() {
    assertThat(LastActivity.of(idle(50), false, null, NOW)).isEqualTo(last(60, 10));
    assertThat(LastActivity.of(idle(1e300), false, null, NOW).at()).isBefore(NOW);
  }

  /** Fails when a program that can no longer report counts as idle. */
  @Test
  void lastActivityIsUnknownWithoutAFreshReport() {
    assertThat(LastActivity.of(null, false, null, NOW)).isNull();
    assertThat(LastActivity.of(report(TOO_OLD, Map.of("idle_seconds", 1.0)), false, null, NOW))
        .isNull();
    assertThat(
            LastActivity.of(
                report(Duration.ofSeconds(-1), Map.of("idle_seconds", 1.0)), false, null, NOW))
        .as("from before a step of the clock")
        .isNull();
    assertThat(LastActivity.of(report(Duration.ZERO, Map.of("loss", 1.0)), false, null, NOW))
        .isNull();
    assertThat(LastActivity.of(idle(-1), false, null, NOW)).isNull();
  }

  /** Fails when a silent program that computes on its GPU counts as idle. */
  @Test
  void gpuUtilizationCountsAsActivity() {
    assertThat(LastActivity.of(idle(3600), true, sampled(Duration.ofSeconds(30), null), NOW))
        .isEqualTo(last(30, 30));
    assertThat(
            LastActivity.of(
                idle(3600), true, sampled(Duration.ofSeconds(30), Duration.ofMinutes(5)), NOW))
        .isEqualTo(last(330, 30));
  }

  /** Fails when an attempt with unobserved GPUs counts as idle. */
  @Test
  void lastActivityIsUnknownWithoutGpuUtilization() {
    ProgressReport blind = report(Duration.ZERO, Map.of("idle_seconds", 60.0, "gpu_seen", 0.0));
    assertThat(LastActivity.of(blind, true, null, NOW)).isNull();
    assertThat(LastActivity.of(blind, true, sampled(TOO_OLD, Duration.ofHours(1)), NOW)).isNull();
    assertThat(LastActivity.of(blind, false, null, NOW)).isEqualTo(last(60, 0));
    assertThat(LastActivity.of(idle(50), true, sampled(TOO_OLD, null), NOW))
        .as("the program sees them")
        .isEqualTo(last(60, 10));
  }
}
