package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.SharePolicy;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Request to create or change a quota node.
 *
 * @param parent name of the parent, null for a root
 * @param weight milli, 0..1,000,000
 * @param queue null for an inner node
 * @param share policy by which its children share
 * @param usageHalfLife half-life of past use in that policy, null to ignore past use
 */
@RecordBuilder
public record QuotaSpec(
    String name,
    @Nullable String parent,
    long weight,
    List<QuotaLimit> limits,
    PreemptionRules preemption,
    @Nullable QueueSettings queue,
    SharePolicy share,
    @Nullable Duration usageHalfLife) {}
