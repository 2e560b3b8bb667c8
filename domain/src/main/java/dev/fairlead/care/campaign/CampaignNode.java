package dev.fairlead.care.campaign;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node of a campaign.
 *
 * @param position its order in the campaign, from 0
 * @param cordonedBefore whether an operator had cordoned it before, so it stays cordoned
 * @param drain the drain that the campaign ordered, null before
 * @param since time when it entered its state
 * @param healthySince start of its healthy time without interruption, null while it is unhealthy
 * @param message reason for its state, empty if the state explains itself
 */
@RecordBuilder
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
    long version)
    implements CampaignNodeBuilder.With {
  /** Returns the node in state DRAINING. */
  public CampaignNode draining(boolean cordoned, OperationId operation, Instant now) {
    return with()
        .state(CampaignNodeState.DRAINING)
        .cordonedBefore(cordoned)
        .drain(operation)
        .since(now)
        .healthySince(null)
        .message("")
        .build();
  }

  CampaignNode to(CampaignNodeState next, String why, Instant now) {
    return with(next, now, null, why);
  }

  /** Returns the node with the start of its healthy period, null if it is unhealthy. */
  CampaignNode healthy(@Nullable Instant from) {
    return with(state, since, from, message);
  }

  /** Returns the node after an operator reported its maintenance as done. */
  public CampaignNode returned(Instant now) {
    return cordonedBefore
        ? to(CampaignNodeState.DONE, "stays cordoned, as it was before", now)
        : to(CampaignNodeState.SOAKING, "", now);
  }

  /** Returns the node as its next version is stored. */
  public CampaignNode following() {
    return withVersion(version + 1);
  }

  private CampaignNode with(
      CampaignNodeState next, Instant at, @Nullable Instant healthy, String why) {
    return with().state(next).since(at).healthySince(healthy).message(why).build();
  }
}
