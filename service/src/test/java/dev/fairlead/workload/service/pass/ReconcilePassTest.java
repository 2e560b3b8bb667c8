package dev.fairlead.workload.service.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.AttemptState;
import dev.fairlead.cluster.Capabilities;
import dev.fairlead.health.service.ConditionIntake;
import dev.fairlead.health.service.Isolation;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Specs;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.projectsecret.ProjectSecretStore;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.workload.ActionOutcome;
import dev.fairlead.workload.AttemptJudge;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.Observations;
import dev.fairlead.workload.Verdict;
import dev.fairlead.workload.WorkloadAction;
import dev.fairlead.workload.WorkloadTimeouts;
import dev.fairlead.workload.service.attempt.AttemptMetrics;
import dev.fairlead.workload.service.attempt.AttemptRepository;
import dev.fairlead.workload.service.contact.ClosedPlaces;
import dev.fairlead.workload.service.contact.ClusterWatch;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReconcilePassTest {
  private boolean marked = true;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final ExecutorService workers = Executors.newSingleThreadExecutor();
  private final Fenced fenced = new Fenced(stores.transactions());
  private final List<String> judged = new ArrayList<>();
  private final AtomicInteger namedSecrets = new AtomicInteger();
  private final List<Class<?>> applied = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() {
    workers.shutdown();
  }

  /**
   * Fails when what was stored, by the judge or because it is about to be launched, is judged once
   * more to find when it is to be looked at again; and when what is stored was found on older rows.
   */
  @Test
  void eachAttemptIsJudgedOnceAndOnceMoreOnItsLockedRowsWhereItChanges() {
    Attempt cancelled = world.run(world.place(world.submit(Specs.job("cancelled"))));
    world.append(
        JobTransitions.cancel(world.jobOf(cancelled), true, world.now(), "ana").orElseThrow());
    Attempt planned = world.place(world.submit(Specs.job("planned")));

    pass().run(Set.of(cancelled.id(), planned.id()));

    assertThat(judged).containsExactlyInAnyOrder("cancelled", "cancelled locked", "planned");
    assertThat(world.attempt(cancelled).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(world.attempt(planned).state()).isEqualTo(AttemptState.LAUNCHING);
    assertThat(applied)
        .containsExactlyInAnyOrder(WorkloadAction.Stop.class, WorkloadAction.Launch.class);
  }

  /** Fails when each launch reads for itself. */
  @Test
  void launchesOfJobsThatGetTheSameSecretsReadThemOnce() {
    Attempt one = world.place(world.submit(Specs.job("one")));
    Attempt two = world.place(world.submit(Specs.job("two")));

    pass().run(Set.of(one.id(), two.id()));

    assertThat(applied).containsExactly(WorkloadAction.Launch.class, WorkloadAction.Launch.class);
    assertThat(namedSecrets).hasValue(1);
  }

  private ProjectSecretStore counted(ProjectSecretStore real) {
    return (ProjectSecretStore)
        Proxy.newProxyInstance(
            ProjectSecretStore.class.getClassLoader(),
            new Class<?>[] {ProjectSecretStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("named")) {
                namedSecrets.incrementAndGet();
              }
              return method.invoke(real, arguments);
            });
  }

  /**
   * Fails when something is started that the cluster could not tell from the work of a restored
   * database; what ends is ended.
   */
  @Test
  void nothingIsStartedUnderAMarkThatTheClusterDidNotTake() {
    Attempt cancelled = world.run(world.place(world.submit(Specs.job("cancelled"))));
    world.append(
        JobTransitions.cancel(world.jobOf(cancelled), true, world.now(), "ana").orElseThrow());
    Attempt planned = world.place(world.submit(Specs.job("planned")));
    marked = false;

    ReconcilePass.Result result = pass().run(Set.of(cancelled.id(), planned.id()));

    assertThat(applied).containsExactly(WorkloadAction.Stop.class);
    assertThat(world.attempt(planned).state()).isEqualTo(AttemptState.PLANNED);
    assertThat(result.lookAgain()).containsKey(planned.id());
  }

  private Verdict counted(Attempt attempt, Job job, Observations observations) {
    judged.add(job.name() + (fenced.open ? " locked" : ""));
    return AttemptJudge.judge(attempt, job, observations);
  }

  private ReconcilePass pass() {
    MeterRegistry metrics = new SimpleMeterRegistry();
    AttemptRepository attempts =
        new AttemptRepository(
            fenced,
            stores.jobs(),
            new JobWriter(stores.jobs(), stores.explanations(), transition -> {}),
            stores.tenants(),
            stores.leases(),
            stores.reservations(),
            counted(stores.secrets()),
            stores.volumes(),
            stores.progress(),
            purpose -> Optional.empty(),
            metrics);
    ClusterWatch watch =
        new ClusterWatch(
            world.cluster().id(),
            stores.inventory(),
            new ClosedPlaces(
                stores.inventory(),
                stores.operations(),
                stores.health(),
                stores.repairs(),
                stores.pools(),
                stores.bookings(),
                new ConditionIntake(
                    stores.inventory(),
                    stores.health(),
                    new Isolation(stores.health(), stores.inventory(), stores.ids()),
                    stores.ids())),
            stores.transactions(),
            () -> 0);
    PassState state =
        new PassState(
            world.cluster().id(),
            attempts,
            new AttemptMetrics(metrics),
            workers,
            new ClockSkewGuard(() -> 0),
            WorkloadTimeouts.DEFAULT,
            new OutputStatus(),
            this::counted);
    return new ReconcilePass(
        state,
        new PassView(lease, gateway(), watch, Map.of(), true, () -> marked, false, world.now()));
  }

  /** Shows nothing, knows of no pod, and takes everything. */
  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "gone" -> true;
                  case "capabilities" -> Capabilities.UNSEEN;
                  case "apply" -> {
                    applied.add(arguments[0].getClass());
                    yield new ActionOutcome.Done(Collections.emptySortedSet());
                  }
                  default -> throw new AssertionError(method.getName());
                });
  }

  /** Tells whether a transaction under a fence is open. */
  private static final class Fenced implements Transactions {
    private final Transactions real;
    private boolean open;

    private Fenced(Transactions real) {
      this.real = real;
    }

    @Override
    public <T> T call(Supplier<T> work) {
      return real.call(work);
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      open = true;
      try {
        return real.callFenced(lease, work);
      } finally {
        open = false;
      }
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return real.read(work);
    }
  }
}
