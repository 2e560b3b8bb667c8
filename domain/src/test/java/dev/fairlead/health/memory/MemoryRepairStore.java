package dev.fairlead.health.memory;

import dev.fairlead.health.Repair;
import dev.fairlead.health.RepairId;
import dev.fairlead.health.RepairStore;
import dev.fairlead.node.NodeId;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Twin of {@link RepairStore}. */
public final class MemoryRepairStore implements RepairStore {
  private final MemoryDatabase database;
  private final MemoryTable<RepairId, Repair> repairs;

  public MemoryRepairStore(MemoryDatabase database) {
    this.database = database;
    this.repairs = database.table();
  }

  @Override
  public List<Repair> open() {
    return all(each -> each.endedAt() == null);
  }

  @Override
  public Optional<Repair> repair(RepairId id) {
    return database.call(() -> repairs.find(id));
  }

  @Override
  public List<Repair> repairs(
      @Nullable NodeId node, boolean open, @Nullable RepairId before, int limit) {
    return all(each ->
            (node == null || each.node().equals(node))
                && (!open || each.endedAt() == null)
                && (before == null || each.id().compareTo(before) < 0))
        .reversed()
        .stream()
        .limit(limit)
        .toList();
  }

  private List<Repair> all(Predicate<Repair> wanted) {
    return database.call(() ->
        repairs.all().stream().filter(wanted).sorted(Comparator.comparing(Repair::id)).toList());
  }

  @Override
  public void insert(Repair repair) {
    database.run(() -> {
      refuseUnless(open().stream().noneMatch(r -> r.node().equals(repair.node())), repair);
      repairs.put(repair.id(), repair);
    });
  }

  @Override
  public void update(Repair repair) {
    database.run(() -> {
      long stored = repairs.find(repair.id()).map(Repair::version).orElse(0L);
      refuseUnless(stored == repair.version(), repair);
      repairs.put(repair.id(), repair.following());
    });
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return database.call(() -> {
      List<Repair> old =
          all(each -> each.endedAt() != null && each.endedAt().isBefore(endedBefore)).stream()
              .limit(most)
              .toList();
      old.forEach(each -> repairs.remove(each.id()));
      return old.size();
    });
  }

  private static void refuseUnless(boolean stored, Repair repair) {
    if (!stored) {
      throw new Conflict(Guard.VERSION, repair.id().text());
    }
  }
}
