package dev.fairlead.fleet.operation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores operations, until a few days after their end. */
public interface OperationStore {
  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the same node, or the same whole
   *     cluster, has a running operation
   */
  void insert(Operation operation);

  /**
   * Writes state and progress.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Operation operation);

  Optional<Operation> find(TenantId tenant, OperationId id);

  /**
   * Returns the operations, newest first.
   *
   * @param before only older operations, null for the newest
   */
  List<Operation> list(TenantId tenant, @Nullable OperationId before, int limit);

  /**
   * Returns the running operation of this node or of this whole cluster, in any tenant.
   *
   * @param node null for the whole cluster
   */
  Optional<Operation> running(ClusterId cluster, @Nullable NodeId node);

  /** Returns the running operations by id, for loops, which act for all tenants. */
  List<Operation> running();
}
