package dev.fairlead.operation;

import static dev.fairlead.operation.OperationState.CANCELLED;
import static dev.fairlead.operation.OperationState.RUNNING;
import static dev.fairlead.operation.OperationState.SUCCEEDED;

import dev.fairlead.lifecycle.TransitionTable;

/** The operation's machine. Terminal is final. */
public final class OperationLifecycle {
  public static final TransitionTable<OperationState, OperationEvent> TABLE =
      TransitionTable.of(OperationState.class, OperationEvent.class)
          .on(OperationEvent.DONE, SUCCEEDED, RUNNING)
          .on(OperationEvent.CANCEL, CANCELLED, RUNNING)
          .build();

  private OperationLifecycle() {}
}
