package dev.fairlead.fleet.operation.service;

import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
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
   * Returns an operation by id.
   *
   * @throws Refusal NOT_FOUND
   */
  public Operation one(Actor actor, OperationId id) {
    return operations
        .find(actor.tenant(), id)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no operation " + id.text() + "."));
  }

  /**
   * Lists operations, newest first.
   *
   * @param before only older operations, null for the newest
   */
  public List<Operation> list(Actor actor, @Nullable OperationId before, int limit) {
    return operations.list(actor.tenant(), before, limit);
  }
}
