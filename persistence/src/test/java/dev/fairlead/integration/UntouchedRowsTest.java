package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A change of a job writes only rows that change. */
class UntouchedRowsTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when the statement locks members that do not change: each lock is written to the log. */
  @Test
  void aLaunchDoesNotTouchTheMembers() {
    Attempt placed = world.place(world.submit(Specs.job("one")));
    String before = members(placed);

    Attempt launching = world.apply(placed, new AttemptEvent.Launch());

    assertThat(members(placed)).isEqualTo(before).endsWith("/0");
    world.reported(
        launching,
        DeviceReporter.NODE_AGENT,
        List.of(new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000001", false)));
    assertThat(members(placed)).isNotEqualTo(before);
  }

  /**
   * Fails with ON CONFLICT DO UPDATE: its lock is logged, and the new version of the row keeps it.
   */
  @Test
  void changedMemberIsNotLockedBeforeItsUpdate() {
    Attempt launching =
        world.apply(world.place(world.submit(Specs.job("one"))), new AttemptEvent.Launch());
    String before = members(launching);

    world.reported(
        launching,
        DeviceReporter.NODE_AGENT,
        List.of(new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000002", false)));

    assertThat(members(launching)).isNotEqualTo(before).endsWith("/0");
  }

  /** Fails when the row of the job is updated. */
  @Test
  void aRetirementDoesNotTouchTheJobAndTheMembers() {
    Attempt ended = world.succeed(world.run(world.place(world.submit(Specs.job("one")))));
    String members = members(ended);
    String job = job(ended);

    world.append(JobTransitions.retire(world.jobOf(ended), ended, world.now(), TestWorld.ACTOR));

    assertThat(job(ended)).isEqualTo(job);
    assertThat(members(ended)).isEqualTo(members);
  }

  /** Location of the stored row, and the transactions that wrote and locked it. */
  private String members(Attempt attempt) {
    return one(
        "SELECT string_agg(concat_ws('/', ctid, xmin, xmax), ',') FROM member WHERE attempt = '%s'"
            .formatted(attempt.id().value()));
  }

  /** Like {@link #members}, without the lock, which each change of an attempt takes. */
  private String job(Attempt attempt) {
    return one(
        "SELECT concat_ws('/', ctid, xmin) FROM job WHERE id = '%s'"
            .formatted(attempt.job().value()));
  }

  private String one(String query) {
    return stores
        .transactions()
        .forAllTenants(() -> stores.jdbc().sql(query).query(String.class).single());
  }
}
