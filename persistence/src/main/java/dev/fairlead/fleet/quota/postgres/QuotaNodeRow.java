package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaNode;
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
    return new QuotaNode(
        new QuotaNodeId(id),
        new TenantId(tenant == null ? id : tenant),
        columns.name(),
        parent == null ? null : new QuotaNodeId(parent),
        depth,
        columns.weight(),
        limits.stream().map(QuotaLimitRow::limit).toList(),
        columns.preemption().rules(),
        columns.queue().settings(columns.fallback().value()),
        SharePolicy.valueOf(columns.sharePolicy()),
        QuotaNodeColumns.duration(columns.usageHalfLifeMillis()),
        version);
  }
}
