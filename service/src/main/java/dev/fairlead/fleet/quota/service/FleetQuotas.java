package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.FleetQuotaStore;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads and changes the quotas of tenants. */
@Service
public class FleetQuotas {
  private static final String OF_TENANT = "fleet/";
  private final Transactions transactions;
  private final FleetQuotaStore fleet;
  private final QuotaTrees forest;
  private final TenantStore tenants;
  private final AuditLog audit;

  public FleetQuotas(
      Transactions transactions,
      FleetQuotaStore fleet,
      QuotaTrees forest,
      TenantStore tenants,
      AuditLog audit) {
    this.transactions = transactions;
    this.fleet = fleet;
    this.forest = forest;
    this.tenants = tenants;
    this.audit = audit;
  }

  /**
   * Returns the root, then every tenant by name.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<FleetQuotaView> all(Actor actor) {
    Permissions.require(actor, "listFleetQuotas");
    return transactions.read(() -> {
      QuotaTree tree = tree();
      List<FleetQuotaView> all = new ArrayList<>();
      tree.written(FleetQuota.ROOT).ifPresent(root -> all.add(view(tree, null, root)));
      for (Tenant tenant : tenants.tenants()) {
        tree.written(FleetQuota.of(tenant.id()))
            .ifPresent(node -> all.add(view(tree, tenant.name(), node)));
      }
      return all;
    });
  }

  /**
   * Returns the quota of a tenant or of the root.
   *
   * @param tenant name, null for the root
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public FleetQuotaView one(Actor actor, @Nullable String tenant) {
    Permissions.require(actor, "getFleetQuota");
    return transactions.read(() -> {
      QuotaTree tree = tree();
      return view(tree, tenant, found(tree, tenant));
    });
  }

  /**
   * Replaces limits and weight. Running jobs continue, even if they exceed the new limits.
   *
   * @param tenant name, null for the root
   * @param expected version that the caller read
   * @param weight share among tenants in milli, ignored at the root
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH
   */
  public FleetQuotaView update(
      Actor actor,
      @Nullable String tenant,
      long weight,
      List<QuotaLimit> limits,
      long expected,
      boolean validateOnly) {
    String operation = tenant == null ? "updateFleetLimits" : "updateFleetQuota";
    Permissions.require(actor, operation);
    try {
      return transactions.call(() -> {
        QuotaNode old = found(tree(), tenant);
        if (old.version() != expected) {
          throw stale(tenant);
        }
        QuotaNode node = changed(old, weight, limits);
        if (validateOnly) {
          return new FleetQuotaView(tenant, node, List.of());
        }
        fleet.updateFleet(node);
        audit.appendFor(
            tenants.tenantNamed(tenant == null ? "" : tenant).stream().map(Tenant::id).toList(),
            AuditRecord.change(actor, operation, old, node, of -> of.id().text())
                .kept(ConfigKind.FLEET_QUOTA, kept(tenant), old, node));
        return view(tree(), tenant, node);
      });
    } catch (Conflict raced) {
      throw stale(tenant);
    }
  }

  /** Returns the name in the history of the configuration. */
  private static String kept(@Nullable String tenant) {
    return tenant == null ? "fleet" : OF_TENANT + tenant;
  }

  /** Returns the tenant of a name in the history, null for the root. */
  static @Nullable String tenantOf(String kept) {
    return kept.startsWith(OF_TENANT) ? kept.substring(OF_TENANT.length()) : null;
  }

  private static QuotaNode changed(QuotaNode old, long weight, List<QuotaLimit> limits) {
    return old.with().weight(weight).limits(limits).queue(null).version(old.version() + 1).build();
  }

  private QuotaTree tree() {
    return QuotaTree.at(fleet.fleet(), forest.fleetUses(), fleet.now());
  }

  private QuotaNode found(QuotaTree tree, @Nullable String name) {
    QuotaNodeId id =
        name == null
            ? FleetQuota.ROOT
            : tenants
                .tenantNamed(name)
                .map(tenant -> FleetQuota.of(tenant.id()))
                .orElseThrow(() ->
                    new Refusal(ProblemCode.NOT_FOUND, "There is no tenant \"" + name + "\"."));
    return tree.written(id)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "The fleet quota is incomplete: restore its rows in quota_node and"
                    + " quota_limit."));
  }

  private static FleetQuotaView view(QuotaTree tree, @Nullable String tenant, QuotaNode node) {
    TreeSet<QuotaCell> cells = new TreeSet<>();
    node.limits().forEach(l -> cells.add(new QuotaCell(l.flavor(), l.resource())));
    tree.uses().stream()
        .filter(use -> use.node().equals(node.id()))
        .map(QuotaUse::cell)
        .forEach(cells::add);
    return new FleetQuotaView(
        tenant,
        node,
        cells.stream()
            .map(cell ->
                new FleetQuotaView.Usage(
                    cell,
                    tree.used(node.id(), cell),
                    tree.nonPreemptible(node.id(), cell),
                    tree.borrowed(node.id(), cell)))
            .toList());
  }

  private static Refusal stale(@Nullable String tenant) {
    return Refusal.changed(
        "Quota of %s"
            .formatted(tenant == null ? "the fleet" : "tenant \"" + tenant + "\" in the fleet"));
  }
}
