package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.CampaignNode;
import dev.fairlead.care.campaign.CampaignNodeState;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
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
@RecordBuilder
@Schema(name = "CampaignNodeResponse")
public record CampaignNodeView(
    String id,
    String name,
    String cluster,
    CampaignNodeState state,
    boolean cordonedBefore,
    @Nullable String drain,
    Instant since,
    @Nullable Instant healthySince,
    String message) {
  static CampaignNodeView of(CampaignNode node, String cluster) {
    return CampaignNodeViewBuilder.builder()
        .id(node.node().text())
        .name(node.name())
        .cluster(cluster)
        .state(node.state())
        .cordonedBefore(node.cordonedBefore())
        .drain(node.drain() == null ? null : node.drain().text())
        .since(node.since())
        .healthySince(node.healthySince())
        .message(node.message())
        .build();
  }
}
