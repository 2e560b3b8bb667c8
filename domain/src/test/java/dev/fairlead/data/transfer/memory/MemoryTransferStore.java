package dev.fairlead.data.transfer.memory;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** In-memory implementation of {@link TransferStore}. */
public final class MemoryTransferStore implements TransferStore {
  private final MemoryDatabase database;
  private final MemoryTable<TransferId, Transfer> rows;

  public MemoryTransferStore(MemoryDatabase database) {
    this.database = database;
    this.rows = database.table();
  }

  private List<Transfer> those(Predicate<Transfer> wanted) {
    return database.call(() ->
        rows.all().stream().filter(wanted).sorted(Comparator.comparing(Transfer::id)).toList());
  }

  @Override
  public void insert(Transfer transfer) {
    database.run(() -> {
      boolean taken =
          open().stream().anyMatch(o -> o.target().volume().equals(transfer.target().volume()));
      if (taken) {
        throw new Conflict(Guard.NAME_TAKEN, transfer.target().name());
      }
      rows.put(transfer.id(), transfer);
    });
  }

  @Override
  public void update(Transfer transfer) {
    database.run(() -> {
      boolean there =
          rows.find(transfer.id())
              .filter(old -> old.version() == transfer.version() - 1)
              .filter(old -> old.tenant().equals(transfer.tenant()))
              .isPresent();
      if (!there) {
        throw new Conflict(Guard.VERSION, transfer.id().text());
      }
      rows.put(transfer.id(), transfer);
    });
  }

  @Override
  public Optional<Transfer> find(TenantId tenant, ProjectId project, TransferId id) {
    return those(each ->
            each.id().equals(id) && each.tenant().equals(tenant) && each.project().equals(project))
        .stream()
        .findFirst();
  }

  @Override
  public List<Transfer> of(TenantId tenant, ProjectId project, int most) {
    return those(each -> each.tenant().equals(tenant) && each.project().equals(project))
        .reversed()
        .stream()
        .sorted(Comparator.comparing(each -> each.status().endedAt() != null))
        .limit(most)
        .toList();
  }

  @Override
  public List<Transfer> open() {
    return those(each -> each.status().endedAt() == null);
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return database.call(() -> {
      List<Transfer> old =
          those(each ->
                  each.status().endedAt() != null && each.status().endedAt().isBefore(endedBefore))
              .stream()
              .limit(most)
              .toList();
      old.forEach(each -> rows.remove(each.id()));
      return old.size();
    });
  }
}
