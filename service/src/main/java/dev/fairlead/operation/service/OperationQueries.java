package dev.fairlead.operation.service;

import dev.fairlead.operation.Operation;
import dev.fairlead.operation.OperationId;
import dev.fairlead.operation.OperationStore;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads operations of the caller's tenant. */
@Service
public class OperationQueries {
  private final OperationStore operations;

  public OperationQueries(OperationStore operations) {
    this.operations = operations;
  }

  /**
   * @throws Refusal NOT_FOUND
   */
  public Operation one(Actor actor, OperationId id) {
    return operations
        .find(actor.tenant(), id)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no operation " + id.text() + "."));
  }

  /** Newest first; {@code before} null for the newest. */
  public List<Operation> list(Actor actor, @Nullable OperationId before, int limit) {
    return operations.list(actor.tenant(), before, limit);
  }
}
