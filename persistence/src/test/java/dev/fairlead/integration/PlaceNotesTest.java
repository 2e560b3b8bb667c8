package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.PlaceNotes;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Notifications of closed places report each write of any process once. */
class PlaceNotesTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private PlaceNotes.@Nullable Position position;

  /** Fails for each table without its trigger. */
  @Test
  void everyWriteThatClosesCapacityIsNoted() {
    look();

    for (String table :
        List.of(
            "quarantine",
            "domain_quarantine",
            "incident",
            "repair",
            "repair_task",
            "operation",
            "node_retired")) {
      for (String write :
          List.of(
              "UPDATE " + table + " SET id = id WHERE false",
              "DELETE FROM " + table + " WHERE false",
              "INSERT INTO " + table + " SELECT * FROM " + table + " WHERE false")) {
        assertNoted(write);
      }
    }
    assertNoted("UPDATE announced_notice SET id = id WHERE false");
    assertNoted("INSERT INTO announced_notice SELECT * FROM announced_notice WHERE false");
  }

  private void assertNoted(String write) {
    int _ = stores.jdbc().sql(write).update();
    assertThat(look()).as(write).isTrue();
    assertThat(look()).as("again after " + write).isFalse();
  }

  @Test
  void cordonIsAChangeAndAPlacementIsNot() {
    Attempt placed = world.place(world.submit(Specs.job("here")));
    look();

    world.succeed(world.run(placed));
    assertThat(look()).as("the life of a job").isFalse();

    assertThat(stores.inventory().order(placed.members().getFirst().node(), NodeOrder.CORDON))
        .isPresent();
    assertThat(look()).as("a cordon").isTrue();
  }

  /** Fails when a notification counts as read before its transaction is visible. */
  @Test
  void changeCommittedAfterAPassIsSeenByTheNext() {
    look();
    boolean before =
        stores
            .transactions()
            .forAllTenants(() -> {
              int _ = stores.jdbc().sql("UPDATE quarantine SET id = id WHERE false").update();
              return CompletableFuture.supplyAsync(this::look).join();
            });

    assertThat(before).as("while the transaction is open").isFalse();
    assertThat(look()).isTrue();
  }

  /** Fails when each retention pass causes all supervisors to read their closed places again. */
  @Test
  void retentionOfHealthEventsChangesNoCapacity() {
    look();

    int _ =
        stores
            .bean(RetentionStore.class)
            .clear(RetentionStore.Kind.HEALTH_EVENTS, Ages.DEFAULT, 100);

    assertThat(look()).isFalse();
  }

  /** Fails when a supervisor reads the notes of all jobs since the oldest open transaction. */
  @Test
  void capacityNotesAreFoundWithoutThoseOfJobs() {
    String text =
        SqlFile.named("change/notes-since")
            .text()
            .replace(":horizon", "'1'")
            .replace(":kind", "'PLACE'");
    String plan =
        stores
            .transactions()
            .forAllTenants(() -> {
              int _ = stores.jdbc().sql("SET LOCAL enable_seqscan = off").update();
              return String.join(
                  "\n", stores.jdbc().sql("EXPLAIN " + text).query(String.class).list());
            });
    assertThat(plan).contains("change_note_place");
  }

  private boolean look() {
    return stores
        .transactions()
        .readForAllTenants(() -> {
          PlaceNotes.Delta delta = stores.placeNotes().since(position);
          position = delta.position();
          return delta.changed();
        });
  }
}
