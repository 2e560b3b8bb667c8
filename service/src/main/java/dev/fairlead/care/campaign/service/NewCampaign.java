package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.CampaignDeadline;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Request to create a campaign. Its nodes are selected by exactly one field: {@code cluster},
 * {@code pool} or {@code nodes}.
 *
 * @param cluster id or name, null for any
 * @param pool name, null for any
 * @param nodes ids or names, null for any
 * @param atOnce maximum of nodes out of service at a time: a count, or a percentage of the
 *     campaign's nodes if {@code percent} is set
 * @param drainWithin time limit of each drain, null if none
 */
@RecordBuilder
public record NewCampaign(
    String name,
    String reason,
    @Nullable String cluster,
    @Nullable String pool,
    @Nullable List<String> nodes,
    int atOnce,
    boolean percent,
    @Nullable Duration drainWithin,
    CampaignDeadline atDeadline,
    int mostUnhealthy,
    Duration soak) {}
