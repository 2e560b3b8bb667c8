package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationId;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Advance reservations that are created concurrently, and concurrently with placements. */
class AdvanceReservationsPostgresTest {
  private static final int MAKERS = 16;
  private static final int EACH = 12;
  private static final int NODES = 6;

  private final PostgresInstallation stores = Embedded.installation();
  private TestWorld world;
  private Instant now;

  @BeforeEach
  void aWorldOfItsOwn() {
    world = TestWorld.in(stores);
    NodeReport[] reports = new NodeReport[NODES];
    for (int i = 0; i < NODES; i++) {
      reports[i] = NodeReports.node("node-" + (i + 1)).build();
    }
    world.report(reports);
    now = stores.advanceReservations().now().truncatedTo(ChronoUnit.SECONDS);
  }

  private AdvanceReservation advanceReservation(int fromHour, int untilHour, List<Node> nodes) {
    List<BookedNode> its =
        nodes.stream().map(n -> new BookedNode(n.id(), n.cluster(), n.name())).toList();
    return new AdvanceReservation(
        new AdvanceReservationId(stores.ids().next()),
        world.uniqueName("advanceReservation"),
        null,
        now.plus(Duration.ofHours(fromHour)),
        now.plus(Duration.ofHours(untilHour)),
        LeftoverPolicy.FINISH,
        "",
        its,
        "root",
        now);
  }

  /**
   * Without the lock of the creators, so that only the constraint of the database separates them.
   * Fails without the exclusion constraint: advance reservations of one node could overlap.
   */
  @Test
  void concurrentRequestsNeverReserveANodeTwiceForTheSameTime() throws Exception {
    List<Node> nodes = stores.inventory().nodes(world.cluster().id());
    List<Callable<List<AdvanceReservation>>> makers = new ArrayList<>();
    for (int maker = 0; maker < MAKERS; maker++) {
      Random chance = new Random(maker);
      makers.add(() -> made(chance, nodes));
    }
    List<AdvanceReservation> kept = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(MAKERS)) {
      for (Future<List<AdvanceReservation>> each : threads.invokeAll(makers, 2, TimeUnit.MINUTES)) {
        kept.addAll(each.get());
      }
    }

    assertThat(kept).hasSizeGreaterThan(NODES).hasSizeLessThan(MAKERS * EACH);
    assertThat(stores.advanceReservations().open()).containsAll(kept);
    for (AdvanceReservation one : kept) {
      assertThat(kept)
          .filteredOn(other -> other.id().compareTo(one.id()) > 0)
          .noneMatch(other ->
              other.meets(one.start(), one.end())
                  && other.nodes().stream().anyMatch(node -> one.holds(node.id())));
    }
  }

  private List<AdvanceReservation> made(Random chance, List<Node> nodes) {
    List<AdvanceReservation> made = new ArrayList<>();
    for (int i = 0; i < EACH; i++) {
      int from = 1 + chance.nextInt(24);
      List<Node> some =
          nodes.stream()
              .filter(node -> chance.nextInt(3) == 0 || node == nodes.getFirst())
              .toList();
      AdvanceReservation advanceReservation =
          advanceReservation(from, from + 1 + chance.nextInt(4), some);
      try {
        stores.advanceReservations().insert(advanceReservation);
        made.add(advanceReservation);
      } catch (Conflict refused) {
        assertThat(refused.guard()).isEqualTo(Guard.BOOKED);
      }
    }
    return made;
  }

  /**
   * The placement waits for the nodes that the advance reservation holds. Fails when an advance
   * reservation does not lock its nodes, or when a placement reads advance reservations before it
   * has locked them.
   */
  @Test
  void placementSeesAnUncommittedAdvanceReservation() throws Exception {
    Node node = world.node("node-1");
    Job endless = world.submit(Specs.job("endless").gpus(1));
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<?> placed =
          stores
              .transactions()
              .call(() -> {
                stores.advanceReservations().insert(advanceReservation(2, 4, List.of(node)));
                Future<?> begun = thread.submit(() -> world.place(endless, 0, "node-1"));
                while (!begun.isDone() && !waits()) {
                  Thread.onSpinWait();
                }
                return begun;
              });

      assertThat(guardOf(placed)).isEqualTo(Guard.BOOKED);
    }
    assertThat(stores.jobs().liveAttempts(endless.id())).isEmpty();
  }

  /** Returns whether a transaction of this database waits for another. */
  private boolean waits() {
    return stores
            .jdbc()
            .sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
            .query(Long.class)
            .single()
        > 0;
  }

  private static Guard guardOf(Future<?> work) throws InterruptedException {
    try {
      work.get();
    } catch (ExecutionException refused) {
      if (refused.getCause() instanceof Conflict conflict) {
        return conflict.guard();
      }
      throw new AssertionError(refused);
    }
    throw new AssertionError("the placement was written");
  }
}
