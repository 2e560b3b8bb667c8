package dev.fairlead.money.efficiency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Samples of the pods of an attempt, and their evaluation. */
class EfficiencyTest {
  private static final Instant START = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static SampledAttempt attempt(@Nullable Efficiency before) {
    return new SampledAttempt(
        new AttemptId(new UUID(0, 1)),
        new JobId(new UUID(0, 2)),
        new TenantId(new UUID(0, 3)),
        "ours",
        new TreeSet<>(List.of("a", "b")),
        null,
        before);
  }

  private static PodUse pod(String name, double utilisation) {
    return new PodUse("ours", name, utilisation, null, null);
  }

  private static Efficiency after(@Nullable Efficiency before, Instant at, PodUse... uses) {
    return Efficiency.after(attempt(before), List.of(uses), at);
  }

  @Test
  void meanCoversAllSamplesAndTheLastIsStoredWithIt() {
    Efficiency first = after(null, START, pod("a", 90), pod("b", 70));
    Efficiency second = after(first, START.plus(MINUTE), pod("a", 20), pod("b", 20));
    Efficiency third = after(second, START.plus(MINUTE.multipliedBy(2)), pod("a", 50));

    assertThat(third.samples()).isEqualTo(3);
    assertThat(third.mean()).isEqualTo(50);
    assertThat(third.last()).isEqualTo(50);
    assertThat(third.since()).isEqualTo(START);
    assertThat(third.sampledAt()).isEqualTo(START.plus(MINUTE.multipliedBy(2)));
  }

  // Fails when pods with a member's name in another namespace count.
  @Test
  void podsOfOtherNamespacesAndNamesAreIgnored() {
    PodUse elsewhere = new PodUse("theirs", "a", 100, null, null);

    assertThat(attempt(null).has(pod("a", 10))).isTrue();
    assertThat(attempt(null).has(elsewhere)).isFalse();
    assertThat(attempt(null).has(pod("c", 10))).isFalse();
  }

  @Test
  void attemptIsIdleOnceAllItsMembersAreBelowTheThreshold() {
    Efficiency busy = after(null, START, pod("a", 0), pod("b", 5));
    Efficiency idle = after(busy, START.plus(MINUTE), pod("a", 0), pod("b", 4.9));
    Efficiency still = after(idle, START.plus(MINUTE.multipliedBy(2)), pod("a", 0), pod("b", 0));
    Efficiency works = after(still, START.plus(MINUTE.multipliedBy(3)), pod("a", 80), pod("b", 0));

    assertThat(busy.idleSince()).isNull();
    assertThat(still.idleSince()).isEqualTo(START.plus(MINUTE));
    assertThat(works.idleSince()).isNull();
  }

  // Fails when an unobserved member counts as idle.
  @Test
  void unseenMemberMayBeBusy() {
    Efficiency idle = after(null, START, pod("a", 0), pod("b", 0));

    assertThat(after(idle, START.plus(MINUTE), pod("a", 0)).idleSince()).isNull();
  }

  // Fails when time without samples counts as idle.
  @Test
  void gapInTheSamplesRestartsTheIdleTime() {
    Efficiency idle = after(null, START, pod("a", 0), pod("b", 0));
    Instant soon = START.plus(Efficiency.GAP);
    Instant late = soon.plusSeconds(1);

    assertThat(after(idle, soon, pod("a", 0), pod("b", 0)).idleSince()).isEqualTo(START);
    assertThat(after(idle, late, pod("a", 0), pod("b", 0)).idleSince()).isEqualTo(late);
    Instant before = START.minusSeconds(1);
    assertThat(after(idle, before, pod("a", 0), pod("b", 0)).idleSince()).isEqualTo(before);
  }

  @Test
  void memoryIsTheMaximumOfAllGpusAndEnergyTheSumBetweenSamples() {
    PodUse a = new PodUse("ours", "a", 50, 40_000L, 300.0);
    PodUse b = new PodUse("ours", "b", 50, 60_000L, 500.0);
    PodUse less = new PodUse("ours", "a", 50, 10L, 300.0);
    Efficiency first = after(null, START, a, b);
    Efficiency second = after(first, START.plus(MINUTE), a, b);
    Efficiency late = after(second, START.plus(MINUTE).plus(Duration.ofHours(1)), less);

    assertThat(first.joules()).isZero();
    assertThat(second.joules()).isEqualTo(800.0 * 60);
    assertThat(late.joules()).isEqualTo(800.0 * 60);
    assertThat(late.memoryPeakMib()).isEqualTo(60_000);
  }

  @Test
  void metricsMissingFromTheExporterAreUnknown() {
    Efficiency first = after(null, START, pod("a", 50));

    assertThat(first.joules()).isNull();
    assertThat(first.memoryPeakMib()).isNull();
  }
}
