package dev.fairlead.fleet.operation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A long-running operation on the fleet.
 *
 * @param tenant the ordering tenant, the only tenant that may read it
 * @param actor principal that ordered it
 * @param node null if it affects the whole cluster
 * @param subject name of the node or cluster
 * @param total known number of attempts to move
 * @param left number of these attempts that still hold resources
 * @param step current action or wait, as human-readable text
 * @param deadline deadline of a drain, null if none
 * @param endedAt null while it runs
 */
@RecordBuilder
public record Operation(
    OperationId id,
    OperationKind kind,
    TenantId tenant,
    String actor,
    ClusterId cluster,
    @Nullable NodeId node,
    String subject,
    OperationState state,
    int total,
    int left,
    String step,
    @Nullable DrainDeadline deadline,
    Instant createdAt,
    @Nullable Instant endedAt,
    long version)
    implements OperationBuilder.With {
  private static final int WHOLE = 100;

  /** Creates a drain. */
  public static Operation drain(
      OperationId id,
      TenantId tenant,
      String actor,
      ClusterId cluster,
      @Nullable NodeId node,
      String subject,
      @Nullable DrainDeadline deadline,
      Instant now) {
    return OperationBuilder.builder()
        .id(id)
        .kind(node == null ? OperationKind.DRAIN_CLUSTER : OperationKind.DRAIN_NODE)
        .tenant(tenant)
        .actor(actor)
        .cluster(cluster)
        .node(node)
        .subject(subject)
        .state(OperationState.RUNNING)
        .total(0)
        .left(0)
        .step("begins")
        .deadline(deadline)
        .createdAt(now)
        .endedAt(null)
        .version(1)
        .build();
  }

  /** Returns the progress from 0 to 100. Only a succeeded operation has 100. */
  public int percent() {
    if (state == OperationState.SUCCEEDED) {
      return WHOLE;
    }
    return total == 0 ? 0 : Math.min(WHOLE - 1, (total - left) * WHOLE / total);
  }

  public boolean ended() {
    return OperationLifecycle.TABLE.terminal(state);
  }

  /** Records the number of remaining attempts. A new maximum raises the total. */
  public Operation progressed(int nowLeft, String nowStep) {
    return next(state, Math.max(total, nowLeft), nowLeft, nowStep, deadline, endedAt);
  }

  /** Returns the operation with another deadline. */
  public Operation due(DrainDeadline other) {
    return next(state, total, left, step, other, endedAt);
  }

  /** Returns an empty result if it has already ended. */
  public Optional<Operation> ended(OperationEvent event, String lastStep, Instant now) {
    return OperationLifecycle.TABLE
        .next(state, event)
        .map(end ->
            next(end, total, event == OperationEvent.DONE ? 0 : left, lastStep, deadline, now));
  }

  private Operation next(
      OperationState nextState,
      int nextTotal,
      int nextLeft,
      String nextStep,
      @Nullable DrainDeadline nextDeadline,
      @Nullable Instant nextEnd) {
    return with()
        .state(nextState)
        .total(nextTotal)
        .left(nextLeft)
        .step(nextStep)
        .deadline(nextDeadline)
        .endedAt(nextEnd)
        .version(version + 1)
        .build();
  }
}
