package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignNodeState;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.CampaignState;
import dev.fairlead.care.campaign.service.CampaignQueries;
import dev.fairlead.kernel.resources.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Maintenance of many nodes, some at a time.
 *
 * @param actor its maker
 * @param message what it waits for, empty for nothing but its nodes
 * @param atOnce nodes that may be out of use at a time
 * @param drainWithin how long the drain of a node may take, null for any time
 * @param mostUnhealthy no more nodes begin while more than so many came back out of order
 * @param soak how long a node that came back has to be in order
 * @param total its nodes
 * @param nodes how many are in each state
 * @param endedAt null while a node of it is looked after
 */
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
  /** How many nodes of a campaign are in each state. */
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
    return new CampaignResponse(
        campaign.id().text(),
        campaign.name(),
        campaign.reason(),
        campaign.actor(),
        campaign.state(),
        campaign.message(),
        rules.atOnce(),
        within == null ? null : DurationText.of(within),
        rules.atDeadline(),
        rules.mostUnhealthy(),
        DurationText.of(rules.soak()),
        campaign.total(),
        CampaignCounts.of(view.nodes()),
        campaign.createdAt(),
        campaign.endedAt());
  }
}
