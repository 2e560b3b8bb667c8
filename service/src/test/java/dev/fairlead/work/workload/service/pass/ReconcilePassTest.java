package dev.fairlead.work.workload.service.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.Observations;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.judgement.Verdict;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptDecisions;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClusterWatch;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.CannotCreateTransactionException;

class ReconcilePassTest {
  private boolean marked = true;
  private boolean away;
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final ExecutorService workers = Executors.newSingleThreadExecutor();
  private final Fenced fenced = new Fenced(stores.transactions());
  private final List<String> judged = new ArrayList<>();
  private long nanos;
  private final AtomicInteger namedSecrets = new AtomicInteger();
  private final List<AttemptId> recognised = Collections.synchronizedList(new ArrayList<>());
  private final List<Class<?>> applied = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() {
    workers.shutdown();
  }

  /**
   * Fails when a stored attempt is judged again only to find its next check, or when a verdict on
   * older rows is stored.
   */
  @Test
  void eachAttemptIsJudgedOnceAndAgainOnItsLockedRowsBeforeAChange() {
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

  /**
   * Fails when the gateway must infer from a watch whether an attempt runs in the pods of a user's
   * object: without them, its members would count as absent.
   */
  @Test
  void gatewayKnowsALaunchedAttemptBeforeItStopsIt() {
    Attempt launched =
        world.apply(world.place(world.submit(Specs.job("launched"))), new AttemptEvent.Launch());
    world.append(
        JobTransitions.cancel(world.jobOf(launched), true, world.now(), "ana").orElseThrow());

    pass().run(Set.of(launched.id()));

    assertThat(applied).containsExactly(WorkloadAction.Stop.class);
    assertThat(recognised).containsExactly(launched.id());
  }

  /** Fails when each launch reads for itself. */
  @Test
  void launchesOfJobsWithTheSameSecretsReadThemOnce() {
    Attempt one = world.place(world.submit(Specs.job("one")));
    Attempt two = world.place(world.submit(Specs.job("two")));

    pass().run(Set.of(one.id(), two.id()));

    assertThat(applied).containsExactly(WorkloadAction.Launch.class, WorkloadAction.Launch.class);
    assertThat(namedSecrets).hasValue(1);
  }

  /** Fails when a launch that found no connection to the database counts as a failed launch. */
  @Test
  void launchWithoutADatabaseConnectionIsRepeatedWithoutAFailure() {
    Attempt planned = world.place(world.submit(Specs.job("planned")));
    PassState state = state();
    away = true;
    for (int pass = 0; pass <= PoisonAttempts.TRIES; pass++) {
      ReconcilePass.Result result =
          new ReconcilePass(state, view(Map.of())).run(Set.of(planned.id()));
      assertThat(result.lookAgain()).containsKey(planned.id());
      nanos += Duration.ofSeconds(4).toNanos();
    }
    assertThat(applied).isEmpty();

    away = false;
    var _ = new ReconcilePass(state, view(Map.of())).run(Set.of(planned.id()));
    assertThat(applied).containsExactly(WorkloadAction.Launch.class);
    assertThat(world.attempt(planned).state()).isEqualTo(AttemptState.LAUNCHING);
  }

  private ProjectSecretStore counted(ProjectSecretStore real) {
    return (ProjectSecretStore)
        Proxy.newProxyInstance(
            ProjectSecretStore.class.getClassLoader(),
            new Class<?>[] {ProjectSecretStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("named")) {
                if (away) {
                  throw new CannotCreateTransactionException("no free connection");
                }
                namedSecrets.incrementAndGet();
              }
              return method.invoke(real, arguments);
            });
  }

