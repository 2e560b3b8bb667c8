package dev.fairlead.care.supply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall.Action;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A request for two nodes, as its provisioner and its cluster behave. */
class SupplyRequestTest {
  private static final Instant START = Instant.parse("2030-01-31T08:00:00Z");
  private static final Duration SOON = Duration.ofMinutes(1);
  private final Supply supply =
      Supplies.of(new PoolId(new UUID(1, 1)), new ClusterId(new UUID(1, 2)));
  private final SortedMap<String, NodeSighting> cluster = new TreeMap<>();
  private SupplyRequest request = asked(3, START);
  private Instant now = START;

  private SupplyRequest asked(int id, Instant at) {
    return SupplyRequest.of(new SupplyRequestId(new UUID(1, id)), supply, 2, at);
  }

  private void answers(Word word, String... nodes) {
    Action action = request.due(now);
    assertThat(action).isNotNull();
    SupplyAnswer answer = new SupplyAnswer.Answered(word, List.of(nodes), "", null);
    request = request.answered(action, answer, now);
  }

  private void shows(String node, boolean used, @Nullable String difference) {
    NodeSighting before = cluster.get(node);
    boolean takes = before == null || before.takes();
    cluster.put(node, new NodeSighting(id(node), takes, used, difference, false, !takes));
  }

  private static NodeId id(String node) {
    return new NodeId(new UUID(2, node.hashCode()));
  }

  private void uncordons(String node, boolean used) {
    cluster.put(node, new NodeSighting(id(node), true, used, null, false, false));
  }

  /** The cluster drains the requested nodes. */
  private void looks(Duration later) {
    now = now.plus(later);
    SupplyRequest before = request;
    request = request.seen(cluster, supply.releaseAfter(), now);
    List<NodeId> drained = before.drainedIn(request);
    cluster.replaceAll((name, seen) ->
        drained.contains(seen.id())
            ? new NodeSighting(
                seen.id(), false, seen.used(), seen.difference(), seen.foreign(), true)
            : seen);
  }

  private void bothAreReady() {
    answers(Word.GRANTED, "a", "b");
    shows("a", true, null);
    shows("b", true, null);
    looks(SOON);
    assertThat(request.state()).isEqualTo(SupplyState.READY);
  }

  @Test
  void requestIsReadyWhenAllNodesAcceptJobs() {
    answers(Word.GRANTED, "a");
    shows("a", false, null);
    looks(SOON);
    assertThat(request.state()).isEqualTo(SupplyState.GRANTED);
    assertThat(request.coming()).isEqualTo(1);

    answers(Word.GRANTED, "a", "b");
    shows("b", false, null);
    looks(SOON);

    assertThat(request.state()).isEqualTo(SupplyState.READY);
    assertThat(request.settledAt()).isEqualTo(now);
    assertThat(request.held()).isEqualTo(2);
    assertThat(request.due(now.plus(SOON))).isNull();
  }

  /**
   * Fails when a node with a job or a reservation is drained, or a node is returned without a
   * drain.
   */
  @Test
  void nodeIsReturnedAfterALongIdleTimeOnceItIsDrained() {
    bothAreReady();
    looks(supply.releaseAfter());
    shows("a", false, null);
    looks(SOON);
    assertThat(request.kept()).containsExactly("a", "b");
    shows("a", true, null);
    looks(supply.releaseAfter());
    shows("a", false, null);
    looks(SOON);
    SupplyRequest before = request;

    looks(supply.releaseAfter());

    assertThat(before.drainedIn(request)).containsExactly(id("a"));
    assertThat(request.kept()).containsExactly("a", "b");
    assertThat(request.due(now)).isNull();
    shows("a", true, null);
    looks(SOON);
    assertThat(request.kept()).as("a job came before the drain").containsExactly("a", "b");
    shows("a", false, null);
    looks(SOON);
    looks(SOON);
    assertThat(request.kept()).containsExactly("b");
    assertThat(request.due(now)).isEqualTo(Action.RELEASE);
    assertThat(request.held()).as("until its provisioner has it back").isEqualTo(2);
    answers(Word.RELEASED);
    assertThat(request.held()).as("while its cluster shows it, whatever it says").isEqualTo(2);
    cluster.remove("a");
    looks(SOON);
    assertThat(request.held()).isEqualTo(1);
  }

