package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rows that node lists and lookups by name read in a large fleet. */
class FleetReadsTest {
  private static final int NODES = 3_000;
  private static final int PAGE = 20;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final InventoryStore inventory = stores.inventory();
  private final ClusterId cluster = world.cluster().id();

  /** Fails when a page or a name reads rows of the nodes that it does not show. */
  @Test
  void pageAndNameLookupReadOnlyTheirNodes() {
    world.report(
        IntStream.range(0, NODES)
            .mapToObj(i -> NodeReports.node("gpu-%05d".formatted(i)).build())
            .toArray(NodeReport[]::new));
    NodePage.Place middle = new NodePage.Place(cluster, "gpu-01500");

    assertThat(read(() -> inventory.page(new NodePage(cluster, Set.of(), null, middle, PAGE))))
        .isBetween((long) PAGE, 2L * PAGE);
    assertThat(read(() -> inventory.named(List.of("gpu-02999")))).isBetween(1L, 10L);
    assertThat(inventory.size(cluster).nodes()).isEqualTo(NODES);
  }

  /** Rows of nodes that the work reads. */
  private long read(Runnable work) {
    return stores
        .transactions()
        .read(() -> {
          // of earlier transactions, until the server adds up their statistics
          long before = rows();
          work.run();
          return rows() - before;
        });
  }

  private long rows() {
    return stores
        .jdbc()
        .sql(
            "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
                + " FROM pg_stat_xact_user_tables WHERE relname = 'node'")
        .query(Long.class)
        .single();
  }
}
