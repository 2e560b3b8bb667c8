package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node of a campaign.
 *
 * @param position its turn, from 0
 * @param cordonedBefore whether an operator had cordoned it: then it stays cordoned
 * @param drain the one that the campaign ordered, null before
 * @param since when it came into its state
 * @param healthySince since when it has been in order without a break, null while it is not
 * @param message why it is so, empty where its state says it
 */
public record CampaignNode(
    CampaignId campaign,
    NodeId node,
    String name,
    ClusterId cluster,
    int position,
    CampaignNodeState state,
    boolean cordonedBefore,
    @Nullable OperationId drain,
    Instant since,
    @Nullable Instant healthySince,
    String message,
    long version) {
  /** The same, being drained. */
  public CampaignNode draining(boolean cordoned, OperationId operation, Instant now) {
    return new CampaignNode(
        campaign,
        node,
        name,
        cluster,
        position,
        CampaignNodeState.DRAINING,
        cordoned,
        operation,
        now,
        null,
        "",
        version);
  }

  CampaignNode to(CampaignNodeState next, String why, Instant now) {
    return with(next, now, null, why);
  }

  /** The same, found in order, or not any more. */
  CampaignNode healthy(@Nullable Instant from) {
    return with(state, since, from, message);
  }

  /** The same when an operator says that the work on it is done. */
  public CampaignNode returned(Instant now) {
    return cordonedBefore
        ? to(CampaignNodeState.DONE, "stays cordoned, as it was before", now)
        : to(CampaignNodeState.SOAKING, "", now);
  }

  /** The same, as its next version is stored. */
  public CampaignNode following() {
    return new CampaignNode(
        campaign,
        node,
        name,
        cluster,
        position,
        state,
        cordonedBefore,
        drain,
        since,
        healthySince,
        message,
        version + 1);
  }

  private CampaignNode with(
      CampaignNodeState next, Instant at, @Nullable Instant healthy, String why) {
    return new CampaignNode(
        campaign,
        node,
        name,
        cluster,
        position,
        next,
        cordonedBefore,
        drain,
        at,
        healthy,
        why,
        version);
  }
}
