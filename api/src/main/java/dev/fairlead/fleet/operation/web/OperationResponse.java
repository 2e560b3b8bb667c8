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
 * Slow work under way or ended.
 *
 * @param deadline when it is to be done, null for never
 * @param atDeadline what then happens to what is left, null without a deadline
 * @param error why it ended without being done, null otherwise
 * @param response what came of it, null until it is done
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
  /** What it works on. */
  record OperationSubject(String type, String id, String name) {}

  /**
   * How far it is.
   *
   * @param percent 0 to 100
   * @param step what it does or waits for
   * @param total attempts to be moved, as far as seen
   * @param left those of them that still hold something
   */
  record OperationProgress(int percent, String step, int total, int left) {}

  /** Why it ended before it was done. */
  record OperationEnd(String detail) {}

  /** Attempts that were moved or ended by themselves. */
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
