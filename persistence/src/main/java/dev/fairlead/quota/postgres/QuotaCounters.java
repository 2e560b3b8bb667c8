package dev.fairlead.quota.postgres;

import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.RowBatch;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Reads the counters of use, and counts them anew from what live attempts hold. */
@Component
class QuotaCounters {
  private static final SqlFile USES = SqlFile.named("quota/uses");
  private static final SqlFile ALL_USES = SqlFile.named("quota/all-uses");
  private static final SqlFile HELD = SqlFile.named("quota/held-by-queue");
  private static final SqlFile FORGET = SqlFile.named("quota/forget-uses");
  private static final SqlFile INSERT = SqlFile.named("quota/insert-uses");

  private final JdbcClient jdbc;

  QuotaCounters(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<QuotaUse> uses(TenantId tenant) {
    return jdbc.sql(USES.text()).param("tenant", tenant.value()).query((row, n) -> use(row)).list();
  }

  List<QuotaUse> uses() {
    return jdbc.sql(ALL_USES.text()).query((row, n) -> use(row)).list();
  }

  /** The tenant's nodes have to be locked. */
  void recount(TenantId tenant, List<QuotaNode> nodes) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    List<QuotaUse> held =
        jdbc.sql(HELD.text()).param("tenant", tenant.value()).query((row, n) -> use(row)).list();
    held.forEach(tree::add);
    RowBatch rows = new RowBatch();
    for (QuotaUse use : tree.uses()) {
      rows.row()
          .set("node", use.node().value())
          .set("model", use.cell().flavor().model())
          .set("capacity", use.cell().flavor().capacity())
          .set("resource", use.cell().resource())
          .set("used", use.used())
          .set("firm", use.firm());
    }
    jdbc.sql(FORGET.text()).param("tenant", tenant.value()).update();
    jdbc.sql(INSERT.text()).param("tenant", tenant.value()).param("rows", rows.json()).update();
  }

  private static QuotaUse use(ResultSet row) throws SQLException {
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    QuotaCell cell = new QuotaCell(flavor, Columns.text(row, "resource"));
    return new QuotaUse(
        new QuotaNodeId(Columns.uuid(row, "node")), cell, row.getLong("used"), row.getLong("firm"));
  }
}
