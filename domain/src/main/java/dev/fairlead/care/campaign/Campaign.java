package dev.fairlead.care.campaign;

import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Maintenance of many nodes, a limited number at a time.
 *
 * @param name human-readable name
 * @param tenant tenant of its creator and of its drains
 * @param actor its creator
 * @param total number of its nodes
 * @param message reason for a wait, empty if none
 * @param endedAt end time, null while a node is in progress
 */
@RecordBuilder
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
    long version)
    implements CampaignBuilder.With {
  public static final int MOST_NODES = 10_000;

  /** Maximum number of open campaigns. */
  public static final int MOST_OPEN = 20;

  /**
   * Applies an order of an operator. The result is empty if the order has no effect in this state.
   */
  public Optional<Campaign> ordered(CampaignOrder order) {
    return CampaignLifecycle.TABLE.next(state, order.event()).map(next -> with(next, "", null));
  }

  /** Ends the campaign: as done, unless it was aborted. */
  public Campaign over(Instant now) {
    CampaignState last = CampaignLifecycle.TABLE.next(state, CampaignEvent.FINISH).orElse(state);
    return with(last, "", now);
  }

  /** Returns the campaign with the reason for its wait. */
  public Campaign waits(String why) {
    return with(state, why, endedAt);
  }

  /** Returns the next version of the campaign. */
  public Campaign following() {
    return withVersion(version + 1);
  }

  private Campaign with(CampaignState next, String why, @Nullable Instant end) {
    return with().state(next).message(why).endedAt(end).build();
  }
}
