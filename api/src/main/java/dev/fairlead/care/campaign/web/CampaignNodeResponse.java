package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.service.CampaignQueries;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node of a campaign.
 *
 * @param cluster name of the cluster
 * @param cordonedBefore whether an operator had cordoned the node before the campaign. It then
 *     stays cordoned
 * @param drain id of the operation that drains the node, null before it begins
 * @param since time when the node entered its state
 * @param healthySince time when the node became healthy, null if it is unhealthy or not monitored
 * @param message reason for the state, empty if the state is self-explanatory
 */
record CampaignNodeResponse(
    String id,
    String name,
    String cluster,
    CampaignNodeState state,
    boolean cordonedBefore,
    @Nullable String drain,
    Instant since,
    @Nullable Instant healthySince,
    String message) {
  static CampaignNodeResponse of(CampaignQueries.NodeView view) {
    CampaignNode node = view.node();
    return new CampaignNodeResponse(
        node.node().text(),
        node.name(),
        view.cluster(),
        node.state(),
        node.cordonedBefore(),
        node.drain() == null ? null : node.drain().text(),
        node.since(),
        node.healthySince(),
        node.message());
  }
}
