package dev.fairlead.money.efficiency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.efficiency.Efficiency.Warning;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Warnings about idle attempts, and their reclaim. */
class IdleStepTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration DAY = Duration.ofDays(1);
  private static final IdlePolicy POLICY =
      new IdlePolicy(5, Duration.ofMinutes(30), Duration.ofHours(2), new TreeMap<>());

  private static Efficiency idle(Duration since, @Nullable Instant warned, Instant sampled) {
    return told(since, warned == null ? null : new Warning(warned, POLICY.reclaimAfter()), sampled);
  }

  private static Efficiency told(Duration since, @Nullable Warning warned, Instant sampled) {
    return new Efficiency(
        new AttemptId(new UUID(0, 1)),
        new JobId(new UUID(0, 2)),
        new TenantId(new UUID(0, 3)),
        100,
        1,
        1,
        null,
        null,
        sampled.minus(since),
        NOW.minus(DAY),
        sampled,
        warned,
        null);
  }

  private static IdleStep step(Duration since, @Nullable Instant warned) {
    return IdleStep.of(idle(since, warned, NOW), POLICY, NOW);
  }

  @Test
  void ownerIsWarnedAfterTheFirstTimeAndTheJobReclaimedAfterTheSecond() {
    Instant warned = NOW.minus(Duration.ofMinutes(90));

    assertThat(step(Duration.ofMinutes(29), null)).isEqualTo(IdleStep.NOTHING);
    assertThat(step(Duration.ofMinutes(30), null)).isEqualTo(IdleStep.WARN);
    assertThat(step(Duration.ofMinutes(119), warned)).isEqualTo(IdleStep.NOTHING);
    assertThat(step(Duration.ofHours(2), warned)).isEqualTo(IdleStep.RECLAIM);
  }

  // Fails when a new policy suspends earlier idle jobs without a warning.
  @Test
  void nothingIsReclaimedBeforeTheFullWarningTime() {
    assertThat(step(DAY, null)).isEqualTo(IdleStep.WARN);
    assertThat(step(DAY, NOW.minus(Duration.ofMinutes(89)))).isEqualTo(IdleStep.NOTHING);
    assertThat(step(DAY, NOW.minus(Duration.ofMinutes(90)))).isEqualTo(IdleStep.RECLAIM);
  }

  // Fails when a job is suspended although its warning promised a longer time.
  @Test
  void stricterPolicyWarnsAgain() {
    Instant before = NOW.minus(DAY);
    Duration hours = Duration.ofHours(3);

    assertThat(IdleStep.of(told(hours, new Warning(before, null), NOW), POLICY, NOW))
        .isEqualTo(IdleStep.WARN);
    assertThat(IdleStep.of(told(hours, new Warning(before, hours), NOW), POLICY, NOW))
        .isEqualTo(IdleStep.WARN);
    Duration sooner = Duration.ofHours(1);
    assertThat(IdleStep.of(told(hours, new Warning(before, sooner), NOW), POLICY, NOW))
        .isEqualTo(IdleStep.RECLAIM);
  }

  @Test
  void jobNotIdleForThePolicyTimeGetsNoSecondWarning() {
    Efficiency told = told(Duration.ofMinutes(29), new Warning(NOW, null), NOW);

    assertThat(IdleStep.of(told, POLICY, NOW)).isEqualTo(IdleStep.NOTHING);
  }

  // Fails when an old sample counts as current.
  @Test
  void expiredSampleIsIgnored() {
    Instant warned = NOW.minus(DAY);
    Instant fresh = NOW.minus(IdleStep.FRESH);
    Instant old = fresh.minusSeconds(1);

    assertThat(IdleStep.of(idle(DAY, warned, fresh), POLICY, NOW)).isEqualTo(IdleStep.RECLAIM);
    assertThat(IdleStep.of(idle(DAY, warned, old), POLICY, NOW)).isEqualTo(IdleStep.NOTHING);
    assertThat(IdleStep.of(idle(DAY, null, old), POLICY, NOW)).isEqualTo(IdleStep.NOTHING);
  }

  @Test
  void idleJobWithoutAReclaimTimeIsOnlyWarned() {
    IdlePolicy warns = new IdlePolicy(5, Duration.ofMinutes(30), null, new TreeMap<>());

    assertThat(IdleStep.of(idle(DAY.multipliedBy(2), NOW.minus(DAY), NOW), warns, NOW))
        .isEqualTo(IdleStep.NOTHING);
  }
}
