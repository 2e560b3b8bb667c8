package dev.fairlead.fleet.operation.web;

import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationKind;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.kernel.identity.Id;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Slow work, active or ended.
 *
 * @param deadline deadline of the operation, null if none
 * @param atDeadline treatment of the remaining attempts at the deadline, null if none
 * @param error reason for an unsuccessful end, null otherwise
 * @param response result, null until the operation is done
 */
record OperationResponse(
    String id,
    OperationKind kind,
    OperationState state,
    boolean done,
    OperationSubject subject,
    String actor,
    OperationProgress metadata,
    @Nullable Instant deadline,
    @Nullable DrainPolicy atDeadline,
    @Nullable OperationEnd error,
    @Nullable OperationOutcome response,
    Instant createdAt,
    @Nullable Instant endedAt) {
  /** Object of the operation. */
  record OperationSubject(String type, String id, String name) {}

  /**
   * Progress of the operation.
   *
   * @param percent progress in percent, 0 to 100
   * @param step current step, or the condition that it waits for
   * @param total number of known attempts to move
   * @param left number of these attempts that still hold resources
   */
  record OperationProgress(int percent, String step, int total, int left) {}

  /** Reason for an unsuccessful end. */
  record OperationEnd(String detail) {}

  /** Number of attempts that were moved or ended without an order. */
  record OperationOutcome(int moved) {}

  static OperationResponse of(Operation operation) {
    Id subject = operation.node() == null ? operation.cluster() : operation.node();
    DrainDeadline deadline = operation.deadline();
    boolean cancelled = operation.state() == OperationState.CANCELLED;
    boolean done = operation.state() == OperationState.SUCCEEDED;
    return new OperationResponse(
        operation.id().text(),
        operation.kind(),
        operation.state(),
        operation.ended(),
        new OperationSubject(
            subject.kind().name().toLowerCase(Locale.ROOT), subject.text(), operation.subject()),
        operation.actor(),
        new OperationProgress(
            operation.percent(), operation.step(), operation.total(), operation.left()),
        deadline == null ? null : deadline.at(),
        deadline == null ? null : deadline.then(),
        cancelled ? new OperationEnd(operation.step()) : null,
        done ? new OperationOutcome(operation.total()) : null,
        operation.createdAt(),
        operation.endedAt());
  }
}
