package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.UUID;

/** Campaigns for tests. */
final class Campaigns {
  private static final Instant MADE = Instant.parse("2026-03-01T12:00:00Z");

  private Campaigns() {}

  static Campaign running(CampaignId id, TenantId tenant, int total, CampaignRules rules) {
    return new Campaign(
        id,
        "kernel",
        "new kernel",
        tenant,
        "olga",
        rules,
        total,
        CampaignState.RUNNING,
        "",
        MADE,
        null,
        1);
  }

  static CampaignNode pending(CampaignId campaign, NodeId node, int position, Instant at) {
    return new CampaignNode(
        campaign,
        node,
        "node-" + position,
        new ClusterId(new UUID(7, 7)),
        position,
        CampaignNodeState.PENDING,
        false,
        null,
        at,
        null,
        "",
        1);
  }
}
