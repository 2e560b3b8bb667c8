package dev.fairlead.fleet.operation;

import static dev.fairlead.fleet.operation.OperationState.CANCELLED;
import static dev.fairlead.fleet.operation.OperationState.RUNNING;
import static dev.fairlead.fleet.operation.OperationState.SUCCEEDED;

import dev.fairlead.kernel.lifecycle.TransitionTable;

/** The state machine of an operation. Terminal states are final. */
public final class OperationLifecycle {
  public static final TransitionTable<OperationState, OperationEvent> TABLE =
      TransitionTable.of(OperationState.class, OperationEvent.class)
          .on(OperationEvent.DONE, SUCCEEDED, RUNNING)
          .on(OperationEvent.CANCEL, CANCELLED, RUNNING)
          .build();

  private OperationLifecycle() {}
}
