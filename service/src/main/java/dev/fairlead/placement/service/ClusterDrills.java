package dev.fairlead.placement.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.FleetNames;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.placement.Snapshot;
import dev.fairlead.placement.drill.LostCluster;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.world.Drill;
import dev.fairlead.world.WorldReader;
import java.util.concurrent.Semaphore;
import org.springframework.stereotype.Service;

/** What the loss of a cluster would do, asked of the engine; nothing is stored. */
@Service
public class ClusterDrills {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final WorldReader worlds;

  /** Each costs as much as two cycles of the scheduler. */
  private final Semaphore room = new Semaphore(1);

  public ClusterDrills(Transactions transactions, InventoryStore inventory, WorldReader worlds) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.worlds = worlds;
  }

  /**
   * The drill for one cluster.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, RATE_LIMITED while another one is worked out
   */
  public Drill of(Actor actor, String text) {
    Permissions.require(actor, "drillCluster");
    Cluster cluster = transactions.read(() -> FleetNames.cluster(inventory, text));
    if (!room.tryAcquire()) {
      throw new Refusal(
          ProblemCode.RATE_LIMITED,
          "Another drill is being worked out. Repeat the request in a few seconds.");
    }
    try {
      return LostCluster.drill(worlds.read(), cluster, Snapshot.WORK_BUDGET);
    } finally {
      room.release();
    }
  }
}
