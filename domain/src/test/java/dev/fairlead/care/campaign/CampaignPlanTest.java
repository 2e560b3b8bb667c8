package dev.fairlead.care.campaign;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.campaign.CampaignPlan.Change;
import dev.fairlead.care.campaign.CampaignPlan.Seen;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The states of the nodes of a campaign. */
class CampaignPlanTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Seen WELL = new Seen(NodeState.ACTIVE, false, false, null);
  private static final Seen EMPTYING =
      new Seen(NodeState.DRAINING, true, false, OperationState.RUNNING);

  private final Campaign campaign = campaign(CampaignDeadline.SKIP);

  private static Campaign campaign(CampaignDeadline atDeadline) {
    CampaignRules rules = new CampaignRules(3, HOUR, atDeadline, 1, Duration.ofMinutes(10));
    return Campaigns.running(
        new CampaignId(new UUID(1, 1)), new TenantId(new UUID(2, 2)), 9, rules);
  }

  private CampaignNode pending(int number) {
    return Campaigns.pending(campaign.id(), new NodeId(new UUID(3, number)), number, NOW);
  }

  private CampaignNode draining() {
    return pending(0).draining(false, new OperationId(new UUID(4, 4)), NOW);
  }

  private CampaignNode in(CampaignNodeState state) {
    return draining().to(state, "", NOW);
  }

  private Optional<Change> next(CampaignNode node, Seen seen, Duration later) {
    return CampaignPlan.next(campaign, node, seen, NOW.plus(later));
  }

  private static Seen drained(@Nullable OperationState drain) {
    return new Seen(NodeState.CORDONED, true, false, drain);
  }

  @Test
  void nodeIsReadyOnlyWhenItsDrainIsDone() {
    assertThat(next(draining(), EMPTYING, Duration.ZERO)).isEmpty();
    CampaignNode ready =
        next(draining(), drained(OperationState.SUCCEEDED), HOUR).orElseThrow().after();
    assertThat(ready.state()).isEqualTo(CampaignNodeState.READY);
  }

  /** Fails when a node under work returns to service without an order. */
  @Test
  void readyNodeStaysOutOfServiceUntilItIsUncordoned() {
    CampaignNode ready = in(CampaignNodeState.READY);
    assertThat(next(ready, drained(OperationState.SUCCEEDED), HOUR.multipliedBy(99))).isEmpty();
    assertThat(next(ready, new Seen(NodeState.RETIRED, true, false, null), HOUR)).isEmpty();
    assertThat(next(ready, WELL, HOUR).orElseThrow().after().state())
        .isEqualTo(CampaignNodeState.SOAKING);
  }

  /** Fails when a node is skipped before its deadline, or one is awaited beyond it. */
  @ParameterizedTest
  @CsvSource({"SKIP, true", "WAIT, false", "STOP, false"})
  void nodeNotEmptyInTimeIsSkippedIfConfigured(CampaignDeadline atDeadline, boolean skipped) {
    Campaign its = campaign(atDeadline);
    assertThat(CampaignPlan.next(its, draining(), EMPTYING, NOW.plus(HOUR).minusMillis(1)))
        .isEmpty();
    Optional<Change> late = CampaignPlan.next(its, draining(), EMPTYING, NOW.plus(HOUR));

    assertThat(late.isPresent()).isEqualTo(skipped);
    assertThat(late.stream()).allMatch(Change::giveBack);
  }

  @Test
  void drainStopsRemainingJobsOnlyIfConfigured() {
    assertThat(CampaignPlan.deadline(campaign.rules(), NOW)).isNull();
    assertThat(CampaignPlan.deadline(campaign(CampaignDeadline.STOP).rules(), NOW))
        .isEqualTo(new DrainDeadline(NOW.plus(HOUR), DrainPolicy.STOP));
  }

  @Test
  void aCancelledDrainSkipsItsNode() {
    Change cancelled = next(draining(), drained(OperationState.CANCELLED), HOUR).orElseThrow();
    assertThat(cancelled.after().state()).isEqualTo(CampaignNodeState.SKIPPED);
    assertThat(cancelled.giveBack()).isTrue();

    Change taken = next(draining(), WELL, Duration.ZERO).orElseThrow();
    assertThat(taken.after().state()).isEqualTo(CampaignNodeState.SKIPPED);
    assertThat(taken.giveBack()).as("an operator did").isFalse();
  }

  /** Fails when a node counts as done before it has been healthy for the soak time. */
  @Test
  void returnedNodeCompletesAfterAHealthySoak() {
    CampaignNode soaking = next(in(CampaignNodeState.SOAKING), WELL, HOUR).orElseThrow().after();
    assertThat(soaking.state()).isEqualTo(CampaignNodeState.SOAKING);
    Duration soaked = HOUR.plus(campaign.rules().soak());

    assertThat(next(soaking, WELL, soaked.minusMillis(1))).isEmpty();
    assertThat(next(soaking, WELL, soaked).orElseThrow().after().state())
        .isEqualTo(CampaignNodeState.DONE);
  }

  /** Fails when a node passes the gate although it is quarantined, down, or never returned. */
  @Test
  void nodeThatReturnsUnhealthyStaysUnhealthyUntilItRecovers() {
    CampaignNode back = in(CampaignNodeState.SOAKING);
    Seen down = new Seen(NodeState.UNREACHABLE, false, false, null);
    Seen sick = new Seen(NodeState.QUARANTINED, false, true, null);

    assertThat(next(back, down, CampaignPlan.COMES_BACK.minusMillis(1))).isEmpty();
    assertThat(next(back, down, CampaignPlan.COMES_BACK)).isPresent();
    CampaignNode ill = next(back, sick, Duration.ZERO).orElseThrow().after();
    assertThat(ill.state()).isEqualTo(CampaignNodeState.UNHEALTHY);
    assertThat(next(back.healthy(NOW), down, Duration.ofSeconds(1)).orElseThrow().after().state())
        .isEqualTo(CampaignNodeState.UNHEALTHY);

    assertThat(next(ill, sick, HOUR)).isEmpty();
    CampaignNode again = next(ill, WELL, HOUR).orElseThrow().after();
    assertThat(again.state()).isEqualTo(CampaignNodeState.SOAKING);
    assertThat(again.healthySince()).isEqualTo(NOW.plus(HOUR));
  }

  /** Fails when more nodes are out of service than the campaign may have. */
  @Test
  void unavailableNodesAreCappedByTheParallelism() {
    List<CampaignNode> active = List.of(draining(), in(CampaignNodeState.READY));
    assertThat(CampaignPlan.places(campaign, List.of())).isEqualTo(3);
    assertThat(CampaignPlan.places(campaign, active)).isEqualTo(1);
    assertThat(CampaignPlan.places(campaign, List.of(draining(), draining(), draining()))).isZero();
  }

  /** Fails when a campaign continues after its gate has stopped it. */
  @Test
  void gateStopsTheCampaignAfterTooManyUnhealthyNodes() {
    CampaignNode ill = in(CampaignNodeState.UNHEALTHY);
    assertThat(CampaignPlan.places(campaign, List.of(ill))).isEqualTo(3);
    assertThat(CampaignPlan.places(campaign, List.of(ill, ill))).isZero();
    assertThat(CampaignPlan.waitsFor(campaign, List.of(ill, ill), true))
        .satisfies(reason("campaign-plan.more-nodes-came-back", 1, "node-0", "node-0"));
    assertThat(CampaignPlan.over(campaign, List.of(ill, ill), false)).isFalse();
    assertThat(CampaignPlan.over(campaign, List.of(ill), false)).isTrue();
  }

  /** Fails when a paused or aborted campaign begins nodes. */
  @Test
  void onlyARunningCampaignStartsNodes() {
    Campaign paused = campaign.ordered(CampaignOrder.PAUSE).orElseThrow();
    assertThat(CampaignPlan.places(paused, List.of())).isZero();
    assertThat(CampaignPlan.next(paused, draining(), drained(OperationState.SUCCEEDED), NOW))
        .as("what is under way goes on")
        .isPresent();
    assertThat(CampaignPlan.over(paused, List.of(), true)).isFalse();
    assertThat(paused.ordered(CampaignOrder.PAUSE)).isEmpty();
  }

  @Test
  void abortedCampaignReleasesItsNodesAndEnds() {
    Campaign aborted = campaign.ordered(CampaignOrder.ABORT).orElseThrow();
    for (CampaignNodeState state : CampaignNodeState.values()) {
      if (state.active()) {
        Change change = CampaignPlan.next(aborted, in(state), EMPTYING, NOW).orElseThrow();
        boolean out = state == CampaignNodeState.DRAINING || state == CampaignNodeState.READY;
        assertThat(change.giveBack()).as(state.name()).isEqualTo(out);
        assertThat(change.after().state()).isEqualTo(CampaignNodeState.SKIPPED);
      }
    }
    assertThat(CampaignPlan.over(aborted, List.of(draining()), true)).isFalse();
    assertThat(CampaignPlan.over(aborted, List.of(), true)).isTrue();
    assertThat(aborted.over(NOW).state()).isEqualTo(CampaignState.ABORTED);
    assertThat(campaign.over(NOW).state()).isEqualTo(CampaignState.DONE);
    assertThat(aborted.ordered(CampaignOrder.RESUME)).isEmpty();
  }

  /** Fails when a campaign starts a node that is faulty, or drained by another operation. */
  @ParameterizedTest
  @EnumSource(NodeState.class)
  void onlyAHealthyNodeStarts(NodeState state) {
    boolean may = state == NodeState.ACTIVE || state == NodeState.CORDONED;
    assertThat(CampaignPlan.begins(new Seen(state, false, false, null))).isEqualTo(may);
    assertThat(CampaignPlan.begins(new Seen(state, false, true, null))).isFalse();
  }

  @Test
  void previouslyCordonedNodeStaysCordoned() {
    CampaignNode before = pending(0).draining(true, new OperationId(new UUID(4, 4)), NOW);
    assertThat(before.returned(NOW).state()).isEqualTo(CampaignNodeState.DONE);
    assertThat(draining().returned(NOW).state()).isEqualTo(CampaignNodeState.SOAKING);
  }
}
