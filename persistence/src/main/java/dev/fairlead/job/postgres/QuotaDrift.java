package dev.fairlead.job.postgres;

import dev.fairlead.job.Counters.Drift;
import dev.fairlead.job.Counters.Kind;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.RowBatch;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaForest;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Counters of quota beside what live attempts hold, led through the tree's own arithmetic. */
@Component
class QuotaDrift {
  private static final SqlFile HELD = SqlFile.named("counters/held-by-queue");
  private static final SqlFile LOCK = SqlFile.named("counters/lock-quotas");
  private static final SqlFile WRITE_USE = SqlFile.named("job/write-quota-use");
  private final JdbcClient jdbc;
  private final QuotaForest forest;

  QuotaDrift(JdbcClient jdbc, QuotaForest forest) {
    this.jdbc = jdbc;
    this.forest = forest;
  }

  /** A counter that is wrong, with what is needed to write it. */
  private record Wrong(UUID tenant, QuotaNodeId node, QuotaCell cell, long counted, long held) {
    Drift drift() {
      Flavor flavor = cell.flavor();
      return new Drift(
          Kind.QUOTA,
          node.value(),
          flavor.model() + "/" + flavor.capacity() + "/" + cell.resource(),
          counted,
          held);
    }
  }

  List<Drift> compare() {
    return wrong().stream().map(Wrong::drift).toList();
  }

  /** Locks all trees: this happens once in a blue moon. */
  List<Drift> repair() {
    jdbc.sql(LOCK.text()).query(UUID.class).list();
    List<Wrong> wrong = wrong();
    RowBatch rows = new RowBatch();
    for (Wrong each : wrong) {
      rows.row()
          .set("node", each.node().value())
          .set("tenant", each.tenant())
          .set("model", each.cell().flavor().model())
          .set("capacity", each.cell().flavor().capacity())
          .set("resource", each.cell().resource())
          .set("used", each.held());
    }
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE_USE.text()).param("rows", rows.json()).update();
    }
    return wrong.stream().map(Wrong::drift).toList();
  }

  private List<Wrong> wrong() {
    QuotaTree tree = new QuotaTree(forest.allNodes(), List.of());
    jdbc.sql(HELD.text())
        .query((row, n) -> use(row))
        .list()
        .forEach(use -> tree.use(use.node(), use.cell(), use.used()));
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> counted = byNode(forest.allUses());
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> held = byNode(tree.uses());
    List<Wrong> wrong = new ArrayList<>();
    forest
        .allNodes()
        .forEach(node -> {
          SortedMap<QuotaCell, Long> says = counted.getOrDefault(node.id(), new TreeMap<>());
          SortedMap<QuotaCell, Long> is = held.getOrDefault(node.id(), new TreeMap<>());
          SortedMap<QuotaCell, Long> cells = new TreeMap<>(says);
          cells.putAll(is);
          for (QuotaCell cell : cells.keySet()) {
            long before = says.getOrDefault(cell, 0L);
            long now = is.getOrDefault(cell, 0L);
            if (before != now) {
              wrong.add(new Wrong(node.tenant().value(), node.id(), cell, before, now));
            }
          }
        });
    return wrong;
  }

  private static SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> byNode(List<QuotaUse> uses) {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> byNode = new TreeMap<>();
    uses.forEach(use ->
        byNode.computeIfAbsent(use.node(), n -> new TreeMap<>()).put(use.cell(), use.used()));
    return byNode;
  }

  private static QuotaUse use(ResultSet row) throws SQLException {
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    QuotaCell cell = new QuotaCell(flavor, Columns.text(row, "resource"));
    return new QuotaUse(new QuotaNodeId(Columns.uuid(row, "node")), cell, row.getLong("used"));
  }
}
