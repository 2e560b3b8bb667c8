package dev.fairlead.fleet.operation.web;

import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationKind;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.kernel.identity.Id;
import io.soabase.recordbuilder.core.RecordBuilder;
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
@RecordBuilder
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
    return OperationResponseBuilder.builder()
        .id(operation.id().text())
        .kind(operation.kind())
        .state(operation.state())
        .done(operation.ended())
        .subject(
            new OperationSubject(
                subject.kind().name().toLowerCase(Locale.ROOT),
                subject.text(),
                operation.subject()))
        .actor(operation.actor())
        .metadata(
            new OperationProgress(
                operation.percent(), operation.step(), operation.total(), operation.left()))
        .deadline(deadline == null ? null : deadline.at())
        .atDeadline(deadline == null ? null : deadline.then())
        .error(cancelled ? new OperationEnd(operation.step()) : null)
        .response(done ? new OperationOutcome(operation.total()) : null)
        .createdAt(operation.createdAt())
        .endedAt(operation.endedAt())
        .build();
  }
}
