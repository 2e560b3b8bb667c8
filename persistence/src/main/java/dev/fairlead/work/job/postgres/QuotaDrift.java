package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.fleet.quota.QuotaMiscount;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Compares the counters of quota with the holdings of live attempts, by the arithmetic of the tree.
 */
@Component
class QuotaDrift {
  private static final SqlFile HELD = SqlFile.named("counters/held-by-queue");
  private static final SqlFile LOCK = SqlFile.named("counters/lock-quotas");
  private static final SqlFile WRITE_USE = SqlFile.named("job/write-quota-use");
  private final JdbcClient jdbc;
  private final QuotaTrees forest;

  QuotaDrift(JdbcClient jdbc, QuotaTrees forest) {
    this.jdbc = jdbc;
    this.forest = forest;
  }

  List<Drift> compare() {
    return drifts(wrong(forest.allNodes()));
  }

  /** Locks all trees, which is rarely needed. An unreadable node is not written. */
  List<Drift> repair() {
    jdbc.sql(LOCK.text()).query(UUID.class).list();
    List<QuotaNode> nodes = forest.allNodes();
    SortedMap<QuotaNodeId, QuotaNode> byId = new TreeMap<>();
    nodes.forEach(node -> byId.put(node.id(), node));
    List<QuotaMiscount> wrong = wrong(nodes);
    RowBatch rows = new RowBatch();
    for (QuotaMiscount each : wrong) {
      QuotaNode node = byId.get(each.held().node());
      if (node != null) {
        QuotaUseRows.write(rows.row(), node, each.held());
      }
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
    List<QuotaUse> held = jdbc.sql(HELD.text()).query((row, n) -> QuotaUseRows.read(row)).list();
    held.stream().map(QuotaUse::counted).forEach(tree::add);
    List<QuotaMiscount> wrong = QuotaMiscount.between(forest.allUses(), tree.uses());
    boolean unread = held.stream().anyMatch(use -> tree.node(use.node()).isEmpty());
    return unread ? wrong.stream().filter(each -> !ofFleet(tree, each)).toList() : wrong;
  }

  /** Holdings in a queue that cannot be read are missing at the nodes of the platform. */
  private static boolean ofFleet(QuotaTree tree, QuotaMiscount each) {
    return tree.node(each.held().node()).filter(QuotaNode::ofFleet).isPresent();
  }
}
