package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link RepairStore}. */
public final class MemoryRepairStore implements RepairStore {
  private final MemoryDatabase database;
  private final MemoryTable<RepairId, Repair> repairs;
  private final MemoryTable<ClusterId, Repairer> repairers;
  private final MemoryTable<RepairTaskId, RepairTask> tasks;

  public MemoryRepairStore(MemoryDatabase database) {
    this.database = database;
    this.repairs = database.tableOfPlaces();
    this.repairers = database.table();
    this.tasks = database.tableOfPlaces();
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
      refuseUnless(
          open().stream().noneMatch(r -> r.node().equals(repair.node())), repair.id().text());
      repairs.put(repair.id(), repair);
    });
  }

  @Override
  public void update(Repair repair) {
    database.run(() -> {
      long stored = repairs.find(repair.id()).map(Repair::version).orElse(0L);
      refuseUnless(stored == repair.version(), repair.id().text());
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
      for (Repair each : old) {
        repairs.remove(each.id());
        tasks(each.id()).forEach(task -> tasks.remove(task.id()));
      }
      return old.size();
    });
  }

  @Override
  public List<Repairer> repairers() {
    return database.call(
        () -> repairers.all().stream().sorted(Comparator.comparing(Repairer::cluster)).toList());
  }

  @Override
  public Optional<Repairer> repairer(ClusterId cluster) {
    return database.call(() -> repairers.find(cluster));
  }

  @Override
  public void put(Repairer repairer) {
    database.run(() -> {
      refuseUnless(stored(repairer.cluster()) == repairer.version() - 1, repairer.cluster().text());
      repairers.put(repairer.cluster(), repairer);
    });
  }

  @Override
  public void delete(Repairer repairer) {
    database.run(() -> {
      refuseUnless(stored(repairer.cluster()) == repairer.version(), repairer.cluster().text());
      repairers.remove(repairer.cluster());
    });
  }

  private long stored(ClusterId cluster) {
    return repairers.find(cluster).map(Repairer::version).orElse(0L);
  }

  @Override
  public List<RepairTask> tasks() {
    return database.call(() ->
        tasksThat(task ->
            task.endedAt() == null
                || repairs.find(task.repair()).filter(r -> r.endedAt() == null).isPresent()));
  }

  @Override
  public List<RepairTask> poweredOff(ClusterId cluster) {
    return database.call(() ->
        tasksThat(task ->
            task.cluster().equals(cluster)
                && task.confirmedOff() != null
                && repairs.find(task.repair()).filter(r -> r.endedAt() == null).isPresent()));
  }

  @Override
  public List<RepairTask> tasks(RepairId repair) {
    return database.call(() -> tasksThat(task -> task.repair().equals(repair)));
  }

  private List<RepairTask> tasksThat(Predicate<RepairTask> wanted) {
    return tasks.all().stream()
        .filter(wanted)
        .sorted(Comparator.comparing(RepairTask::id))
        .toList();
  }

  @Override
  public void insert(RepairTask task) {
    database.run(() -> {
      boolean other =
          tasks.all().stream().anyMatch(t -> t.node().equals(task.node()) && t.endedAt() == null);
      refuseUnless(!other, task.id().text());
      tasks.put(task.id(), task);
    });
  }

  @Override
  public void update(RepairTask task) {
    database.run(() -> {
      long stored = tasks.find(task.id()).map(RepairTask::version).orElse(0L);
      refuseUnless(stored == task.version() - 1, task.id().text());
      tasks.put(task.id(), task);
    });
  }

  private static void refuseUnless(boolean stored, String what) {
    if (!stored) {
      throw new Conflict(Guard.VERSION, what);
    }
  }
}
