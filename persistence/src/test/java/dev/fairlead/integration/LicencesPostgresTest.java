package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The licences that attempts hold. */
class LicencesPostgresTest {
  private static final int JOBS = 32;
  private static final int THREADS = 8;

  private final PostgresInstallation stores = Embedded.installation();
  private final LicenceStore licences = stores.licences();
  private TestWorld world;
  private String name;

  @BeforeEach
  void aWorldOfItsOwn() {
    world = TestWorld.in(stores);
    name = world.uniqueName("ansys");
  }

  private Job job(String job, int asked) {
    return world.submit(Specs.job(job).licence(name, asked).retry(3, FailureCause.PREEMPTED));
  }

  private Held held() {
    return licences.held().getOrDefault(name, Held.NONE);
  }

  /** Fails when a start ignores held licences, or takes licences that do not exist. */
  @Test
  void noAttemptStartsWithoutItsLicences() {
    world.put(new Licence(name, 3));
    Attempt first = world.place(job("first", 2), 0, "node-1");

    Refused.by(Guard.LICENCE, () -> world.place(job("second", 2), 0, "node-1"));
    assertThat(held()).isEqualTo(new Held(2, 1));

    world.fail(world.run(first), FailureCause.PREEMPTED);
    assertThat(held().count()).isZero();
    Attempt again = world.place(world.job(world.jobOf(first)), 0, "node-1");
    assertThat(held().count()).isEqualTo(2);

    world.put(new Licence(name, 1));
    Refused.by(Guard.LICENCE, () -> world.place(job("third", 1), 0, "node-1"));
    world.cancel(world.jobOf(again));
    assertThat(held().count()).as("until its end is known").isEqualTo(2);
  }

  /** Fails when a licence that an older version did not release is held forever. */
  @Test
  void licencesOfAnEndedAttemptAreReleased() {
    world.put(new Licence(name, 3));
    Attempt lives = world.run(world.place(job("lives", 2), 0, "node-1"));
    Attempt ended = world.run(world.place(job("ended", 1), 0, "node-1"));
    world.succeed(ended);
    stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("INSERT INTO licence_hold (attempt, licence, count) VALUES (?, ?, 1)")
                .params(ended.id().value(), name)
                .update());

    Counters counters = stores.counters();
    Drift left = new Drift(Counters.Kind.LICENCE, ended.id().value(), name, 1, 0);
    assertThat(counters.compare()).contains(left);
    assertThat(counters.repair(List.of(left))).containsExactly(left);

    assertThat(held()).isEqualTo(new Held(2, 1));
    world.succeed(lives);
  }

  /** Fails when the ledger ignores a licence that does not exist. */
  @Test
  void missingLicencePreventsTheStart() {
    Refused.by(Guard.LICENCE, () -> world.place(job("job", 1), 0, "node-1"));
  }

  /** Fails when held licences are not counted; {@link MissingLockTest} is about the lock. */
  @Test
  void concurrentAllocationsNeverExceedTheLicences() throws Exception {
    world.put(new Licence(name, 10));
    // two trees on two nodes: only the licence orders their starts
    QuotaNode root = world.node("other-root", null, List.of(), null);
    QuotaNode other = world.node("other", root, List.of(), QueueSettings.DEFAULT);
    stores.quotas().insert(root);
    stores.quotas().insert(other);
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      Specs spec = Specs.job("job-" + i).licence(name, 1);
      Job job =
          world.submit(
              world.newJob(spec.build(), world.project(), i % 2 == 0 ? world.queue() : other));
      Attempt attempt =
          world.attempt(
              job,
              0,
              List.of(
                  Members.member(
                      job.spec().roles().getFirst(),
                      0,
                      world.node(i % 2 == 0 ? "node-1" : "node-2"),
                      CapacityType.RESERVED,
                      List.of())));
      Transition admission = world.admission(attempt);
      work.add(() -> admitted(admission));
    }

    int in = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (Future<Boolean> each : threads.invokeAll(work, 60, TimeUnit.SECONDS)) {
        in += each.get() ? 1 : 0;
      }
    }

    assertThat(in).isEqualTo(10);
    assertThat(held()).isEqualTo(new Held(10, 10));
  }

  private boolean admitted(Transition admission) {
    try {
      world.append(admission);
      return true;
    } catch (Conflict refused) {
      assertThat(refused.guard()).isEqualTo(Guard.LICENCE);
      return false;
    }
  }
}
