package dev.fairlead.care.health.repair;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores repairs of nodes and requests to repairers, which belong to the platform. */
public interface RepairStore {
  /** Returns the repairs that have not ended, by id. */
  List<Repair> open();

  Optional<Repair> repair(RepairId id);

  /**
   * Returns the repairs, newest first.
   *
   * @param node null for all nodes
   * @param open whether to return only repairs that have not ended
   * @param before only older repairs, null for the newest
   */
  List<Repair> repairs(@Nullable NodeId node, boolean open, @Nullable RepairId before, int limit);

  /**
   * Stores a new repair. A node has one at a time.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if its node has another open one
   */
  void insert(Repair repair);

  /**
   * Stores the repair as its next version.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its version is stored
   */
  void update(Repair repair);

  /** Removes repairs that ended before that time, with their tasks, and returns their number. */
  int forget(Instant endedBefore, int most);

  /** Returns the repairers by cluster. */
  List<Repairer> repairers();

  Optional<Repairer> repairer(ClusterId cluster);

  /**
   * Stores the first version, or the version after the stored one.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if another is stored
   */
  void put(Repairer repairer);

  /**
   * Removes the repairer.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless this version is stored
   */
  void delete(Repairer repairer);

  /** Returns all open tasks, and all tasks of repairs that have not ended, by id. */
  List<RepairTask> tasks();

  /**
   * Returns the tasks of repairs that have not ended, if their machines were confirmed to be
   * powered off, by id.
   */
  List<RepairTask> poweredOff(ClusterId cluster);

  List<RepairTask> tasks(RepairId repair);

  /**
   * Stores a new task. A node has one open task at a time.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if its node has another open one
   */
  void insert(RepairTask task);

  /**
   * Replaces the previous version.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if another is stored
   */
  void update(RepairTask task);
}
