package dev.fairlead.fleet.operation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Slow work on the fleet.
 *
 * @param tenant of who ordered it, who alone may read it
 * @param actor who ordered it
 * @param node null when it works on the whole cluster
 * @param subject name of the node or cluster
 * @param total attempts that had to be moved, as far as seen until now
 * @param left those of them that still hold something
 * @param step what it does or waits for, for people
 * @param deadline when a drain is to be done, null for never
 * @param endedAt null while it runs
 */
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
    long version) {
  private static final int WHOLE = 100;

  /** A drain that begins. */
  public static Operation drain(
      OperationId id,
      TenantId tenant,
      String actor,
      ClusterId cluster,
      @Nullable NodeId node,
      String subject,
      @Nullable DrainDeadline deadline,
      Instant now) {
    return new Operation(
        id,
        node == null ? OperationKind.DRAIN_CLUSTER : OperationKind.DRAIN_NODE,
        tenant,
        actor,
        cluster,
        node,
        subject,
        OperationState.RUNNING,
        0,
        0,
        "begins",
        deadline,
        now,
        null,
        1);
  }

  /** How far it is, 0..100; 100 only when it has succeeded. */
  public int percent() {
    if (state == OperationState.SUCCEEDED) {
      return WHOLE;
    }
    return total == 0 ? 0 : Math.min(WHOLE - 1, (total - left) * WHOLE / total);
  }

  public boolean ended() {
    return OperationLifecycle.TABLE.terminal(state);
  }

  /** So many are left now; more than ever before raises the total. */
  public Operation progressed(int nowLeft, String nowStep) {
    return next(state, Math.max(total, nowLeft), nowLeft, nowStep, deadline, endedAt);
  }

  /** The same, to be done by another time. */
  public Operation due(DrainDeadline other) {
    return next(state, total, left, step, other, endedAt);
  }

  /** Empty when it has ended already. */
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
    return new Operation(
        id,
        kind,
        tenant,
        actor,
        cluster,
        node,
        subject,
        nextState,
        nextTotal,
        nextLeft,
        nextStep,
        nextDeadline,
        createdAt,
        nextEnd,
        version + 1);
  }
}
