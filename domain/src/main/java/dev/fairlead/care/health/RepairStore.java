package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Repairs of nodes, and what repairers are asked for; of the platform. */
public interface RepairStore {
  /** Those that have not ended, by id. */
  List<Repair> open();

  Optional<Repair> repair(RepairId id);

  /**
   * Newest first.
   *
   * @param node null for those of all nodes
   * @param open whether only those that have not ended
   * @param before only those that are older, null for the newest
   */
  List<Repair> repairs(@Nullable NodeId node, boolean open, @Nullable RepairId before, int limit);

  /**
   * Stores a new one. A node has one at a time.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when its node has another that is open
   */
  void insert(Repair repair);

  /**
   * Stores it as the version that follows its own.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless its own is stored
   */
  void update(Repair repair);

  /** Removes repairs that ended before that time, with their tasks; how many. */
  int forget(Instant endedBefore, int most);

  /** By cluster. */
  List<Repairer> repairers();

  Optional<Repairer> repairer(ClusterId cluster);

  /**
   * Stores the first version, or the one that follows what is stored.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when another is stored
   */
  void put(Repairer repairer);

  /**
   * Removes it.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless it is stored in this version
   */
  void delete(Repairer repairer);

  /** Those that are open, and all of repairs that have not ended, by id. */
  List<RepairTask> tasks();

  /**
   * Those of repairs that have not ended whose machines are confirmed to have been without power,
   * by id.
   */
  List<RepairTask> poweredOff(ClusterId cluster);

  /** Of one repair, by id. */
  List<RepairTask> tasks(RepairId repair);

  /**
   * Stores a new one. A node has one open task at a time.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when its node has another that is open
   */
  void insert(RepairTask task);

  /**
   * Replaces the version before.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when another is stored
   */
  void update(RepairTask task);
}
