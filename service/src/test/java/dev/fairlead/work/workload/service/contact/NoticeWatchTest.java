package dev.fairlead.work.workload.service.contact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeNotice.Kind;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeWatchTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Instant start = world.now();
  private final NoticeWatch watch = watch();

  private NoticeWatch watch() {
    return new NoticeWatch(world.cluster().id(), ServiceParts.closedPlaces(stores));
  }

  private static NodeReport quiet() {
    return NodeReports.node("node-1").build();
  }

  private NodeReport noticed(Kind kind, Duration until) {
    return NodeReports.node("node-1").notice(kind, start.plus(until)).build();
  }

  /** A notice whose sign has no time. */
  private static NodeReport open(Kind kind) {
    NodeNotice notice = new NodeNotice(kind, "test/notice", "a test", null, kind.within());
    return quiet().noticed(notice, Instant.EPOCH);
  }

  private NodeReport read(NoticeWatch by, NodeReport shown, Duration after) {
    return by.read(List.of(shown), List.of(), start.plus(after)).getFirst();
  }

  private static Instant deadline(NodeReport report) {
    return report.notice().map(NodeNotice::deadline).orElseThrow();
  }

  /** Fails when the assumed deadline moves with each report. */
  @Test
  void noticeWithoutATimeHasTheDeadlineOfItsKindFromItsFirstReport() {
    NodeReport first = read(watch, open(Kind.SPOT), Duration.ZERO);
    assertThat(deadline(first)).isEqualTo(start.plus(Kind.SPOT.within()));
    assertThat(first.leaving()).isTrue();
    NodeReport later = read(watch, open(Kind.SPOT), Duration.ofSeconds(20));
    assertThat(deadline(later)).isEqualTo(deadline(first));

    NodeReport other = read(watch, open(Kind.SCALE_DOWN), Duration.ofSeconds(21));
    assertThat(deadline(other)).isEqualTo(start.plusSeconds(21).plus(Kind.SCALE_DOWN.within()));
  }

  /** Fails when another process counts from its own first observation. */
  @Test
  void assumedDeadlineSurvivesARestart() {
    world.report(read(watch, open(Kind.SPOT), Duration.ZERO));
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.CORDONED);
    NodeReport again = read(watch(), open(Kind.SPOT), Duration.ofSeconds(25));
    assertThat(deadline(again)).isEqualTo(start.plus(Kind.SPOT.within()));
  }

  /** Fails when a maintenance next month closes its node today. */
  @Test
  void distantDeadlineClosesItsNodeADayBefore() {
    Duration month = Duration.ofDays(30);
    NodeReport now = read(watch, noticed(Kind.MAINTENANCE, month), Duration.ZERO);
    assertThat(now.leaving()).isFalse();
    assertThat(deadline(now)).isEqualTo(start.plus(month));

    Duration closes = month.minus(NodeNotice.CLOSES).plusMillis(1);
    assertThat(watch.due(start.plus(closes).minusMillis(1))).isFalse();
    assertThat(watch.due(start.plus(closes))).isTrue();
    assertThat(read(watch, noticed(Kind.MAINTENANCE, month), closes).leaving()).isTrue();
  }

  /** Fails when the notice with a time hides a sooner one without a time, or the reverse. */
  @Test
  void soonerOfTwoNoticesAppliesWithAndWithoutATime() {
    NodeReport spot = open(Kind.SPOT);
    Duration month = Duration.ofDays(30);
    NodeReport both = with(spot, noticed(Kind.MAINTENANCE, month));
    assertThat(read(watch, both, Duration.ZERO).notice())
        .map(NodeNotice::deadline)
        .contains(start.plus(Kind.SPOT.within()));
    NodeReport sooner = with(open(Kind.SCALE_DOWN), noticed(Kind.SPOT, Duration.ofMinutes(2)));
    assertThat(read(watch(), sooner, Duration.ZERO).notice())
        .map(NodeNotice::kind)
        .contains(Kind.SPOT);
  }

  private static NodeReport with(NodeReport open, NodeReport dated) {
    List<Taint> taints = new ArrayList<>(open.taints());
    taints.addAll(dated.taints());
    return NodeReports.node("node-1").taints(taints).build();
  }

  @Test
  void aWithdrawnNoticeOpensItsNode() {
    read(watch, noticed(Kind.SPOT, Duration.ofMinutes(2)), Duration.ZERO);
    NodeReport opened = read(watch, quiet(), Duration.ofSeconds(10));
    assertThat(opened.leaving()).isFalse();
    assertThat(opened.notice()).isEmpty();
  }

  /** Fails when jobs start on a node with a flapping source, only to be moved. */
  @Test
  void flappingNoticeKeepsItsNodeClosedForAWhile() {
    NodeReport spot = noticed(Kind.SPOT, Duration.ofMinutes(2));
    read(watch, spot, Duration.ZERO);
    read(watch, quiet(), Duration.ofSeconds(10));
    read(watch, spot, Duration.ofSeconds(20));
    NodeReport held = read(watch, quiet(), Duration.ofSeconds(30));
    assertThat(held.leaving()).isTrue();
    assertThat(held.notice()).map(NodeNotice::stops).contains(false);
    world.report(held);

    Duration opens = Duration.ofSeconds(30).plus(NoticeWatch.HELD);
    assertThat(read(watch, quiet(), opens.minusMillis(1)).leaving()).isTrue();
    assertThat(read(watch(), quiet(), opens.minusMillis(1)).leaving()).as("restart").isTrue();
    assertThat(watch.due(start.plus(opens))).isTrue();
    assertThat(read(watch, quiet(), opens).leaving()).isFalse();
  }

  /** Fails when a clock that was hours ahead holds the node closed for hours. */
  @Test
  void aHeldNodeOpensWhenTheClockIsSetBack() {
    NodeReport spot = noticed(Kind.SPOT, Duration.ofDays(1));
    Duration ahead = Duration.ofHours(3);
    for (int i = 0; i < 2; i++) {
      read(watch, spot, ahead);
      read(watch, quiet(), ahead);
    }
    assertThat(read(watch, quiet(), ahead).leaving()).isTrue();
    assertThat(read(watch, quiet(), Duration.ZERO).leaving()).isFalse();
  }

  /** Fails when an autoscaler that tries each quarter of an hour moves the same job each time. */
  @Test
  void noticeThatReturnsAfterFifteenMinutesIsHeld() {
    NodeReport scaled = noticed(Kind.SCALE_DOWN, Duration.ofHours(1));
    read(watch, scaled, Duration.ZERO);
    assertThat(read(watch, quiet(), Duration.ofMinutes(10)).leaving()).isFalse();
    read(watch, scaled, Duration.ofMinutes(15));
    assertThat(read(watch, quiet(), Duration.ofMinutes(25)).leaving()).isTrue();
  }

  @Test
  void noticeThatReturnsHoursLaterIsNoFlapping() {
    NodeReport spot = noticed(Kind.SPOT, Duration.ofDays(1));
    for (int hours = 0; hours < 5; hours++) {
      read(watch, spot, Duration.ofHours(hours));
      NodeReport opened = read(watch, quiet(), Duration.ofHours(hours).plusMinutes(1));
      assertThat(opened.leaving()).isFalse();
    }
  }

  @Test
  void endedMachineHasNoWithdrawnNotice() {
    read(watch, noticed(Kind.SPOT, Duration.ofMinutes(2)), Duration.ZERO);
    assertThat(watch.read(List.of(), List.of(), start.plusSeconds(1))).isEmpty();
    assertThat(read(watch, quiet(), Duration.ofSeconds(2)).leaving()).isFalse();
  }

  private AnnouncedNotice announced(String id, Kind kind, Duration until) {
    return new AnnouncedNotice(
        world.cluster().id(), id, "node-1", kind, "a test", start.plus(until), "boot-1", false);
  }

  private NodeReport outside(String boot, Duration after, AnnouncedNotice... announced) {
    NodeReport node = NodeReports.node("node-1").bootId(boot).build();
    return watch.read(List.of(node), List.of(announced), start.plus(after)).getFirst();
  }

  /** Fails when an announced notice is another type, or hides a sooner one of the node. */
  @Test
  void announcedNoticeCountsLikeANodeNotice() {
    AnnouncedNotice work = announced("work", Kind.MAINTENANCE, Duration.ofMinutes(20));
    NodeReport noticed = outside("boot-1", Duration.ZERO, work);
    assertThat(noticed.notice()).contains(work.notice());
    assertThat(noticed.leaving()).isTrue();
    AnnouncedNotice spot = announced("spot", Kind.SPOT, Duration.ofMinutes(2));
    assertThat(outside("boot-1", Duration.ZERO, work, spot).notice()).contains(spot.notice());
    assertThat(outside("boot-1", Duration.ofSeconds(1), work, spot.withdraw()).notice())
        .contains(work.notice());
    assertThat(read(watch, quiet(), Duration.ofSeconds(2)).notice()).as("withdrawn").isEmpty();
  }

  /** Fails when a rebalance, which some jobs ignore, hides the interruption that follows it. */
  @Test
  void rebalanceDoesNotHideAnImminentInterruption() {
    AnnouncedNotice advice = announced("advice", Kind.REBALANCE, Duration.ofMinutes(10));
    AnnouncedNotice spot = announced("spot", Kind.SPOT, Duration.ofMinutes(14));
    AnnouncedNotice far = announced("far", Kind.MAINTENANCE, Duration.ofDays(30));
    assertThat(outside("boot-1", Duration.ZERO, advice, far).notice()).contains(advice.notice());
    assertThat(outside("boot-1", Duration.ofMinutes(12), advice, far, spot).notice())
        .contains(spot.notice());
  }

  /** Fails when a machine that survived its notice never returns. */
  @Test
  void announcedNoticeEndsWithTheBootAfterItsDeadlineOrAnHourLater() {
    Duration until = Duration.ofMinutes(10);
    AnnouncedNotice work = announced("work", Kind.MAINTENANCE, until);
    assertThat(outside("boot-2", Duration.ZERO, work).leaving()).as("an early boot").isTrue();
    assertThat(watch.due(start.plus(until).minusMillis(1))).isFalse();
    assertThat(watch.due(start.plus(until))).isTrue();
    assertThat(outside("boot-2", until, work).leaving()).isFalse();

    Duration ends = until.plus(AnnouncedNotice.LASTS);
    assertThat(outside("boot-1", ends.minusMillis(1), work).leaving()).isTrue();
    assertThat(watch.due(start.plus(ends))).isTrue();
    assertThat(outside("boot-1", ends, work).notice()).isNotEqualTo(work.notice());
  }

  /** Fails when the count stops at the deadline, or includes empty and absent machines. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aMachineWithMembersAMinuteAfterItsDeadlineIsOverdue(boolean busy) {
    NodeReport spot = noticed(Kind.SPOT, Duration.ofMinutes(2));
    world.report(spot);
    read(watch, spot, Duration.ZERO);
    SortedSet<NodeId> nodes = new TreeSet<>();
    if (busy) {
      nodes.add(world.node("node-1").id());
    }
    Map<String, NodeReport> shown = new TreeMap<>(Map.of("node-1", spot));
    watch.count(shown, () -> nodes, start.plusSeconds(180));
    assertThat(watch.count()).isEqualTo(new NoticeCount(Map.of(Kind.SPOT, 1), 0));
    watch.count(shown, () -> nodes, start.plusSeconds(190));
    assertThat(watch.count().overdue()).isEqualTo(busy ? 1 : 0);
    watch.count(new TreeMap<>(), () -> nodes, start.plusSeconds(200));
    assertThat(watch.count().overdue()).isZero();
  }

  /** A spot pool of several thousand machines is reclaimed. */
  @Test
  void thousandsOfNoticesAreReadInOnePass() {
    List<NodeReport> pool =
        IntStream.range(0, 5000)
            .mapToObj(i -> NodeReports.node("node-" + i).build())
            .map(r -> r.noticed(open(Kind.SPOT).notice().orElseThrow(), start))
            .toList();
    assertThat(watch.read(pool, List.of(), start)).allMatch(NodeReport::leaving);
    watch.count(new TreeMap<>(), TreeSet::new, start);
    assertThat(watch.count().kinds()).containsExactly(Map.entry(Kind.SPOT, 5000));
  }
}
