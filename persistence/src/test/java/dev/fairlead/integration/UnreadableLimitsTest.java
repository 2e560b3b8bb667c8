package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Unreadable limits admit nothing. */
class UnreadableLimitsTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);

  /** A role whose rights a test revokes. */
  private static final String URL = Embedded.migratedDatabase();

  private static final PostgresInstallation STORES =
      PostgresInstallation.on(URL, Embedded.server().user(), Embedded.server().password());

  private final TestWorld world = TestWorld.in(STORES);

  @AfterAll
  static void close() {
    STORES.close();
  }

  @Test
  void queueWhoseLimitsReadEmptyAdmitsNothing() {
    // Fails when a queue with unreadable limits is treated as a queue without limits.
    limit(world.queue());

    assertClosedWhile(world.queue());
  }

  @Test
  void queueBelowAnUnreadableNodeAdmitsNothing() {
    // Fails when the path of a queue may end at a node that has a parent.
    limit(world.root());

    assertClosedWhile(world.root());
  }

  @Test
  void runningJobsEndWhileTheirLimitsAreUnreadable() {
    QuotaNode queue = world.queue();
    limit(queue);
    Attempt runs = world.run(world.place(world.submit(Specs.job("runs").gpus(1))));
    hide(queue);

    world.succeed(runs);

    assertThat(world.job(world.stores().jobs().lock(List.of(runs.job())).getFirst()).state().name())
        .isEqualTo("SUCCEEDED");
    show(queue);
  }

  @Test
  void failedReadAdmitsNothing() {
    limit(world.queue());
    Job job = world.submit(Specs.job("waits").gpus(1));
    run("REVOKE SELECT ON quota_limit FROM fairlead_app, fairlead_loops");
    try {
      assertThatThrownBy(() -> world.place(job)).hasMessageContaining("permission denied");
    } finally {
      run("GRANT SELECT ON quota_limit TO fairlead_app, fairlead_loops");
    }
    assertThat(world.stores().jobs().liveAttempts(job.id())).isEmpty();
    assertThat(world.place(job)).isNotNull();
  }

  private void assertClosedWhile(QuotaNode node) {
    Job job = world.submit(Specs.job("waits").gpus(1));
    hide(node);

    assertThatExceptionOfType(Conflict.class)
        .isThrownBy(() -> world.place(job))
        .satisfies(refused -> assertThat(refused.guard()).isEqualTo(Conflict.Guard.QUOTA));

    show(node);
    assertThat(world.place(job)).isNotNull();
  }

  private void limit(QuotaNode node) {
    world.limit(node, new QuotaLimit(H100, ResourceNames.GPU, 8_000L, null, null));
  }

  /** The statement returns no rows, as for rows of another tenant. */
  private static void hide(QuotaNode node) {
    run(
        "UPDATE quota_limit SET tenant = gen_random_uuid() WHERE node = '"
            + node.id().value()
            + "'");
  }

  private static void show(QuotaNode node) {
    run(
        "UPDATE quota_limit SET tenant = '%s' WHERE node = '%s'"
            .formatted(node.tenant().value(), node.id().value()));
  }

  private static void run(String statement) {
    Databases.run(URL, Embedded.server().user(), Embedded.server().password(), statement);
  }
}
