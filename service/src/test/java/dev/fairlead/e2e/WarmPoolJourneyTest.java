package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.warmpool.WarmPool.Sharing;
import dev.fairlead.work.warmpool.service.WarmPoolLoop;
import dev.fairlead.work.warmpool.service.WarmPools;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sessions that run without a user until a submit takes them. */
class WarmPoolJourneyTest {
  private static final Duration MOST = Duration.ofHours(8);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private Specs session = session("");
  private boolean unreadable;
  private final WarmPoolLoop loop =
      new WarmPoolLoop(
          fairlead.leases(),
          stores.configs(),
          stores.tenants(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          FairleadSubmits.of(fairlead),
          new Bodies(),
          stores.transactions());

  /** The session of the pool, instead of its JSON. */
  private final class Bodies implements JobReader {
    @Override
    public JobSpec read(Actor actor, String project, String json) {
      if (unreadable) {
        throw new Refusal(ProblemCode.INVALID_FIELD, "There is no template \"lab\".");
      }
      return session.build();
    }

    @Override
    public Map<String, Object> shown(String json) {
      return Map.of();
    }
  }

  private static Specs session(String name) {
    return Specs.job(name).gpus(8).launcher("jupyter").run("jupyter lab");
  }

  private void cluster(int nodes) {
    var _ = fairlead.register("eu", new FleetPool(nodes, 8, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(3));
  }

  private void pool(int members) {
    put(new WarmPool("h100", fairlead.project().name(), members, "{}", false));
  }

  private void put(WarmPool pool) {
    ServiceParts.put(fairlead, pool);
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      loop.tick();
      fairlead.pass(Duration.ofSeconds(1));
    }
  }

  /** Members with that number, oldest first. */
  private Job member(int number) {
    String name = WarmMember.name("h100", number);
    JobId id =
        stores
            .jobs()
            .activeNamed(fairlead.project().tenant(), fairlead.project().id(), List.of(name))
            .getFirst()
            .id();
    return stores.jobs().findAll(List.of(id)).getFirst();
  }

  private Submitted submit(Specs wanted) {
    return fairlead
        .commands()
        .submit(
            fairlead.ana(),
            fairlead.project().name(),
            new NewJob(wanted.maxRuntime(MOST).build()),
            null,
            false);
  }

  private Attempt only(Job job) {
    assertThat(fairlead.attempts(job)).hasSize(1);
    return fairlead.attempts(job).getFirst();
  }

  private double count(String result) {
    return fairlead
        .metrics()
        .counter(Metric.WARM_POOL_SESSIONS.meter(), Metric.WARM_POOL_SESSIONS.tags(result))
        .count();
  }

  /**
   * Fails when a taken session is started again, still belongs to its pool, or has the wrong time
   * limit.
   */
  @Test
  void aSubmitTakesARunningMemberAndThePoolRefills() {
    cluster(2);
    pool(1);
    pass(30);
    Job waiting = member(1);
    assertThat(waiting.state()).isEqualTo(JobState.RUNNING);
    assertThat(waiting.user()).isEqualTo("warm-pools");

    Job taken = submit(session("eda")).job();

    assertThat(taken.id()).isEqualTo(waiting.id());
    Job stored = fairlead.job(taken);
    assertThat(stored).isEqualTo(taken);
    assertThat(stored.name()).isEqualTo("eda");
    assertThat(stored.user()).isEqualTo("ana");
    assertThat(stored.state()).isEqualTo(JobState.RUNNING);
    assertThat(stored.priority()).isEqualTo(PriorityClass.NORMAL.value());
    assertThat(WarmMember.is(stored.spec())).isFalse();
    assertThat(stored.createdAt()).isEqualTo(stores.jobs().now());
    assertThat(stored.spec().maxRuntime()).isEqualTo(MOST);
    assertThat(only(stored).startedAt()).isEqualTo(stored.createdAt());
    assertThat(count("taken")).isEqualTo(1);
    pass(30);
    assertThat(member(1).id()).isNotEqualTo(taken.id());
    assertThat(member(1).state()).isEqualTo(JobState.RUNNING);
    assertThat(only(stored).state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when the time in the pool lowers the fair share of the user, or is lost. */
  @Test
  void usageBeforeTheTakeIsChargedToThePool() {
    QuotaNode queue = stores.quotas().nodes(fairlead.project().tenant()).getFirst();
    stores
        .quotas()
        .update(
            queue.with().usageHalfLife(Duration.ofDays(7)).version(queue.version() + 1).build());
    cluster(1);
    pool(1);
    pass(30);
    stores.advance(Duration.ofHours(3));
    Job taken = submit(session("eda")).job();

    assertThat(stores.quotas().pastUses())
        .singleElement()
        .satisfies(use -> {
          assertThat(use.user()).isEqualTo("warm-pools");
          assertThat(use.milliSeconds()).isGreaterThan(8000L * 3 * 3500);
        });
    var _ = fairlead.commands().cancel(fairlead.ana(), taken.id());
    pass(60);
    assertThat(fairlead.state(taken)).isEqualTo(JobState.CANCELLED);
    assertThat(stores.quotas().pastUses())
        .filteredOn(use -> use.user().equals("ana"))
        .singleElement()
        .satisfies(use -> assertThat(use.milliSeconds()).isLessThan(8000L * 120));
  }

  /** Fails when two users get the same session. */
  @Test
  void twoSubmitsTakeTwoMembersAndAThirdStartsAJob() {
    cluster(2);
    pool(2);
    pass(30);
    Job one = submit(session("one")).job();
    Job two = submit(session("two")).job();
    Submitted three = submit(session("three"));

    assertThat(List.of(one.state(), two.state()))
        .containsExactly(JobState.RUNNING, JobState.RUNNING);
    assertThat(one.id()).isNotEqualTo(two.id());
    assertThat(three.job().state()).isEqualTo(JobState.QUEUED);
    assertThat(three.warnings()).anyMatch(text -> text.contains("no member of h100"));
    assertThat(count("missed")).isEqualTo(1);
  }

  /** Fails when a session gets a member without its variables or volumes. */
  @Test
  void aSessionWithItsOwnEnvironmentOrVolumeStartsAJob() {
    cluster(1);
    pool(1);
    pass(30);
    Submitted env = submit(session("env").env("TOKEN", "x"));
    Submitted claim = submit(session("claim").claim("files"));

    assertThat(env.job().state()).isEqualTo(JobState.QUEUED);
    assertThat(env.warnings()).anyMatch(text -> text.endsWith("differ in env."));
    assertThat(claim.warnings()).anyMatch(text -> text.endsWith("differ in volumes."));
    assertThat(WarmMember.is(fairlead.job(member(1)).spec())).isTrue();
  }

  /** Fails when idle members block GPUs for a job of the lowest class. */
  @Test
  void aWaitingJobTakesTheGpusOfAMember() {
    cluster(1);
    pool(1);
    pass(30);
    Job idle = member(1);
    Job batch = fairlead.submit(Specs.job("batch").gpus(8).priority(PriorityClass.LOW));
    for (int i = 0; i < 300 && fairlead.state(batch) != JobState.RUNNING; i++) {
      pass(1);
    }
    assertThat(fairlead.state(batch)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(idle)).isEqualTo(JobState.QUEUED);
  }

  /** Fails when the end of a pool ends sessions of users, or leaves members behind. */
  @Test
  void aDeletedPoolCancelsMembersAndNoSessions() {
    cluster(2);
    pool(2);
    pass(30);
    Job first = member(1);
    Job taken = submit(session("eda")).job();
    Job left = taken.id().equals(first.id()) ? member(2) : first;
    put(new WarmPool("h100", fairlead.project().name(), 0, "{}", true));
    pass(60);

    assertThat(fairlead.state(left)).isEqualTo(JobState.CANCELLED);
    assertThat(fairlead.state(taken)).isEqualTo(JobState.RUNNING);
    assertThat(stores.configs().all(WarmPool.DOCUMENTS)).isEmpty();
  }

  /** Fails when members hold GPUs forever because the template of their pool was deleted. */
  @Test
  void aPoolWhoseJobCannotBeReadShrinksAndIsDeleted() {
    cluster(2);
    pool(2);
    pass(30);
    Job first = member(1);
    Job second = member(2);
    unreadable = true;
    pool(1);
    pass(60);
    assertThat(fairlead.state(second)).isEqualTo(JobState.CANCELLED);
    assertThat(fairlead.state(first)).isEqualTo(JobState.RUNNING);

    put(new WarmPool("h100", fairlead.project().name(), 0, "{}", true));
    pass(60);
    assertThat(fairlead.state(first)).isEqualTo(JobState.CANCELLED);
    assertThat(stores.configs().all(WarmPool.DOCUMENTS)).isEmpty();
  }

  /** Fails when a pool waits for the end of a job that only has the name of a member. */
  @Test
  void aDeletedPoolDoesNotWaitForAJobOfAUser() {
    cluster(1);
    Job same = fairlead.submit(Specs.job("h100-warm-1").gpus(8));
    put(new WarmPool("h100", fairlead.project().name(), 0, "{}", true));
    pass(5);
    assertThat(stores.configs().all(WarmPool.DOCUMENTS)).isEmpty();
    assertThat(fairlead.job(same).run().ended()).isFalse();
  }

  /** Fails when a session starts with the used retries of its member. */
  @Test
  void theFailuresOfAMemberUseNoRetryOfItsSession() {
    cluster(1);
    pool(1);
    pass(30);
    Job waiting = member(1);
    Job failed = waiting.with().run(waiting.run().with().failures(2).faults(3).build()).build();
    Job wanted = fairlead.submit(session("eda"));

    Job taken = OwnerTransitions.take(failed, only(waiting), wanted, stores.jobs().now()).job();
    assertThat(taken.run().failures()).isZero();
    assertThat(taken.run().faults()).isZero();
    assertThat(taken.run().attempts()).isEqualTo(waiting.run().attempts());
  }

  private WarmPools pools() {
    return new WarmPools(
        stores.transactions(),
        stores.configs(),
        stores.tenants(),
        stores.jobs(),
        FairleadSubmits.of(fairlead),
        new Bodies(),
        stores.explanations(),
        stores.audit());
  }

  private @Nullable String reason() {
    return pools().all(fairlead.ana(), fairlead.project().name()).getFirst().reason();
  }

  /** Fails when Ray clusters or sessions run forever, because the loop of their kind left them. */
  @Test
  void aPoolOfSessionsCannotBecomeARayPool() {
    cluster(1);
    String project = fairlead.project().name();
    WarmPool sessions = new WarmPool("h100", project, 1, "{}", false);
    WarmPool rays =
        new WarmPool("h100", project, 1, new Sharing(0, 1, Duration.ofMinutes(5)), "{}", false);
    put(sessions);
    Specs jupyter = session;
    session = Specs.job("").gpus(8).workers(2).launcher("ray").run("sleep infinity");
    assertThatThrownBy(() -> pools().put(fairlead.operator(), rays, null, true))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("of sessions");
    put(rays);
    session = jupyter;
    assertThatThrownBy(() -> pools().put(fairlead.operator(), sessions, null, true))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("of Ray clusters");
  }

  /** Fails when the reason why sessions are missing is only in the log of a process. */
  @Test
  void poolBelowItsSizeReportsTheReason() {
    cluster(1);
    pool(2);
    pass(30);
    assertThat(reason()).startsWith("h100-warm-2 is QUEUED: ").contains("8");
    pool(1);
    pass(30);
    assertThat(reason()).isNull();
  }

  /** Fails when a pool without members does not show that its submits are refused. */
  @Test
  void aPoolWhoseSubmitsAreRefusedShowsTheRefusal() {
    cluster(1);
    unreadable = true;
    pool(1);
    pass(5);
    assertThat(reason())
        .startsWith("The next submit is refused: ")
        .endsWith("no template \"lab\".");
  }

  /** Fails when a pool whose sessions end by themselves reports them as starting. */
  @Test
  void aPoolWhoseMemberEndedShowsItsEnd() {
    cluster(1);
    session = session("").annotation("sim.fairlead.dev/run-for", "5s");
    pool(1);
    pass(60);
    assertThat(reason()).startsWith("h100-warm-1 ended as SUCCEEDED").endsWith("5 minutes later");
  }

  /** Fails when members with an earlier job remain in the pool. */
  @Test
  void aChangedPoolReplacesItsMembers() {
    cluster(1);
    pool(1);
    pass(30);
    Job before = member(1);
    session = session("").env("LANG", "C");
    pass(90);

    assertThat(fairlead.state(before)).isEqualTo(JobState.CANCELLED);
    assertThat(member(1).state()).isEqualTo(JobState.RUNNING);
    Job taken = submit(session("eda").env("LANG", "C")).job();
    assertThat(taken.state()).isEqualTo(JobState.RUNNING);
  }
}
