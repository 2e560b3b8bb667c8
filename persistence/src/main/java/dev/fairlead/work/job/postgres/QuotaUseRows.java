package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Converts use of quota nodes to rows and back. */
final class QuotaUseRows {
  private QuotaUseRows() {}

  static void write(RowBatch row, QuotaNode node, QuotaUse use) {
    row.set("node", use.node().value())
        .set("tenant", node.ofFleet() ? null : node.tenant().value())
        .set("model", use.cell().flavor().model())
        .set("capacity", use.cell().flavor().capacity())
        .set("resource", use.cell().resource())
        .set("used", use.used())
        .set("firm", use.nonPreemptible());
  }

  static QuotaUse read(ResultSet row) throws SQLException {
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    return new QuotaUse(
        new QuotaNodeId(Columns.uuid(row, "node")),
        new QuotaCell(flavor, Columns.text(row, "resource")),
        row.getLong("used"),
        row.getLong("firm"));
  }
}
