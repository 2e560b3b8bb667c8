package dev.fairlead.work.job.service.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobDependenciesTest;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Reads of a batch from the stores. */
class NewJobsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final List<String> asked = new ArrayList<>();

  /** The store with a record of each call by its name. */
  private <T> T counted(Class<T> type, T store) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              asked.add(method.getName());
              return method.invoke(store, arguments);
            }));
  }

  private NewJobs.Making making(List<NewJob> wanted) {
    JobStore jobs = counted(JobStore.class, stores.jobs());
    PoolStore pools = counted(PoolStore.class, stores.pools());
    SubmitRules rules =
        ServiceParts.rules(
            stores, jobs, pools, () -> new LimitBook(List.of(), 0), () -> spec -> List.of());
    return new NewJobs(stores.ids(), rules, jobs)
        .making(ana, world.project(), spec -> List.of(), wanted);
  }

  /** Fails when each dependency of a batch is read separately. */
  @Test
  void namesAndIdsThatABatchDependsOnAreLookedUpTogether() {
    Job there = world.submit(Specs.job("there"));
    NewJob byId =
        new NewJob(
            Specs.job("by-id")
                .build()
                .needing(List.of(new Dependency(there.id(), Dependency.Condition.ENDED))));
    NewJobs.Making making =
        making(
            List.of(
                JobDependenciesTest.needing("one", "there"),
                JobDependenciesTest.needing("two", "there", "one"),
                byId));
    making.accept(0);
    making.accept(1);
    making.accept(2);

    assertThat(asked).containsExactlyInAnyOrder("named", "activeNamed", "projects", "now");
  }

  /** Fails when a reference to an output reads a job, or searches all jobs before it. */
  @Test
  void tenThousandMutuallyReferencingJobsReadNoJob() {
    List<NewJob> wanted = new ArrayList<>();
    wanted.add(new NewJob(Specs.job("j0").outputs("model").build()));
    for (int i = 1; i < 10_000; i++) {
      String before = "j" + (i - 1);
      wanted.add(
          new NewJob(
              Specs.job("j" + i).outputs("model").env("M", reference(before)).build(),
              List.of(new NewJob.Named(0, before, Dependency.Condition.SUCCEEDED)),
              null));
    }
    NewJobs.Making making = making(wanted);
    for (int i = 0; i < wanted.size(); i++) {
      making.accept(i);
    }

    assertThat(asked).containsExactlyInAnyOrder("named", "activeNamed", "now");
    assertThat(making.accepted()).hasSize(wanted.size());
  }

  private static String reference(String job) {
    return "${outputs.%s.model}".formatted(job);
  }

  /** Fails when the pools are read for each job of a batch. */
  @Test
  void poolsOfABatchAreReadOnce() {
    stores
        .pools()
        .insert(
            new Pool(
                new PoolId(stores.ids().next()),
                "train",
                null,
                new PoolSelector(List.of(), List.of("H100"), new TreeMap<>(), List.of()),
                "",
                Spares.NONE,
                PoolWindows.NONE,
                1));
    NewJobs.Making making = making(List.of(named("one"), named("two")));
    making.accept(0);
    making.accept(1);

    assertThat(asked).containsOnlyOnce("pools");
  }

  /** Fails when the first queue by name is suggested, which may belong to any team. */
  @Test
  void missingQueueSuggestsTheQueuesOfTheProject() {
    stores.quotas().insert(world.node("archive", world.root(), List.of(), QueueSettings.DEFAULT));
    NewJob wanted = new NewJob(Specs.job("a").build().named("a", "nowhere"));

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> making(List.of(wanted)).accept(0))
        .withMessageContaining("Queues: archive, queue.")
        .satisfies(refused ->
            assertThat(refused.problems().getFirst().suggestion()).isEqualTo(world.queue().name()));
  }

  private static NewJob named(String name) {
    PlacementSpec placement = PlacementSpec.ANYWHERE.with().pools(List.of("train")).build();
    return new NewJob(Specs.job(name).placement(placement).build());
  }
}
