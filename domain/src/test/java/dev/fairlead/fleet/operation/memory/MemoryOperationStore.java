package dev.fairlead.fleet.operation.memory;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link OperationStore}. */
public final class MemoryOperationStore implements OperationStore {
  private final MemoryDatabase database;
  private final MemoryTable<OperationId, Operation> operations;

  public MemoryOperationStore(MemoryDatabase database) {
    this.database = database;
    this.operations = database.tableOfPlaces();
  }

  @Override
  public void insert(Operation operation) {
    database.run(() -> {
      if (running(operation.cluster(), operation.node()).isPresent()) {
        throw new Conflict(Guard.NAME_TAKEN, operation.subject());
      }
      operations.put(operation.id(), operation);
    });
  }

  @Override
  public void update(Operation operation) {
    database.run(() -> {
      Operation row =
          operations
              .find(operation.id())
              .filter(o -> o.version() == operation.version() - 1)
              .orElseThrow(() -> new Conflict(Guard.VERSION, operation.id().text()));
      operations.put(row.id(), operation);
    });
  }

  @Override
  public Optional<Operation> find(TenantId tenant, OperationId id) {
    return database.call(() -> operations.find(id).filter(o -> o.tenant().equals(tenant)));
  }

  @Override
  public List<Operation> list(TenantId tenant, @Nullable OperationId before, int limit) {
    return database.call(() ->
        operations.all().stream()
            .filter(o -> o.tenant().equals(tenant))
            .filter(o -> before == null || o.id().compareTo(before) < 0)
            .sorted((a, b) -> b.id().compareTo(a.id()))
            .limit(limit)
            .toList());
  }

  @Override
  public Optional<Operation> running(ClusterId cluster, @Nullable NodeId node) {
    return running().stream()
        .filter(o -> o.cluster().equals(cluster) && Objects.equals(o.node(), node))
        .findFirst();
  }

  @Override
  public List<Operation> running() {
    return database.call(() -> operations.all().stream().filter(o -> !o.ended()).toList());
  }
}
