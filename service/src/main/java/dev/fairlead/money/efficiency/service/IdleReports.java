package dev.fairlead.money.efficiency.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleAttempt;
import dev.fairlead.money.efficiency.ReclaimedSum;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.ProjectId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Reports jobs that do not use their GPUs now, and the GPU time that was reclaimed from such jobs.
 */
@Service
public class IdleReports {
  private static final int MOST = 500;
  private final EfficiencyStore store;
  private final InventoryStore inventory;
  private final Transactions transactions;

  public IdleReports(EfficiencyStore store, InventoryStore inventory, Transactions transactions) {
    this.store = store;
    this.inventory = inventory;
    this.transactions = transactions;
  }

  /**
   * Idle attempts of the projects that the caller may read.
   *
   * @param attempts longest idle first, at most 500
   * @param clusters names by id
   * @param reclaimed null for a caller without a role in the whole tenant
   */
  public record IdleReport(
      List<IdleAttempt> attempts,
      SortedMap<ClusterId, String> clusters,
      @Nullable ReclaimedSum reclaimed) {}

  public IdleReport report(Actor actor) {
    Permissions.require(actor, "reportIdle");
    List<ProjectId> visible = actor.projects();
    return transactions.read(() -> {
      List<IdleAttempt> idle = store.idle(actor.tenant(), visible, MOST);
      SortedMap<ClusterId, String> names = new TreeMap<>();
      idle.forEach(attempt ->
          names.computeIfAbsent(attempt.cluster(), id -> inventory.nameOf(id).orElseGet(id::text)));
      return new IdleReport(idle, names, visible == null ? store.reclaimed(actor.tenant()) : null);
    });
  }
}
