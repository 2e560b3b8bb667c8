package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.healthtest.service.KnownPreflights;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobWriter;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.SubmitPolicies;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that depend on others by their names. */
class JobDependenciesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final JobCommands commands =
      new JobCommands(
          stores.transactions(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          new SubmitRules(
              stores.tenants(),
              stores.quotas(),
              stores.jobs(),
              stores.pools(),
              stores.secrets(),
              stores.volumes(),
              () -> new LimitBook(List.of(), 0),
              () -> spec -> List.of(),
              new CheckpointLimit(Duration.ofHours(1)),
              stores.licences(),
              new KnownPreflights(stores.healthTests()),
              SubmitPolicies.NONE,
              stores.workdirs()),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids());

  private static NewJob job(String name) {
    return new NewJob(Specs.job(name).build());
  }

  private Job submit(String name) {
    return commands.submit(ana, world.project().name(), job(name), null, false).job();
  }

  static NewJob needing(String name, String... needed) {
    List<NewJob.Named> named = new ArrayList<>();
    for (String job : needed) {
      named.add(new NewJob.Named(named.size(), job, Dependency.Condition.ENDED));
    }
    return new NewJob(Specs.job(name).build(), named, null);
  }

  @Test
  void aDependencyOnANameIsOneOnTheJobThatHasItNow() {
    Job old = submit("prepare");
    commands.cancel(ana, old.id());
    assertThat(dependencies(needing("after-it", "prepare"))).containsExactly(old.id());
    Job now = submit("prepare");
    assertThat(dependencies(needing("after-the-active-one", "prepare"))).containsExactly(now.id());
    commands.cancel(ana, now.id());

    assertDependencyRefused(
        "prepare", "Several jobs named \"prepare\" have ended", old.id().text());
    assertDependencyRefused("nothing", "has no job \"nothing\"", "Give the name of a job there");
  }

  private List<JobId> dependencies(NewJob wanted) {
    return commands
        .submit(ana, world.project().name(), wanted, null, false)
        .job()
        .spec()
        .dependsOn()
        .stream()
        .map(Dependency::job)
        .toList();
  }

  private void assertDependencyRefused(String name, String... told) {
    assertThatThrownBy(() -> dependencies(needing("refused", name)))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused ->
                assertThat(refused.problems())
                    .singleElement()
                    .satisfies(problem -> {
                      assertThat(problem.pointer()).isEqualTo("/dependsOn/0");
                      assertThat(problem.detail()).contains(told);
                    }));
  }

  /** Fails when a chain of jobs needs ids that exist only after its submit. */
  @Test
  void jobsOfABatchDependOnEarlierOnesByName() {
    List<BatchResult> results =
        commands.submitAll(
            ana,
            world.project().name(),
            List.of(job("one"), needing("two", "one"), needing("early", "late"), job("late")),
            false,
            null,
            false);

    Job one = ((BatchResult.Accepted) results.getFirst()).submitted().job();
    Job two = ((BatchResult.Accepted) results.get(1)).submitted().job();
    assertThat(two.spec().dependsOn())
        .containsExactly(new Dependency(one.id(), Dependency.Condition.ENDED));
    assertThat(results.get(2)).isInstanceOf(BatchResult.Refused.class);
  }

  /** Fails when a dependent of a refused item waits for an older job of that name instead. */
  @Test
  void aDependentOfARefusedItemIsRefusedToo() {
    submit("prep");

    List<BatchResult> results =
        commands.submitAll(
            ana,
            world.project().name(),
            List.of(job("prep"), needing("train", "prep")),
            false,
            null,
            false);

    assertThat(results).allMatch(BatchResult.Refused.class::isInstance);
  }
}