  /** Fails when a node is returned without another drain after an operator ended its drain. */
  @Test
  void nodeUncordonedByAnOperatorIsInUse() {
    bothAreReady();
    shows("a", false, null);
    looks(SOON);
    looks(supply.releaseAfter());
    uncordons("a", true);
    looks(SOON);
    shows("a", false, null);
    looks(SOON);
    looks(SOON);
    assertThat(request.kept()).containsExactly("a", "b");

    looks(supply.releaseAfter());
    assertThat(cluster.get("a").takes()).as("drained again").isFalse();
    looks(SOON);

    assertThat(request.kept()).containsExactly("b");
  }

  /** Fails when a node that accepts jobs is returned without a drain, or with a job. */
  @Test
  void wrongOrLateNodeIsDrainedBeforeItsReturn() {
    answers(Word.GRANTED, "a", "b");
    shows("a", false, "has 4 A100 GPUs, not 8 H100");
    looks(supply.readyWithin());

    assertThat(request.state()).isEqualTo(SupplyState.TIMED_OUT);
    assertThat(request.kept()).containsExactly("a");
    assertThat(cluster.get("a").takes()).isFalse();
    shows("a", true, "has 4 A100 GPUs, not 8 H100");
    shows("b", true, null);
    looks(SOON);
    assertThat(request.kept()).as("jobs came before").containsExactly("a", "b");
    answers(Word.RELEASED);

    shows("a", false, null);
    shows("b", false, null);
    looks(SOON);
    assertThat(request.kept()).containsExactly("b");
    assertThat(cluster.get("b").takes()).isFalse();
    looks(SOON);
    assertThat(request.kept()).isEmpty();
    answers(Word.RELEASED);
    cluster.clear();
    looks(SOON);
    assertThat(request.endedAt()).isEqualTo(now);
  }

  // Fails when nodes of the wrong kind are requested again immediately after their return.
  @Test
  void nodesUnusableTwiceAreNotRequestedAgainUntilTheSupplyChanges() {
    answers(Word.GRANTED, "a", "b");
    shows("a", false, "has memory 900Gi for pods, not 1000Gi");
    looks(supply.readyWithin());
    Instant until = now.plus(StockOut.MEMORY);

    assertThat(stockOut(List.of(request, request)))
        .isEqualTo(new StockOut(until, 2, "node a has memory 900Gi for pods, not 1000Gi"));
    assertThat(StockOut.of(Supplies.version(supply, 2), List.of(request, request), now)).isNull();
    now = until;
    assertThat(stockOut(List.of(request, request))).as("once more").isNull();
  }

  /** Fails when one node whose GPUs appear too late stops the pool for hours. */
  @Test
  void unusableNodesAreRequestedAgainSoon() {
    answers(Word.GRANTED, "a", "b");
    shows("a", false, "has 0 H100 GPUs, not 8 H100");
    looks(supply.readyWithin());

    assertThat(stockOut(List.of(request)))
        .isEqualTo(
            new StockOut(now.plus(Duration.ofMinutes(2)), 1, "node a has 0 H100 GPUs, not 8 H100"));
  }

  /** Fails when a refusal after wrong nodes causes another request within minutes. */
  @Test
  void refusalDoesNotShortenTheBackOffAfterWrongNodes() {
    SupplyRequest other = request;
    answers(Word.GRANTED, "a", "b");
    shows("a", false, "has memory 900Gi for pods, not 1000Gi");
    looks(supply.readyWithin());
    Instant until = now.plus(StockOut.MEMORY);
    now = now.plus(SOON);
    SupplyAnswer none = new SupplyAnswer.Answered(Word.REFUSED, List.of(), "none", null);
    SupplyRequest refused = other.answered(Action.REQUEST, none, now);

    StockOut stockOut = stockOut(List.of(request, request, refused));

    assertThat(stockOut)
        .isEqualTo(new StockOut(until, 3, "node a has memory 900Gi for pods, not 1000Gi"));
  }

  // Fails when a provisioner is trusted although it names nodes of others.
  @Test
  void preexistingNodeIsNeitherTakenDrainedNorReturned() {
    answers(Word.GRANTED, "a", "b");
    cluster.put("a", new NodeSighting(id("a"), true, false, "was there before", true, false));
    looks(supply.readyWithin());
    looks(SOON);

    assertThat(request.kept()).isEmpty();
    assertThat(request.held()).as("only what may come").isEqualTo(2);
    assertThat(cluster.get("a").takes()).as("not drained").isTrue();
    assertThat(request.notHandedBack()).containsExactly("a");
    assertThat(request.delivered().getFirst().trouble()).isEqualTo("was there before");
    answers(Word.RELEASED);
    assertThat(request.endedAt()).isNotNull();
  }

