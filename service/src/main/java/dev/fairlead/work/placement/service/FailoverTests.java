package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.failover.LostCluster;
import dev.fairlead.work.world.FailoverTest;
import dev.fairlead.work.world.WorldReader;
import java.util.concurrent.Semaphore;
import org.springframework.stereotype.Service;

/** Computes the effect of the loss of a cluster with the engine. Stores nothing. */
@Service
public class FailoverTests {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final WorldReader worlds;

  /** One failover test at a time, because each costs as much as two scheduling cycles. */
  private final Semaphore room = new Semaphore(1);

  public FailoverTests(Transactions transactions, InventoryStore inventory, WorldReader worlds) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.worlds = worlds;
  }

  /**
   * Runs the failover test for one cluster.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, RATE_LIMITED while another failover test runs
   */
  public FailoverTest of(Actor actor, String text) {
    Permissions.require(actor, "getFailoverTest");
    Cluster cluster = transactions.read(() -> FleetNames.cluster(inventory, text));
    if (!room.tryAcquire()) {
      throw new Refusal(
          ProblemCode.RATE_LIMITED, "Another failover test is running. Retry in a few seconds.");
    }
    try {
      return LostCluster.failoverTest(worlds.read(), cluster, Snapshot.WORK_BUDGET);
    } finally {
      room.release();
    }
  }
}
