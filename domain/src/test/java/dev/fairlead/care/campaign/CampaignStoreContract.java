package dev.fairlead.care.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class CampaignStoreContract {
  private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");
  private CampaignStore campaigns;
  private Stores stores;

  protected abstract Stores stores();

  @BeforeEach
  void aStore() {
    stores = stores();
    campaigns = stores.campaigns();
  }

  private Campaign made(List<NodeId> nodes) {
    Campaign campaign =
        Campaigns.running(
            new CampaignId(stores.ids().next()),
            new TenantId(stores.ids().next()),
            nodes.size(),
            new CampaignRules(2, Duration.ofHours(1), CampaignDeadline.STOP, 1, Duration.ZERO));
    List<CampaignNode> rows =
        IntStream.range(0, nodes.size())
            .mapToObj(i -> Campaigns.pending(campaign.id(), nodes.get(i), i, AT))
            .toList();
    campaigns.insert(campaign, rows);
    return campaign;
  }

  private NodeId node() {
    return new NodeId(stores.ids().next());
  }

  private CampaignNode draining(Campaign campaign, NodeId node) {
    return campaigns
        .node(campaign.id(), node)
        .orElseThrow()
        .draining(true, new OperationId(stores.ids().next()), AT);
  }

  /** Fails when a field of a campaign or of a node is not stored. */
  @Test
  void storedCampaignIsReadBack() {
    NodeId first = node();
    Campaign campaign = made(List.of(first, node()));
    CampaignNode draining = draining(campaign, first);
    campaigns.update(draining);
    campaigns.update(campaign.waits("waits"));

    assertThat(campaigns.campaign(campaign.id())).contains(campaign.waits("waits").following());
    assertThat(campaigns.locked(campaign.id())).contains(campaign.waits("waits").following());
    assertThat(campaigns.node(campaign.id(), first)).contains(draining.following());
    assertThat(campaigns.active()).contains(draining.following());
    assertThat(campaigns.counts(campaign.id()))
        .isEqualTo(
            new TreeMap<>(
                java.util.Map.of(CampaignNodeState.DRAINING, 1, CampaignNodeState.PENDING, 1)));
  }

  /** Fails when the order changes, or skipped nodes are included. */
  @Test
  void pendingNodesAreReturnedInOrderWithoutSkippedNodes() {
    List<NodeId> nodes = List.of(node(), node(), node(), node());
    Campaign campaign = made(nodes);
    campaigns.update(draining(campaign, nodes.getFirst()));

    assertThat(campaigns.pending(campaign.id(), List.of(nodes.get(1)), 9))
        .extracting(CampaignNode::node)
        .containsExactly(nodes.get(2), nodes.get(3));
    assertThat(campaigns.pending(campaign.id(), List.of(), 1))
        .extracting(CampaignNode::node)
        .containsExactly(nodes.get(1));
    assertThat(campaigns.nodes(campaign.id(), 1, 9))
        .extracting(CampaignNode::position)
        .containsExactly(2, 3);
  }

  /** Fails when the loop overwrites a concurrent order of an operator. */
  @Test
  void onlyTheStoredVersionCanBeUpdated() {
    NodeId node = node();
    Campaign campaign = made(List.of(node));
    CampaignNode draining = draining(campaign, node);
    campaigns.update(campaign.waits("one"));
    campaigns.update(draining);

    Refused.by(Guard.VERSION, () -> campaigns.update(campaign.waits("two")));
    Refused.by(Guard.VERSION, () -> campaigns.update(draining));
  }

  /** Fails without the unique index on nodes out of service. */
  @Test
  void nodeBelongsToOneCampaignAtATime() {
    NodeId node = node();
    Campaign one = made(List.of(node));
    Campaign two = made(List.of(node));
    campaigns.update(draining(one, node));

    Refused.by(Guard.VERSION, () -> campaigns.update(draining(two, node)));
    CampaignNode out = campaigns.node(one.id(), node).orElseThrow();
    campaigns.update(out.to(CampaignNodeState.SKIPPED, "left out", AT));
    campaigns.update(draining(two, node));
    assertThat(campaigns.active()).extracting(CampaignNode::campaign).contains(two.id());
  }

  /** Fails when ended campaigns stay open, or are never deleted. */
  @Test
  void longEndedCampaignIsDeletedWithItsNodes() {
    Campaign open = made(List.of(node()));
    Campaign ended = made(List.of(node(), node()));
    campaigns.update(ended.over(AT));
    assertThat(campaigns.open()).contains(open).extracting(Campaign::id).doesNotContain(ended.id());
    assertThat(campaigns.campaigns(null, 1)).extracting(Campaign::id).containsExactly(ended.id());
    assertThat(campaigns.campaigns(ended.id(), 1)).containsExactly(open);

    while (campaigns.forget(AT.plusSeconds(1), 1) > 0) {
      assertThat(campaigns.campaign(open.id())).isPresent();
    }
    assertThat(campaigns.campaign(ended.id())).isEmpty();
    assertThat(campaigns.nodes(open.id(), -1, 9)).hasSize(1);
  }
}
