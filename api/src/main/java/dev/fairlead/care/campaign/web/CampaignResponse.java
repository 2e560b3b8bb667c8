package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.service.CampaignQueries;
import dev.fairlead.kernel.resources.DurationText;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Maintenance of many nodes, a few at a time.
 *
 * @param actor creator of the campaign
 * @param message condition that the campaign waits for, empty if it waits only for its nodes
 * @param atOnce maximum number of nodes out of service at a time
 * @param drainWithin maximum duration of the drain of a node, null if unlimited
 * @param mostUnhealthy maximum number of unhealthy nodes after the work. While it is exceeded, no
 *     further node begins
 * @param soak time for which a node must be healthy after the work
 * @param total number of its nodes
 * @param nodes number of nodes in each state
 * @param endedAt time of the end, null while a node is unfinished
 */
@RecordBuilder
record CampaignResponse(
    String id,
    String name,
    String reason,
    String actor,
    CampaignState state,
    String message,
    int atOnce,
    @Nullable String drainWithin,
    CampaignDeadline atDeadline,
    int mostUnhealthy,
    String soak,
    int total,
    CampaignCounts nodes,
    Instant createdAt,
    @Nullable Instant endedAt) {
  /** Number of nodes of a campaign in each state. */
  record CampaignCounts(
      int pending, int draining, int ready, int soaking, int unhealthy, int done, int skipped) {
    static CampaignCounts of(SortedMap<CampaignNodeState, Integer> nodes) {
      return new CampaignCounts(
          nodes.getOrDefault(CampaignNodeState.PENDING, 0),
          nodes.getOrDefault(CampaignNodeState.DRAINING, 0),
          nodes.getOrDefault(CampaignNodeState.READY, 0),
          nodes.getOrDefault(CampaignNodeState.SOAKING, 0),
          nodes.getOrDefault(CampaignNodeState.UNHEALTHY, 0),
          nodes.getOrDefault(CampaignNodeState.DONE, 0),
          nodes.getOrDefault(CampaignNodeState.SKIPPED, 0));
    }
  }

  static CampaignResponse of(CampaignQueries.View view) {
    Campaign campaign = view.campaign();
    CampaignRules rules = campaign.rules();
    Duration within = rules.drainWithin();
    return CampaignResponseBuilder.builder()
        .id(campaign.id().text())
        .name(campaign.name())
        .reason(campaign.reason())
        .actor(campaign.actor())
        .state(campaign.state())
        .message(campaign.message())
        .atOnce(rules.atOnce())
        .drainWithin(within == null ? null : DurationText.of(within))
        .atDeadline(rules.atDeadline())
        .mostUnhealthy(rules.mostUnhealthy())
        .soak(DurationText.of(rules.soak()))
        .total(campaign.total())
        .nodes(CampaignCounts.of(view.nodes()))
        .createdAt(campaign.createdAt())
        .endedAt(campaign.endedAt())
        .build();
  }
}