  /**
   * Fails when an attempt starts that the cluster could not distinguish from work of a restored
   * database. Stops are allowed.
   */
  @Test
  void nothingStartsUnderAWatermarkThatTheClusterDidNotAccept() {
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

  /** Fails when a decision for one cluster is written to the rows of another. */
  @Test
  void anAttemptOfAnotherClusterIsNotChanged() {
    Attempt planned = world.place(world.submit(Specs.job("elsewhere")));

    assertThat(
            state()
                .attempts
                .change(
                    lease,
                    new ClusterId(new UUID(8, 8)),
                    List.of(stored(planned)),
                    AttemptDecisions.launching()))
        .isEmpty();
    assertThat(world.attempt(planned).state()).isEqualTo(AttemptState.PLANNED);
  }

  private static ObservedWorkload withSidecars(Attempt attempt) {
    SortedMap<MemberKey, ObservedMember> members = new TreeMap<>();
    attempt
        .members()
        .forEach(m ->
            members.put(
                MemberKey.of(m),
                ObservedMember.of(MemberKey.of(m), "uid", MemberState.SUCCEEDED, m.nodeName())
                    .with()
                    .started(true)
                    .exitCode(0)
                    .held(ObservedMember.Held.SIDECARS)
                    .build()));
    return new ObservedWorkload(attempt.id(), members, false);
  }

  private AttemptCase stored(Attempt attempt) {
    return new AttemptCase(world.attempt(attempt), world.jobOf(attempt), null);
  }

  /**
   * Fails when a launching attempt that waits for the capacity of cleanups counts as skipped: the
   * page of launches would start with it until all cleanups are done.
   */
  @Test
  void unneededActionDelaysNoPage() {
    Attempt ended = world.place(world.submit(Specs.job("ended").workers(128)));
    ended = world.fail(world.run(ended), FailureCause.USER_ERROR);
    Attempt other = world.place(world.submit(Specs.job("other")));
    other = world.fail(world.run(other), FailureCause.USER_ERROR);
    Attempt launching =
        world.apply(world.place(world.submit(Specs.job("starts"))), new AttemptEvent.Launch());

    DueSteps due =
        DueSteps.of(
            state(),
            view(Map.of(launching.id(), withSidecars(launching))),
            List.of(stored(ended), stored(other), stored(launching)));

    assertThat(due.now()).containsOnlyKeys(ended.id());
    assertThat(due.full()).isTrue();
    assertThat(due.left()).containsExactly(other.id());
    assertThat(due.later()).containsOnlyKeys(launching.id());
  }

  private static Map<AttemptId, ObservedWorkload> runs(Attempt attempt, String node) {
    SortedMap<MemberKey, ObservedMember> members = new TreeMap<>();
    for (Member m : attempt.members()) {
      MemberKey key = MemberKey.of(m);
      members.put(key, ObservedMember.of(key, "uid", MemberState.RUNNING, node).withStarted(true));
    }
    return Map.of(attempt.id(), new ObservedWorkload(attempt.id(), members, false));
  }

  private Attempt launched(String name, String node) {
    Job job = world.submit(Specs.job(name).gpus(8));
    return world.apply(world.place(job, 0, node), new AttemptEvent.Launch());
  }

  private Member only(Attempt attempt) {
    return world.attempt(attempt).members().getFirst();
  }

  /** Fails when members that exchanged full nodes are moved only if one pass sees both. */
  @Test
  void membersThatExchangedNodesMoveWhenTheLastOfThemIsSeen() {
    Attempt one = launched("one", "node-1");
    Attempt other = launched("other", "node-2");
    PassState state = state();

    var first = new ReconcilePass(state, view(runs(one, "node-2"))).run(Set.of(one.id()));
    assertThat(only(one).node()).isEqualTo(world.node("node-1").id());
    assertThat(first.lookAgain()).containsKey(one.id());
    Map<AttemptId, ObservedWorkload> both = new TreeMap<>(runs(one, "node-2"));
    both.putAll(runs(other, "node-1"));
    new ReconcilePass(state, view(both)).run(Set.of(other.id()));

    assertThat(only(one).node()).isEqualTo(world.node("node-2").id());
    assertThat(only(other).node()).isEqualTo(world.node("node-1").id());
  }

  /** Fails when a process that takes over forgets a pod that its predecessor saw. */
  @Test
  void newLeaderMovesAttemptsThatItsPredecessorSaw() {
    Attempt attempt = launched("seen", "node-1");
    Attempt blocks = world.run(world.place(world.submit(Specs.job("blocks").gpus(8)), 0, "node-2"));
    new ReconcilePass(state(), view(runs(attempt, "node-2"))).run(Set.of(attempt.id()));
    world.succeed(blocks);
    PassState next = state();
    next.begin(world.cluster().id());

    new ReconcilePass(next, view(runs(attempt, "node-2"))).run(Set.of(attempt.id()));

    assertThat(only(attempt).node()).isEqualTo(world.node("node-2").id());
    assertThat(world.node("node-1").allocated()).isEqualTo(ResourceVector.ZERO);
  }

  @Test
  void anAttemptOnAQuarantinedNodeStopsAndItsPlannedNodeIsNotBlamed() {
    Attempt attempt = launched("closed", "node-1");
    stores.moveNode(world.node("node-2").id(), NodeState.QUARANTINED);

    PassState state = state();

    new ReconcilePass(state, view(runs(attempt, "node-2"))).run(Set.of(attempt.id()));

    Attempt now = world.attempt(attempt);
    assertThat(now.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(now.failure().message()).contains("node-2, which is quarantined");
    assertThat(ClusterRefusal.of(now.failure())).hasValue(ClusterRefusal.FOR_NOW);

    new ReconcilePass(state, view(runs(attempt, "node-2"))).run(Set.of());

    assertThat(only(attempt).node()).as("repairs wait").isEqualTo(world.node("node-2").id());
  }

  private Attempt brokenOff(PassState state, String name, int members) {
    Attempt planned = world.place(world.submit(Specs.job(name).workers(members).cpuMilli(100)));
    assertThat(state.actions.again(planned.id(), Step.LAUNCH)).isTrue();
    return world.apply(planned, new AttemptEvent.Launch());
  }

  /**
   * Fails when new launches precede an interrupted one: behind a long backlog it would hold its
   * nodes until its start limit.
   */
  @Test
  void interruptedLaunchIsCompletedBeforeOthersStart() {
    PassState state = state();
    Attempt gang = brokenOff(state, "gang", 8);
    Attempt large = world.place(world.submit(Specs.job("large").workers(128).cpuMilli(100)));
    nanos = Duration.ofSeconds(4).toNanos();

    DueSteps due = DueSteps.of(state, view(Map.of()), List.of(stored(gang), stored(large)));

    assertThat(due.now()).containsOnly(Map.entry(gang.id(), Step.COMPLETE_LAUNCH));
    assertThat(due.left()).containsExactly(large.id());
  }

  /** Fails when repeatedly interrupted launches leave no capacity for others. */
  @Test
  void abortedLaunchesLeaveHalfOfTheCapacity() {
    PassState state = state();
    Attempt one = brokenOff(state, "one", 64);
    Attempt two = brokenOff(state, "two", 64);
    Attempt fresh = world.place(world.submit(Specs.job("fresh").workers(64).cpuMilli(100)));
    nanos = Duration.ofSeconds(4).toNanos();

    DueSteps due =
        DueSteps.of(state, view(Map.of()), List.of(stored(one), stored(two), stored(fresh)));

    assertThat(due.now()).containsOnlyKeys(one.id(), fresh.id());
    assertThat(due.left()).containsExactly(two.id());
  }

  private Verdict counted(Attempt attempt, Job job, Observations observations) {
    judged.add(job.name() + (fenced.open ? " locked" : ""));
    return AttemptJudge.judge(attempt, job, observations);
  }

  private ReconcilePass pass() {
    return new ReconcilePass(state(), view(Map.of()));
  }

  private PassState state() {
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
            stores.outputs(),
            stores.configs(),
            purpose -> Optional.empty(),
            metrics);
    return new PassState(
        world.cluster().id(),
        attempts,
        new AttemptMetrics(metrics),
        workers,
        new ClockSkewGuard(() -> nanos),
        new PassState.Rules(WorkloadTimeouts.DEFAULT, this::counted),
        new OutputStatus());
  }

  private PassView view(Map<AttemptId, ObservedWorkload> observed) {
    ClusterWatch watch =
        new ClusterWatch(
            world.cluster().id(),
            stores.inventory(),
            ServiceParts.closedPlaces(stores),
            stores.transactions(),
            () -> 0);
    return new PassView(lease, gateway(), watch, observed, true, () -> marked, false, world.now());
  }

  /** A gateway without objects and pods that accepts every call. */
  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            ClusterGateway.class.getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "gone" -> true;
                  case "lookedUp" -> Collections.emptySortedSet();
                  case "capabilities" -> Capabilities.UNOBSERVED;
                  case "recognise" -> recognised.add(((Attempt) arguments[0]).id());
                  case "apply" -> {
                    applied.add(arguments[0].getClass());
                    yield new ActionOutcome.Done(Collections.emptySortedSet());
                  }
                  default -> throw new AssertionError(method.getName());
                });
  }

  /** Reports whether a fenced transaction is open. */
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