  /** Fails when existing nodes of a refused request are never returned, or the refusal is lost. */
  @Test
  void failedRequestAsksTheProvisionerToReleaseItsNodes() {
    Duration wait = Duration.ofHours(1);
    SupplyAnswer refused = new SupplyAnswer.Answered(Word.REFUSED, List.of(), "none", wait);
    request = request.answered(Action.REQUEST, refused, now);
    assertThat(request.held()).isEqualTo(2);
    now = now.plus(SOON);
    assertThat(request.due(now)).isEqualTo(Action.RELEASE);

    answers(Word.RELEASED);

    assertThat(request.held()).isZero();
    assertThat(request.talk().message()).isEqualTo("none");
    assertThat(stockOut(List.of(request))).isNotNull();
    assertThat(request.retryAfter()).isEqualTo(wait);
  }

  /** Fails when a missing node is awaited without end, or is not returned. */
  @Test
  void provisionerThatGrantsWithoutDeliveryIsAbandoned() {
    answers(Word.GRANTED);
    looks(supply.readyWithin());

    assertThat(request.state()).isEqualTo(SupplyState.TIMED_OUT);
    assertThat(request.held()).as("it may come late").isEqualTo(2);
    answers(Word.PENDING);
    assertThat(request.held()).isEqualTo(2);
    now = now.plus(SOON);
    answers(Word.RELEASED);
    assertThat(request.endedAt()).isEqualTo(now);
    assertThat(request.held()).isZero();
  }

  @Test
  void hangingProvisionerIsRetriedAtGrowingIntervals() {
    List<Duration> waits = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      request = request.answered(Action.REQUEST, new SupplyAnswer.Unanswered("hangs"), now);
      waits.add(Duration.between(now, request.talk().next()));
      now = request.talk().next();
    }

    assertThat(waits).isSorted().startsWith(Duration.ofSeconds(10));
    assertThat(waits.getLast()).isEqualTo(SupplyRequest.ASK_AT_LEAST_EVERY);
    assertThat(request.talk().message()).isEqualTo("hangs");
    assertThat(request.due(now)).isEqualTo(Action.REQUEST);
  }

  @Test
  void nodesOfAnotherKindDoNotCountAndAreReturned() {
    answers(Word.GRANTED, "a", "b");
    shows("a", false, "has 4 A100 GPUs, not 8 H100");
    shows("b", false, null);
    looks(SOON);
    assertThat(request.delivered().getFirst().trouble()).contains("A100");
    assertThat(request.coming()).isEqualTo(1);

    answers(Word.GRANTED, "a", "b", "c", "more", "and more");
    shows("c", false, null);
    looks(SOON);

    assertThat(request.state()).isEqualTo(SupplyState.READY);
    assertThat(request.kept()).as("until it is seen drained").containsExactly("a", "b", "c");
    assertThat(request.due(now)).isEqualTo(Action.RELEASE);
    looks(SOON);
    assertThat(request.kept()).containsExactly("b", "c");
  }

  @Test
  void nodeThatLeftItsClusterIsNoLongerBilled() {
    bothAreReady();
    cluster.remove("a");
    looks(SOON);

    assertThat(request.kept()).containsExactly("b");
    assertThat(request.due(now)).isEqualTo(Action.RELEASE);
  }

  @Test
  void waitDoublesPerRejectionAndResetsOnSuccess() {
    List<SupplyRequest> requests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      request = asked(10 + i, now);
      answers(Word.REFUSED);
      requests.add(request);
      assertThat(stockOut(requests))
          .isEqualTo(new StockOut(now.plusSeconds(120L << i), i + 1, null));
      now = now.plusSeconds(120L << i);
      assertThat(stockOut(requests)).as("it is over").isNull();
    }
    assertThat(stockOut(requests)).isNull();

    request = asked(20, now);
    bothAreReady();
    requests.add(request);
    request = asked(21, now);
    answers(Word.REFUSED);
    requests.add(request);

    assertThat(stockOut(requests)).isEqualTo(new StockOut(now.plusSeconds(120), 1, null));
  }

  @Test
  void oldRejectionNoLongerCounts() {
    answers(Word.REFUSED);
    SupplyRequest old = request;
    now = now.plus(StockOut.MEMORY);
    request = asked(4, now);
    answers(Word.REFUSED);

    assertThat(stockOut(List.of(old, request))).extracting(StockOut::refusals).isEqualTo(1);
  }

  private @Nullable StockOut stockOut(Collection<SupplyRequest> requests) {
    return StockOut.of(supply, requests, now);
  }
}
