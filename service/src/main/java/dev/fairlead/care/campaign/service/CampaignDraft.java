package dev.fairlead.care.campaign.service;

import dev.fairlead.care.campaign.CampaignDeadline;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A campaign as an operator wants it. Its nodes are those of the cluster, the pool and the names
 * that are given; one of the three is.
 *
 * @param cluster id or name, null for any
 * @param pool name, null for any
 * @param nodes ids or names, null for any
 * @param atOnce nodes at a time: a count, or with {@code percent} a share of its nodes
 * @param drainWithin null for any time
 */
public record CampaignDraft(
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
