package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.ActiveNodes;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * {@code make verify-cache}: the caches of processes match the database in each of many snapshots
 * taken while jobs and nodes change.
 */
class VerifyCacheTest {
  private static final int WRITERS = 3;
  private static final int LIVES = 12;

  private final PostgresInstallation stores = Embedded.installation();
  private final ActiveJobs jobs = stores.bean(ActiveJobs.class);
  private final ActiveNodes nodes = stores.bean(ActiveNodes.class);

  /** Fails when a change that commits during a read is missing from the next one. */
  @Test
  void viewsMatchTheDatabaseUnderLoad() throws Exception {
    List<TestWorld> worlds = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      worlds.add(TestWorld.in(stores));
    }
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<?>> load = new ArrayList<>();
      worlds.forEach(world -> load.add(writers.submit(() -> live(world))));
      int looks = 0;
      while (load.stream().anyMatch(writer -> !writer.isDone())) {
        assertThat(differences()).as("look " + ++looks).isEmpty();
      }
      ended(load);
      assertThat(looks).isGreaterThan(1);
    }
    assertThat(differences()).isEmpty();
  }

  /** Fails when the comparison checks less than the rows themselves: it must find lost rows. */
  @Test
  void lostNoteIsDetected() {
    TestWorld world = TestWorld.in(stores);
    Job job = placedWithoutANote(world, "silent");
    List<String> found = differences();
    if (found.isEmpty()) { // the comparison of each minute, which repairs, came first
      job = placedWithoutANote(world, "silent-too");
      found = differences();
    }
    assertThat(found).containsExactly("job " + job.id().value());
    world.run(stores.jobs().liveAttempts(job.id()).getFirst());
    assertThat(differences()).as("the next change of the job is noted again").isEmpty();
  }

  private Job placedWithoutANote(TestWorld world, String name) {
    Job job = world.submit(Specs.job(name));
    assertThat(differences()).isEmpty();
    Embedded.run("ALTER TABLE job DISABLE TRIGGER note_updated");
    try {
      world.place(job);
    } finally {
      Embedded.run("ALTER TABLE job ENABLE TRIGGER note_updated");
    }
    return job;
  }

  private void live(TestWorld world) {
    for (int i = 0; i < LIVES; i++) {
      Job job = world.submit(Specs.job("life-" + i));
      Attempt attempt = world.place(job, 0, i % 2 == 0 ? "node-1" : "node-2");
      stores.moveNode(
          world.node("node-1").id(), i % 2 == 0 ? NodeState.DRAINING : NodeState.ACTIVE);
      world.succeed(world.run(attempt));
    }
  }

  private static void ended(List<Future<?>> load) throws InterruptedException, ExecutionException {
    for (Future<?> writer : load) {
      writer.get();
    }
  }

  /** Rows that differ between memory and one snapshot of the database. */
  private List<String> differences() {
    return stores
        .transactions()
        .read(() -> {
          List<String> differ = new ArrayList<>();
          SortedMap<UUID, Long> kept = new TreeMap<>();
          for (ActiveJobs.ActiveJob job : jobs.active()) {
            kept.put(job.job().id().value(), job.job().version());
          }
          SortedMap<UUID, Long> stored = versions();
          stored.forEach((id, version) -> {
            if (!version.equals(kept.remove(id))) {
              differ.add("job " + id);
            }
          });
          kept.keySet().forEach(id -> differ.add("job " + id));
          List<Node> stale = new ArrayList<>(nodes.nodes());
          List<Node> inService = stores.inventory().nodes(null);
          inService.stream()
              .filter(node -> node.state() != NodeState.RETIRED && !stale.remove(node))
              .forEach(node -> differ.add("node " + node.id().value()));
          stale.forEach(node -> differ.add("node " + node.id().value()));
          return differ;
        });
  }

  private SortedMap<UUID, Long> versions() {
    SortedMap<UUID, Long> versions = new TreeMap<>();
    stores
        .jdbc()
        .sql("SELECT id, version FROM job WHERE state IN (:states)")
        .param(
            "states",
            List.of("QUEUED", "ADMITTED", "STARTING", "RUNNING", "SUSPENDED", "CANCELLING"))
        .query(row -> {
          versions.put(row.getObject("id", UUID.class), row.getLong("version"));
        });
    return versions;
  }
}
