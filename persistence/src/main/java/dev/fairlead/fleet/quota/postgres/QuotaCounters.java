package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads the counters of use, and recomputes them from the holdings of live attempts. */
@Component
class QuotaCounters {
  private static final SqlFile USES = SqlFile.named("quota/uses");
  private static final SqlFile ALL_USES = SqlFile.named("quota/all-uses");
  private static final SqlFile HELD = SqlFile.named("quota/held-by-queue");
  private static final SqlFile ALL_HELD = SqlFile.named("counters/held-by-queue");
  private static final SqlFile FLEET_USES = SqlFile.named("quota/fleet-uses");
  private static final SqlFile FLEET_USES_OF = SqlFile.named("quota/fleet-uses-of");
  private static final SqlFile FORGET_FLEET = SqlFile.named("quota/forget-fleet-uses");
  private static final SqlFile FORGET = SqlFile.named("quota/forget-uses");
  private static final SqlFile INSERT = SqlFile.named("quota/insert-uses");

  private final JdbcClient jdbc;

  QuotaCounters(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<QuotaUse> uses(TenantId tenant) {
    return jdbc.sql(USES.text()).param("tenant", tenant.value()).query((row, n) -> use(row)).list();
  }

  List<QuotaUse> fleetUses() {
    return jdbc.sql(FLEET_USES.text()).query((row, n) -> use(row)).list();
  }

  List<QuotaUse> fleetUses(TenantId tenant) {
    List<UUID> nodes = List.of(FleetQuota.ROOT.value(), FleetQuota.of(tenant).value());
    return jdbc.sql(FLEET_USES_OF.text())
        .param("nodes", Json.ids(nodes))
        .query((row, n) -> use(row))
        .list();
  }

  List<QuotaUse> uses() {
    return jdbc.sql(ALL_USES.text()).query((row, n) -> use(row)).list();
  }

  /** Requires locks on the tenant's nodes. */
  void recount(TenantId tenant, List<QuotaNode> nodes) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    List<QuotaUse> held =
        jdbc.sql(HELD.text()).param("tenant", tenant.value()).query((row, n) -> use(row)).list();
    held.stream().map(QuotaUse::counted).forEach(tree::add);
    jdbc.sql(FORGET.text()).param("tenant", tenant.value()).update();
    insert(tenant.value(), tree.uses());
  }

  /**
   * Counters of the platform, which must be locked.
   *
   * @param nodes nodes of all tenants, and of the platform if it has limits
   */
  void recountFleet(List<QuotaNode> nodes) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    jdbc.sql(ALL_HELD.text()).query((row, n) -> use(row)).list().stream()
        .map(QuotaUse::counted)
        .forEach(tree::add);
    jdbc.sql(FORGET_FLEET.text()).update();
    insert(
        null,
        tree.uses().stream()
            .filter(u -> tree.node(u.node()).filter(QuotaNode::ofFleet).isPresent())
            .toList());
  }

  private void insert(@Nullable UUID tenant, List<QuotaUse> uses) {
    RowBatch rows = new RowBatch();
    for (QuotaUse use : uses) {
      rows.row()
          .set("node", use.node().value())
          .set("model", use.cell().flavor().model())
          .set("capacity", use.cell().flavor().capacity())
          .set("resource", use.cell().resource())
          .set("used", use.used())
          .set("firm", use.nonPreemptible());
    }
    jdbc.sql(INSERT.text()).param("tenant", tenant).param("rows", rows.json()).update();
  }

  private static QuotaUse use(ResultSet row) throws SQLException {
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    QuotaCell cell = new QuotaCell(flavor, Columns.text(row, "resource"));
    return new QuotaUse(
        new QuotaNodeId(Columns.uuid(row, "node")), cell, row.getLong("used"), row.getLong("firm"));
  }
}
