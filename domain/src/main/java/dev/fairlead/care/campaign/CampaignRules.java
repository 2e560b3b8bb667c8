package dev.fairlead.care.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a campaign goes on.
 *
 * @param atOnce nodes that may be out of use at a time, 1 to {@value #MOST_AT_ONCE}
 * @param drainWithin how long the drain of a node may take, null for any time
 * @param mostUnhealthy no more nodes begin while more than so many came back out of order
 * @param soak how long a node that came back has to be in order before it is through
 */
public record CampaignRules(
    int atOnce,
    @Nullable Duration drainWithin,
    CampaignDeadline atDeadline,
    int mostUnhealthy,
    Duration soak) {
  public static final int MOST_AT_ONCE = 500;
}
