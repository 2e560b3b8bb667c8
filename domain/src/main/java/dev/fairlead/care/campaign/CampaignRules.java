package dev.fairlead.care.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Rules of a campaign.
 *
 * @param atOnce maximum number of concurrent nodes, 1 to {@value #MOST_AT_ONCE}
 * @param drainWithin maximum duration of a node's drain, null for no limit
 * @param mostUnhealthy no more nodes start while more than this number are unhealthy after
 *     maintenance
 * @param soak time for which a returned node must stay healthy to be complete
 */
public record CampaignRules(
    int atOnce,
    @Nullable Duration drainWithin,
    CampaignDeadline atDeadline,
    int mostUnhealthy,
    Duration soak) {
  public static final int MOST_AT_ONCE = 500;
}
