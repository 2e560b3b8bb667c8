package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Sets, reads and removes the repairers of clusters. */
@Service
public class Repairers {
  private static final String PUT = "putRepairer";
  private static final String DELETE = "deleteRepairer";

  private final Transactions transactions;
  private final RepairStore repairs;
  private final InventoryStore inventory;
  private final RepairerCalls machines;
  private final SharedKey key;
  private final AuditLog audit;

  public Repairers(
      Transactions transactions,
      RepairStore repairs,
      InventoryStore inventory,
      RepairerCalls machines,
      SharedKey key,
      AuditLog audit) {
    this.transactions = transactions;
    this.repairs = repairs;
    this.inventory = inventory;
    this.machines = machines;
    this.key = key;
    this.audit = audit;
  }

  /**
   * Request to set a repairer.
   *
   * @param steps steps to request, empty for none
   * @param tests whether it tests a machine after each step
   * @param url null for a janitor in the cluster that node annotations drive
   */
  public record Settings(
      List<RepairStep> steps, boolean tests, @Nullable String url, @Nullable String caData) {
    public Settings {
      steps = List.copyOf(steps);
    }

    private Repairer of(ClusterId cluster, long version) {
      return new Repairer(cluster, steps, tests, url, caData, version);
    }
  }

  /**
   * Returns the repairer of a cluster.
   *
   * @param text id or name of the cluster
   * @throws Refusal FORBIDDEN, NOT_FOUND also for a cluster without a repairer
   */
  public RepairerView of(Actor actor, String text) {
    Permissions.require(actor, "getRepairer");
    return transactions.readForAllTenants(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      return view(cluster, stored(cluster), null);
    });
  }

  /**
   * Sets or replaces the repairer. Open tasks continue at the new address.
   *
   * @param expected version that is replaced, null for any and for the first
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, UNSAFE_ADDRESS, ILLEGAL_STATE without a
   *     key to sign calls
   */
  public RepairerView put(
      Actor actor, String text, Settings settings, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, PUT);
    Cluster cluster = FleetNames.cluster(inventory, text);
    Repairer wanted = settings.of(cluster.id(), 1);
    Optional.of(wanted)
        .filter(repairer -> repairer.url() != null)
        .flatMap(machines::refuses)
        .ifPresent(why -> {
          throw unsafe("The repairer is not called: " + why);
        });
    return changed(
        cluster,
        validateOnly,
        () -> {
          String signing = signingKey(wanted);
          Repairer before = repairs.repairer(cluster.id()).orElse(null);
          long version = before == null ? 0 : before.version();
          if (expected != null && expected != version) {
            throw stale(cluster);
          }
          Repairer next = settings.of(cluster.id(), version + 1);
          repairs.put(next);
          audit.append(
              new AuditRecord(actor, PUT, cluster.id().text(), true, new TreeMap<>())
                  .changed("repairer/" + cluster.id().text(), before, next));
          return view(cluster, next, signing);
        });
  }

  /**
   * Removes the repairer.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, ILLEGAL_STATE while it has an open task
   *     that may affect a machine
   */
  public void delete(Actor actor, String text, @Nullable Long expected, boolean validateOnly) {
    Permissions.require(actor, DELETE);
    Cluster cluster = FleetNames.cluster(inventory, text);
    Repairer _ =
        changed(
            cluster,
            validateOnly,
            () -> {
              Repairer stored = stored(cluster);
              if (expected != null && expected != stored.version()) {
                throw stale(cluster);
              }
              List<RepairTask> open = open(cluster);
              if (!open.isEmpty()) {
                throw new Refusal(
                    ProblemCode.ILLEGAL_STATE,
                    ("The repair service of cluster %s has %d tasks, the first being %s of node %s,"
                            + " and may be working on a machine. Set an empty list of steps, mark"
                            + " the steps of its repairs as done or skip them, and retry when its"
                            + " tasks have ended. An unanswered task expires a day after its"
                            + " deadline.")
                        .formatted(
                            cluster.name(),
                            open.size(),
                            open.getFirst().step(),
                            open.getFirst().nodeName()));
              }
              repairs.delete(stored);
              audit.append(
                  new AuditRecord(actor, DELETE, cluster.id().text(), true, new TreeMap<>())
                      .changed("repairer/" + cluster.id().text(), stored, null));
              return stored;
            });
  }

  private RepairerView view(Cluster cluster, Repairer repairer, @Nullable String signing) {
    return new RepairerView(repairer, cluster.name(), signing, open(cluster));
  }

  private List<RepairTask> open(Cluster cluster) {
    return repairs.tasks().stream()
        .filter(task -> task.cluster().equals(cluster.id()) && task.state().open())
        .toList();
  }

  private Repairer stored(Cluster cluster) {
    return repairs
        .repairer(cluster.id())
        .orElseThrow(() ->
            new Refusal(ProblemCode.NOT_FOUND, "Cluster " + cluster.name() + " has no repairer."));
  }

  private String signingKey(Repairer repairer) {
    return key.derived(Repairer.signs(repairer.cluster()))
        .map(bytes -> HexFormat.of().formatHex(bytes))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.ILLEGAL_STATE,
                "Calls to repairers are signed with a key that is derived from the key file. "
                    + "Set FAIRLEAD_KEY_FILE."));
  }

  private <T> T changed(Cluster cluster, boolean trial, Supplier<T> work) {
    try {
      return transactions.callOrTry(trial, () -> transactions.forAllTenants(work));
    } catch (Conflict refused) {
      throw stale(cluster);
    }
  }

  private static Refusal stale(Cluster cluster) {
    return Refusal.changed("The repairer of cluster \"%s\"".formatted(cluster.name()));
  }

  private static Refusal unsafe(String detail) {
    ProblemCode code = ProblemCode.UNSAFE_ADDRESS;
    return Refusal.field(code, "/webhook", detail, null);
  }
}
