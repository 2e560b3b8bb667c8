package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignOrder;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.service.CampaignCommands;
import dev.fairlead.care.campaign.service.CampaignLoop;
import dev.fairlead.care.campaign.service.NewCampaign;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Maintenance of many nodes, a few at a time. */
class CampaignTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final CampaignCommands commands =
      new CampaignCommands(
          stores.transactions(),
          stores.campaigns(),
          stores.inventory(),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids(),
          stores.clock());
  private final CampaignLoop loop =
      new CampaignLoop(
          fairlead.leases(),
          stores.campaigns(),
          stores.inventory(),
          stores.operations(),
          stores.health(),
          stores.repairs(),
          stores.transactions(),
          stores.ids(),
          stores.clock(),
          metrics);

  @BeforeEach
  void aFleet() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pass(3);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  /** Runs only the loop, without reports of clusters. */
  private void turns() {
    for (int i = 0; i < 3; i++) {
      stores.advance(Duration.ofSeconds(10));
      loop.tick();
    }
  }

  private NewCampaign wanted(int atOnce, int percent, CampaignDeadline atDeadline) {
    return new NewCampaign(
        "kernel",
        "new kernel",
        "eu",
        null,
        null,
        percent > 0 ? percent : atOnce,
        percent > 0,
        Duration.ofMinutes(1),
        atDeadline,
        0,
        Duration.ofSeconds(20));
  }

  private Campaign begun(int atOnce, CampaignDeadline atDeadline) {
    return commands.create(fairlead.operator(), wanted(atOnce, 0, atDeadline), null, false);
  }

  private List<CampaignNode> nodes(Campaign campaign, CampaignNodeState state) {
    return stores.campaigns().nodes(campaign.id(), -1, 99).stream()
        .filter(node -> node.state() == state)
        .toList();
  }

  private Campaign now(Campaign campaign) {
    return stores.campaigns().campaign(campaign.id()).orElseThrow();
  }

  private Node node(CampaignNode node) {
    return stores.inventory().node(node.node()).orElseThrow();
  }

  private void order(Campaign campaign, CampaignOrder order) {
    assertThat(commands.order(fairlead.operator(), campaign.id(), order, "so", false)).isNotNull();
  }

  private void done(CampaignNode node) {
    assertThat(commands.done(fairlead.operator(), node.campaign(), node.name(), false)).isNotNull();
  }

  private Job firm(int gpus) {
    Specs spec =
        Specs.job("firm-" + gpus)
            .gpus(gpus)
            .priority(PriorityClass.HIGH)
            .annotation("sim.fairlead.dev/run-for", "10m");
    return fairlead.until(fairlead.submit(spec), JobState.RUNNING);
  }

  @Test
  void nodesAreDrainedInBatchesUntilAllAreDone() {
    Campaign campaign = begun(2, CampaignDeadline.WAIT);
    for (int round = 0; round < 2; round++) {
      pass(10);
      List<CampaignNode> ready = nodes(campaign, CampaignNodeState.READY);
      assertThat(ready).hasSize(2).allMatch(n -> node(n).state() == NodeState.CORDONED);
      assertThat(metrics.get("fairlead.campaign.nodes").tag("cluster", "eu").gauge().value())
          .isEqualTo(2);
      ready.forEach(this::done);
      pass(10);
      assertThat(nodes(campaign, CampaignNodeState.SOAKING)).as("they take places").hasSize(2);
      assertThat(ready).allMatch(n -> node(n).state() == NodeState.ACTIVE);
      pass(30);
    }
    assertThat(nodes(campaign, CampaignNodeState.DONE)).hasSize(4);
    assertThat(now(campaign).state()).isEqualTo(CampaignState.DONE);
    assertThat(now(campaign).endedAt()).isNotNull();
    assertThat(stores.campaigns().open()).isEmpty();
  }

  @Test
  void pausedCampaignStartsNoNodeAndAResumedOneDoes() {
    Campaign campaign = begun(1, CampaignDeadline.WAIT);
    pass(10);
    order(campaign, CampaignOrder.PAUSE);
    nodes(campaign, CampaignNodeState.READY).forEach(this::done);
    pass(60);
    assertThat(nodes(campaign, CampaignNodeState.DONE)).hasSize(1);
    assertThat(nodes(campaign, CampaignNodeState.PENDING)).hasSize(3);

    order(campaign, CampaignOrder.RESUME);
    pass(10);
    assertThat(nodes(campaign, CampaignNodeState.PENDING)).hasSize(2);
  }

  /** Fails when an abort removes the cordon of an operator, or leaves one of the campaign. */
  @Test
  void abortReleasesOnlyTheNodesOfTheCampaign() {
    String firm = fairlead.attempts(firm(8)).getLast().members().getFirst().nodeName();
    Node before =
        stores.inventory().nodes(null).stream()
            .filter(node -> !node.name().equals(firm))
            .findFirst()
            .orElseThrow();
    fairlead.fleet().cordon(fairlead.operator(), before.id().text(), false);
    pass(3);
    Campaign campaign = begun(4, CampaignDeadline.WAIT);
    pass(10);
    assertThat(nodes(campaign, CampaignNodeState.READY)).hasSize(3);
    assertThat(nodes(campaign, CampaignNodeState.DRAINING)).hasSize(1);

    order(campaign, CampaignOrder.ABORT);
    pass(10);

    assertThat(stores.inventory().nodes(null).stream().filter(n -> n.state() != NodeState.ACTIVE))
        .extracting(Node::id)
        .containsExactly(before.id());
    assertThat(stores.operations().running()).isEmpty();
    assertThat(now(campaign).state()).isEqualTo(CampaignState.ABORTED);
    assertThat(now(campaign).endedAt()).isNotNull();
  }

  @Test
  void nodeNotEmptyInTimeIsSkippedAndItsJobKeepsRunning() {
    Job firm = firm(8);
    Campaign campaign = begun(4, CampaignDeadline.SKIP);
    pass(70);

    List<CampaignNode> skipped = nodes(campaign, CampaignNodeState.SKIPPED);
    assertThat(skipped).hasSize(1);
    assertThat(skipped.getFirst().message()).satisfies(reason("campaign.empty-time"));
    assertThat(node(skipped.getFirst()).state()).isEqualTo(NodeState.ACTIVE);
    assertThat(fairlead.attempts(firm)).hasSize(1);
    assertThat(fairlead.state(firm)).isEqualTo(JobState.RUNNING);
    assertThat(
            stores
                .operations()
                .find(fairlead.operator().tenant(), skipped.getFirst().drain())
                .orElseThrow()
                .state())
        .isEqualTo(OperationState.CANCELLED);
  }

  @Test
  void nodeWhoseDrainStopsRemainingJobsIsReadyAfterItsDeadline() {
    Job firm = firm(8);
    Campaign campaign = begun(4, CampaignDeadline.STOP);
    pass(50);
    assertThat(fairlead.state(firm)).isEqualTo(JobState.RUNNING);
    pass(60);

    assertThat(nodes(campaign, CampaignNodeState.READY)).hasSize(4);
    assertThat(fairlead.attempts(firm).getFirst().failure().message()).contains("by the deadline");
  }

  @Test
  void gateStopsACampaignWhoseNodesDoNotReturn() {
    Campaign campaign = begun(1, CampaignDeadline.WAIT);
    pass(10);
    CampaignNode first = nodes(campaign, CampaignNodeState.READY).getFirst();
    done(first);
    pass(10);
    stores.moveNode(first.node(), NodeState.UNREACHABLE);
    loop.tick();

    assertThat(nodes(campaign, CampaignNodeState.UNHEALTHY)).hasSize(1);
    assertThat(nodes(campaign, CampaignNodeState.PENDING)).hasSize(3);
    assertThat(now(campaign).message()).contains(first.name());
    assertThat(metrics.get("fairlead.campaign.stopped").gauge().value()).isEqualTo(1);
  }

  @Test
  void unhealthyNodeKeepsItsPosition() {
    Node sick = stores.inventory().nodes(null).getFirst();
    assertThat(stores.inventory().order(sick.id(), NodeOrder.QUARANTINE)).isPresent();
    Campaign campaign = begun(1, CampaignDeadline.WAIT);
    pass(10);

    assertThat(nodes(campaign, CampaignNodeState.READY))
        .hasSize(1)
        .noneMatch(node -> node.node().equals(sick.id()));
    assertThat(nodes(campaign, CampaignNodeState.PENDING))
        .anyMatch(node -> node.node().equals(sick.id()));
  }

  /** Fails when a drained node may start its turn, or the wait has no message. */
  @Test
  void nodeDrainedByAnOperatorKeepsItsPositionAndTheNextOneStarts() {
    Job firm = firm(8);
    String busy = fairlead.attempts(firm).getLast().members().getFirst().nodeName();
    assertThat(fairlead.drains().drainNode(fairlead.operator(), busy, null, false)).isNotNull();
    Campaign campaign = begun(1, CampaignDeadline.WAIT);
    for (int node = 0; node < 3; node++) {
      pass(10);
      assertThat(nodes(campaign, CampaignNodeState.READY))
          .hasSize(1)
          .noneMatch(ready -> ready.name().equals(busy));
      nodes(campaign, CampaignNodeState.READY).forEach(this::done);
      pass(40);
    }

    assertThat(nodes(campaign, CampaignNodeState.DONE)).hasSize(3);
    assertThat(now(campaign).message()).contains("drained by another operation");
  }

  /** Fails when a node that never returns blocks its slot or the campaign permanently. */
  @Test
  void nodeThatLeavesItsClusterPermanentlyIsSkipped() {
    Campaign campaign = begun(1, CampaignDeadline.WAIT);
    pass(10);
    CampaignNode gone = nodes(campaign, CampaignNodeState.READY).getFirst();
    stores.moveNode(gone.node(), NodeState.RETIRED);
    assertThat(stores.inventory().inService(Set.of(gone.node()))).isEmpty();
    done(gone);
    assertThat(nodes(campaign, CampaignNodeState.SOAKING)).hasSize(1);
    stores.advance(Duration.ofMinutes(16));
    turns();
    assertThat(nodes(campaign, CampaignNodeState.UNHEALTHY)).hasSize(1);

    commands.done(fairlead.operator(), campaign.id(), gone.node().text(), false);
    turns();

    assertThat(nodes(campaign, CampaignNodeState.SKIPPED).getFirst().message())
        .isEqualTo("has left its cluster");
    assertThat(nodes(campaign, CampaignNodeState.DRAINING)).as("the next one").hasSize(1);
  }

  /** Fails when a campaign is searched only among the newest. */
  @Test
  void repeatedRequestReturnsItsCampaignAfterAnyNumberOfLaterOnes() {
    RequestKey key = new RequestKey("again", "hash");
    NewCampaign wanted = wanted(1, 0, CampaignDeadline.WAIT);
    Campaign first = commands.create(fairlead.operator(), wanted, key, false);
    order(first, CampaignOrder.ABORT);
    for (int i = 0; i < Campaign.MOST_OPEN; i++) {
      order(begun(1, CampaignDeadline.WAIT), CampaignOrder.ABORT);
      loop.tick();
      stores.advance(Duration.ofSeconds(5));
    }

    assertThat(commands.create(fairlead.operator(), wanted, key, false).id()).isEqualTo(first.id());
  }

  @Test
  void onlyReadyNodesAreDoneAndSharesAreRoundedUp() {
    Campaign campaign =
        commands.create(fairlead.operator(), wanted(0, 30, CampaignDeadline.WAIT), null, false);
    assertThat(campaign.rules().atOnce()).as("30 % of four").isEqualTo(2);
    CampaignNode pending = nodes(campaign, CampaignNodeState.PENDING).getFirst();

    assertThatThrownBy(() -> done(pending))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("PEND");
    assertThatThrownBy(
            () -> commands.create(fairlead.ana(), wanted(1, 0, CampaignDeadline.WAIT), null, false))
        .isInstanceOf(Refusal.class);
  }
}
