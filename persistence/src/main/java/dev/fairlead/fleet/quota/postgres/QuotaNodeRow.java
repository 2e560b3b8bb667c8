package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeBuilder;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Read model of a row of {@code quota_node}. */
record QuotaNodeRow(
    UUID id,
    @Nullable UUID tenant,
    @Nullable UUID parent,
    int depth,
    QuotaNodeColumns columns,
    long version) {
  QuotaNode node(List<QuotaLimitRow> limits) {
    return QuotaNodeBuilder.builder()
        .id(new QuotaNodeId(id))
        .tenant(new TenantId(tenant == null ? id : tenant))
        .name(columns.name())
        .parent(parent == null ? null : new QuotaNodeId(parent))
        .depth(depth)
        .weight(columns.weight())
        .limits(limits.stream().map(QuotaLimitRow::limit).toList())
        .preemption(columns.preemption().rules())
        .queue(columns.queue().settings(columns.fallback().value()))
        .share(SharePolicy.valueOf(columns.sharePolicy()))
        .usageHalfLife(QuotaNodeColumns.duration(columns.usageHalfLifeMillis()))
        .version(version)
        .build();
  }
}
