package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The cost of reports and of retention in a fleet with many retired nodes. */
class ManyRetiredNodesTest {
  private static final int NODES = 1_000;
  private static final int MOVED = 10_000;
  private static final int PLANTED = 5_000;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when a removed fleet costs one read of all members per node. */
  @Test
  void nodesInUseAreReadOnceForAllRetiredNodes() {
    List<String> plan =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("retention/retire-nodes").text())
                    .param("limit", MOVED)
                    .query(String.class)
                    .list());

    assertThat(plan)
        .anyMatch(line -> line.contains("(hashed SubPlan"))
        .noneMatch(line -> line.contains("Seq Scan on operation"));
  }

  /** Also fails when a retirement depends on statistics that count retired nodes. */
  @Tag(Figure.TAG)
  @Test
  void reportWithManyRetiredNodes() {
    int retired = Figure.times(2_000, 50_000);
    List<NodeReport> live = reports("live-", NODES);
    reported(live);
    retire();
    analyze();
    for (int first = 1; first <= retired; first += PLANTED) {
      plant(first, Math.min(retired, first + PLANTED - 1));
    }

    String before = cost(live);
    retire();
    String after = cost(live);

    System.out.println(
        "report of one changed node of "
            + NODES
            + " beside "
            + retired
            + " retired ones: "
            + before
            + ", after they left the table: "
            + after);
    assertThat(planted()).isZero();
    reported(List.of());
    retire();
  }

  /** The planner then expects no retired nodes. */
  private void analyze() {
    stores
        .transactions()
        .run(() -> {
          int _ = stores.jdbc().sql("SET LOCAL ROLE fairlead_owner").update();
          int _ = stores.jdbc().sql("ANALYZE node, gpu_slot").update();
        });
  }

  /** One node changes in each of five reports: milliseconds, and bytes of write-ahead log. */
  private String cost(List<NodeReport> live) {
    List<String> costs = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      List<NodeReport> next = new ArrayList<>(live);
      NodeReports changed = NodeReports.node("live-0");
      next.set(0, i % 2 == 0 ? changed.cordoned().build() : changed.build());
      long log = log();
      long start = System.nanoTime();
      assertThat(reported(next)).isOne();
      costs.add((System.nanoTime() - start) / 1_000_000 + " ms " + (log() - log) + " B");
    }
    reported(live);
    return costs.toString();
  }

  private long log() {
    return stores
        .jdbc()
        .sql("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
        .query(Long.class)
        .single();
  }

  private static List<NodeReport> reports(String prefix, int number) {
    List<NodeReport> reports = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      reports.add(NodeReports.node(prefix + i).build());
    }
    return reports;
  }

  private int reported(List<NodeReport> reports) {
    return stores.inventory().report(world.cluster().id(), reports);
  }

  /** Copies of a live node with other names, and their devices. */
  private void plant(int first, int last) {
    stores
        .jdbc()
        .sql(
            """
            WITH copies AS (
              INSERT INTO node SELECT r.* FROM node x, generate_series(:first, :last) n, jsonb_populate_record(x,
                jsonb_build_object('id', gen_random_uuid(), 'name', 'gone-' || n, 'state', 'RETIRED')) r
              WHERE x.cluster = :cluster AND x.name = 'live-1'
              RETURNING id)
            INSERT INTO gpu_slot (node, idx, serial, state)
              SELECT id, idx, id || '/' || idx, 'FAILED' FROM copies, generate_series(0, 7) idx
            """)
        .param("first", first)
        .param("last", last)
        .param("cluster", world.cluster().id().value())
        .update();
  }

  private void retire() {
    RetentionStore old = stores.bean(RetentionStore.class);
    int moved = 1;
    while (moved > 0) {
      moved = old.clear(RetentionStore.Kind.NODES, Ages.DEFAULT, MOVED);
    }
  }

  private long planted() {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM node WHERE cluster = :cluster AND state = 'RETIRED'")
        .param("cluster", world.cluster().id().value())
        .query(Long.class)
        .single();
  }
}
