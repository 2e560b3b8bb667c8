package dev.fairlead.care.campaign;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes many nodes out of use and back, some at a time.
 *
 * @param name for people
 * @param tenant of its maker, as of the drains that it orders
 * @param actor its maker
 * @param total its nodes
 * @param message what it waits for, empty for nothing
 * @param endedAt null while a node of it is looked after
 */
public record Campaign(
    CampaignId id,
    String name,
    String reason,
    TenantId tenant,
    String actor,
    CampaignRules rules,
    int total,
    CampaignState state,
    String message,
    Instant createdAt,
    @Nullable Instant endedAt,
    long version) {
  public static final int MOST_NODES = 10_000;

  /** So many may be open at a time. */
  public static final int MOST_OPEN = 20;

  /** What the order of an operator makes of it; empty when it does nothing there. */
  public Optional<Campaign> ordered(CampaignOrder order) {
    return CampaignLifecycle.TABLE.next(state, order.event()).map(next -> with(next, "", null));
  }

  /** The same, over: done unless it was given up. */
  public Campaign over(Instant now) {
    CampaignState last = CampaignLifecycle.TABLE.next(state, CampaignEvent.FINISH).orElse(state);
    return with(last, "", now);
  }

  /** The same with what it waits for. */
  public Campaign waits(String why) {
    return with(state, why, endedAt);
  }

  /** The same, as its next version is stored. */
  public Campaign following() {
    return new Campaign(
        id,
        name,
        reason,
        tenant,
        actor,
        rules,
        total,
        state,
        message,
        createdAt,
        endedAt,
        version + 1);
  }

  private Campaign with(CampaignState next, String why, @Nullable Instant end) {
    return new Campaign(
        id, name, reason, tenant, actor, rules, total, next, why, createdAt, end, version);
  }
}
