package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.service.CampaignQueries;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node of a campaign.
 *
 * @param cluster name of it
 * @param cordonedBefore whether an operator had cordoned it: then it stays cordoned
 * @param drain id of the operation that empties it, null before
 * @param since when it came into its state
 * @param healthySince since when it has been in order, null while it is not or is not looked at
 * @param message why it is so, empty where its state says it
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
