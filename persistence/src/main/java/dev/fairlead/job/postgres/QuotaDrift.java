package dev.fairlead.job.postgres;

import dev.fairlead.job.Counters.Drift;
import dev.fairlead.job.QuotaMiscount;
import dev.fairlead.postgres.RowBatch;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.quota.QuotaForest;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.tenant.TenantId;
import java.util.List;
import java.util.Objects;
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

  List<Drift> compare() {
    return drifts(wrong(forest.allNodes()));
  }

  /** Locks all trees: this happens once in a blue moon. */
  List<Drift> repair() {
    jdbc.sql(LOCK.text()).query(UUID.class).list();
    List<QuotaNode> nodes = forest.allNodes();
    SortedMap<QuotaNodeId, TenantId> tenants = new TreeMap<>();
    nodes.forEach(node -> tenants.put(node.id(), node.tenant()));
    List<QuotaMiscount> wrong = wrong(nodes);
    RowBatch rows = new RowBatch();
    for (QuotaMiscount each : wrong) {
      TenantId tenant = Objects.requireNonNull(tenants.get(each.held().node()));
      QuotaUseRows.write(rows.row(), tenant, each.held());
    }
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE_USE.text()).param("rows", rows.json()).update();
    }
    return drifts(wrong);
  }

  private static List<Drift> drifts(List<QuotaMiscount> wrong) {
    return wrong.stream().flatMap(each -> each.drifts().stream()).toList();
  }

  private List<QuotaMiscount> wrong(List<QuotaNode> nodes) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    jdbc.sql(HELD.text()).query((row, n) -> QuotaUseRows.read(row)).list().forEach(tree::add);
    return QuotaMiscount.between(forest.allUses(), tree.uses());
  }
}
