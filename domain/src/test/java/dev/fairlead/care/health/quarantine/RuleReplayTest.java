package dev.fairlead.care.health.quarantine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthHistory.Seen;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Replay of a rule against stored events. */
class RuleReplayTest {
  private static final Instant NOON = Instant.parse("2031-05-06T12:00:00Z");
  private static final ClusterId CLUSTER = new ClusterId(new UUID(1, 1));
  private static final Xid APPLICATION = XidTable.SHIPPED.find(31).orElseThrow();

  private static Seen event(int node, Instant at) {
    return new Seen(
        CLUSTER, new NodeId(new UUID(2, node)), "gpu-" + node, "GPU-" + node, "", at, at, at, null);
  }

  private static RuleReplay replay(FaultScope scope, boolean onRepeat, Seen... events) {
    return RuleReplay.of(APPLICATION.isolating(scope, onRepeat), List.of(events));
  }

  @Test
  void rowWithoutAScopeWouldHaveIsolatedNothing() {
    assertThat(replay(FaultScope.NONE, false, event(1, NOON)).hits()).isEmpty();
  }

  /** Fails when each event starts a quarantine, or a quarantine lasts longer than a day. */
  @Test
  void aNodeIsQuarantinedOnceADay() {
    RuleReplay replay =
        replay(
            FaultScope.NODE,
            false,
            event(1, NOON.plus(Duration.ofHours(24))),
            event(1, NOON.plusSeconds(5)),
            event(1, NOON));

    assertThat(replay.hits())
        .extracting(RuleReplay.Isolated::at)
        .containsExactly(NOON, NOON.plus(Duration.ofHours(24)));
    assertThat(replay.peak(hit -> true)).hasSize(1);
  }

  /** Fails when events of another device, of the same burst or of the previous day count. */
  @Test
  void aRuleForRepeatsWaitsForTheSecondBurstOfTheDevice() {
    Seen[] alone = {event(1, NOON), event(1, NOON.plusSeconds(9)), event(2, NOON.plusSeconds(900))};
    assertThat(replay(FaultScope.GPU, true, alone).hits()).isEmpty();
    assertThat(replay(FaultScope.GPU, true, event(1, NOON), event(1, NOON.plusSeconds(900))).hits())
        .singleElement()
        .extracting(RuleReplay.Isolated::at)
        .isEqualTo(NOON.plusSeconds(900));
    assertThat(
            replay(
                    FaultScope.GPU,
                    true,
                    event(1, NOON),
                    event(1, NOON.plus(Judgement.REPEAT).plusSeconds(1)))
                .hits())
        .isEmpty();
  }

  /**
   * A burst of a hundred events, another within the day, and one a day after both. Fails when only
   * the last event of a device, or the first of a burst, is remembered.
   */
  @Test
  void longBurstCountsOnce() {
    Seen[] events =
        IntStream.range(0, 100)
            .mapToObj(i -> event(1, NOON.plus(Duration.ofMinutes(2L * i))))
            .toArray(Seen[]::new);
    assertThat(replay(FaultScope.GPU, true, events).hits()).isEmpty();

    Instant again = NOON.plus(Duration.ofHours(20));
    events[98] = event(1, again);
    events[99] = event(1, again.plusSeconds(60));
    assertThat(replay(FaultScope.GPU, true, events).hits())
        .extracting(RuleReplay.Isolated::at)
        .containsExactly(again);
  }

  /** Fails when only the first event of a burst stored as one row counts. */
  @Test
  void burstStoredAsOneEndsWithItsLastEvent() {
    Instant end = NOON.plusSeconds(170);
    Seen burst =
        new Seen(CLUSTER, new NodeId(new UUID(2, 1)), "gpu-1", "GPU-1", "", NOON, end, NOON, null);
    Seen inside = event(1, NOON.plusSeconds(9));
    Instant silent = end.plus(Judgement.SILENCE);
    assertThat(replay(FaultScope.GPU, true, burst, inside, event(1, silent)).hits()).isEmpty();
    assertThat(replay(FaultScope.GPU, true, burst, inside, event(1, silent.plusSeconds(1))).hits())
        .hasSize(1);
  }

  /** Fails when an event counts that was too old at its arrival. */
  @Test
  void lateEventsWouldHaveIsolatedNothing() {
    Seen late =
        new Seen(
            CLUSTER,
            new NodeId(new UUID(2, 1)),
            "gpu-1",
            "GPU-1",
            "",
            NOON,
            NOON,
            NOON.plus(Judgement.LATE).plusSeconds(1),
            null);
    assertThat(replay(FaultScope.NODE, false, late).hits()).isEmpty();
  }

  /** Fails when a replay treats a nonfatal error as a fatal one. */
  @Test
  void nonfatalNvLinkErrorWouldHaveIsolatedNothing() {
    Xid links = XidTable.SHIPPED.find(145).orElseThrow();
    List<Seen> events =
        Stream.of("RLW_CTRL Nonfatal XC1", "RLW_CTRL Fatal XC1")
            .map(text ->
                new Seen(
                    CLUSTER,
                    new NodeId(new UUID(2, 1)),
                    "gpu-1",
                    "GPU-1",
                    text,
                    NOON,
                    NOON,
                    NOON,
                    null))
            .toList();
    assertThat(RuleReplay.of(links, events.subList(0, 1)).hits()).isEmpty();
    assertThat(RuleReplay.of(links, events).hits()).hasSize(1);
  }

  @Test
  void peakIsTheMaximumOfNodesOutSimultaneously() {
    Seen[] storm =
        IntStream.range(0, 9)
            .mapToObj(i -> event(i, NOON.plus(Duration.ofHours(4L * i))))
            .toArray(Seen[]::new);
    RuleReplay replay = replay(FaultScope.NODE, false, storm);
    assertThat(replay.peak(hit -> true))
        .extracting(RuleReplay.Isolated::nodeName)
        .containsExactly("gpu-0", "gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-5");
    assertThat(replay.peak(hit -> hit.nodeName().compareTo("gpu-5") < 0)).hasSize(5);
    assertThat(replay.peak(hit -> false)).isEmpty();
  }
}
