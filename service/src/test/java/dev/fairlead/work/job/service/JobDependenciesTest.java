package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that depend on others by their names. */
public class JobDependenciesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final AtomicInteger finds = new AtomicInteger();
  private final JobCommands commands =
      new JobCommands(
          stores.transactions(),
          counted(stores.jobs()),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          ServiceParts.rules(stores),
          new Idempotency(stores.idempotency()),
          WarmMembers.NONE,
          stores.audit(),
          stores.ids());

  private JobStore counted(JobStore real) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("find")) {
                finds.incrementAndGet();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException failed) {
                throw failed.getCause();
              }
            });
  }

  private static NewJob job(String name) {
    return new NewJob(Specs.job(name).build());
  }

  private Job submit(String name) {
    return commands.submit(ana, world.project().name(), job(name), null, false).job();
  }

  public static NewJob needing(String name, String... needed) {
    List<NewJob.Named> named = new ArrayList<>();
    for (String job : needed) {
      named.add(new NewJob.Named(named.size(), job, Dependency.Condition.ENDED));
    }
    return new NewJob(Specs.job(name).build(), named, null);
  }

  @Test
  void dependencyOnANameRefersToItsCurrentJob() {
    Job old = submit("prepare");
    commands.cancel(ana, old.id());
    assertThat(dependencies(needing("after-it", "prepare"))).containsExactly(old.id());
    Job now = submit("prepare");
    assertThat(dependencies(needing("after-the-active-one", "prepare"))).containsExactly(now.id());
    commands.cancel(ana, now.id());

    assertDependencyRefused(
        "prepare", "Several jobs named \"prepare\" have ended", old.id().text());
    assertDependencyRefused(
        "nothing", "has no job \"nothing\"", "Use the name of a job in that project");
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

  private void assertReferenceRefused(NewJob wanted, String... told) {
    assertThatThrownBy(() -> dependencies(wanted))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused ->
                assertThat(refused.problems())
                    .singleElement()
                    .satisfies(problem -> {
                      assertThat(problem.pointer()).isEqualTo("/env/V");
                      assertThat(problem.detail()).contains(told);
                    }));
  }

  private static NewJob referencing(String reference, NewJob.Named... needed) {
    return new NewJob(Specs.job("train").env("V", reference).build(), List.of(needed), null);
  }

  private static NewJob.Named ended(String name, Dependency.Condition condition) {
    return new NewJob.Named(0, name, condition);
  }

  /** Fails when a job waits for hours and then starts without its value. */
  @Test
  void unsatisfiableReferenceIsRejectedWithTheCandidates() {
    NewJob prep = new NewJob(Specs.job("prep").outputs("model", "rows").build());
    Job there = commands.submit(ana, world.project().name(), prep, null, false).job();
    NewJob.Named edge = ended("prep", Dependency.Condition.SUCCEEDED);

    assertReferenceRefused(
        referencing("${outputs.prpe.model}", edge),
        "no dependency \"prpe\"",
        "Its dependencies: prep");
    assertReferenceRefused(
        referencing("${outputs.prep.modle}", edge),
        "declares no output \"modle\"",
        "Its outputs: model, rows");
    assertReferenceRefused(
        referencing("${outputs.prep.model}", ended("prep", Dependency.Condition.STARTED)),
        "STARTED. Use SUCCEEDED");
    assertReferenceRefused(referencing("${outputs.prep.model}"), "Add the job to dependsOn");
    assertThat(dependencies(referencing("${outputs.prep.model}", edge)))
        .containsExactly(there.id());
  }

  /** Fails when a job reads the outputs of a job of another project of its tenant. */
  @Test
  void referenceToAnotherProjectIsRejected() {
    Project other = world.newProject("other");
    stores.tenants().insert(other);
    Job foreign =
        world.submit(
            world.newJob(Specs.job("prep").outputs("model").build(), other, world.queue()));
    NewJob wanted =
        new NewJob(
            Specs.job("train")
                .dependsOn(foreign, Dependency.Condition.SUCCEEDED)
                .env("V", "${outputs.prep.model}")
                .build());
    assertReferenceRefused(wanted, "belongs to another project");
  }

  /** Fails when a job of a batch cannot reference an output of an earlier one. */
  @Test
  void jobsOfABatchReferenceOutputsOfEarlierOnes() {
    NewJob prep = new NewJob(Specs.job("prep").outputs("model").build());
    NewJob train =
        referencing("${outputs.prep.model}", ended("prep", Dependency.Condition.SUCCEEDED));
    assertThat(
            commands.submitAll(
                ana, world.project().name(), List.of(prep, train), true, null, false))
        .allMatch(BatchResult.Accepted.class::isInstance);
  }

  /** Fails when the transaction of a batch reads a job again for each item that references it. */
  @Test
  void batchReadsTheJobOfItsReferencesOnce() {
    NewJob prep = new NewJob(Specs.job("prep").outputs("model").build());
    commands.submit(ana, world.project().name(), prep, null, false);
    List<NewJob> trials = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      trials.add(
          new NewJob(
              Specs.job("trial-" + i).env("V", "${outputs.prep.model}").build(),
              List.of(ended("prep", Dependency.Condition.SUCCEEDED)),
              null));
    }
    finds.set(0);
    assertThat(commands.submitAll(ana, world.project().name(), trials, true, null, false))
        .allMatch(BatchResult.Accepted.class::isInstance);
    assertThat(finds).hasValue(1);
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

  /** Fails when an element may wait for an element that will never exist. */
  @Test
  void perElementNeedsAnArrayWithAsManyElements() {
    submit("one");
    commands.submit(
        ana,
        world.project().name(),
        new NewJob(Specs.job("three").array("0-2").build()),
        null,
        false);

    for (String other : List.of("one", "three")) {
      NewJob.Named needed = new NewJob.Named(0, other, Dependency.Condition.SUCCEEDED, true);
      NewJob pair = new NewJob(Specs.job("pair").array("0-1").build(), List.of(needed), null);
      assertThatThrownBy(() -> commands.submit(ana, world.project().name(), pair, null, false))
          .isInstanceOfSatisfying(
              Refusal.class,
              refused -> {
                assertThat(refused.problems().getFirst().pointer()).isEqualTo("/dependsOn/0");
                assertThat(refused.problems().getFirst().detail())
                    .contains("2 elements", "job " + other);
              });
    }
    NewJob.Named needed = new NewJob.Named(0, "three", Dependency.Condition.FAILED, true);
    Job stored =
        commands
            .submit(
                ana,
                world.project().name(),
                new NewJob(Specs.job("same").array("0-2").build(), List.of(needed), null),
                null,
                false)
            .job();
    assertThat(stored.spec().dependsOn().getFirst().perElement()).isTrue();
  }

  /** Fails when a dependent of a refused item waits for an older job of that name instead. */
  @Test
  void dependentOfARejectedItemIsRejectedToo() {
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
