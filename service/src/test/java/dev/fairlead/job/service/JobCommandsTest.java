package dev.fairlead.job.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.audit.AuditRecord;
import dev.fairlead.idempotency.Idempotency;
import dev.fairlead.idempotency.RequestKey;
import dev.fairlead.identity.IdSource;
import dev.fairlead.job.FeasibilityCheck;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobFilter;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobNames;
import dev.fairlead.job.JobSpec;
import dev.fairlead.job.JobSpec.Dependency;
import dev.fairlead.job.JobState;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Specs;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.limit.Limit;
import dev.fairlead.limit.LimitBook;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.quota.UserLimits;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.transaction.UnknownOutcome;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobCommandsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor ana = new Actor(world.tenant().id(), "ana", Role.TENANT_MEMBER);
  private final JobCommands commands = commands(stores.transactions());

  private JobCommands commands(Transactions transactions) {
    return commands(transactions, () -> spec -> List.of("never fits"));
  }

  private JobCommands commands(Transactions transactions, FeasibilityCheck feasibility) {
    return commands(transactions, feasibility, stores.ids());
  }

  private JobCommands commands(
      Transactions transactions, FeasibilityCheck feasibility, IdSource ids) {
    return new JobCommands(
        transactions,
        stores.jobs(),
        new JobWriter(stores.jobs(), t -> {}),
        new SubmitRules(
            stores.tenants(),
            stores.quotas(),
            stores.jobs(),
            stores.pools(),
            () -> limits(),
            feasibility),
        new Idempotency(stores.idempotency()),
        stores.audit(),
        ids);
  }

  /** As a replica reads them. */
  private LimitBook limits() {
    return new LimitBook(stores.transactions().read(stores.limits()::all), 0);
  }

  private static NewJob named(String name) {
    return new NewJob(Specs.job(name).build());
  }

  private Submitted submit(String name, RequestKey key) {
    return commands.submit(ana, world.project().name(), named(name), key, false);
  }

  private long stored() {
    return stores
        .jobs()
        .list(
            new JobFilter(
                ana.tenant(),
                null,
                List.of(),
                List.of(),
                null,
                null,
                new TreeMap<>(),
                null,
                JobFilter.Order.NEWEST,
                null,
                500))
        .jobs()
        .size();
  }

  @Test
  void aSubmittedJobIsStoredWithItsAuditRowAndWarnings() {
    Submitted submitted = submit("a", null);
    assertThat(submitted.warnings()).containsExactly("never fits");
    assertThat(world.job(submitted.job()).state()).isEqualTo(JobState.QUEUED);
    assertThat(stores.auditEntries())
        .extracting(AuditRecord::operation)
        .containsExactly("submitJob");
  }

  /** Fails when the tenant is looked at before the transaction that stores the job alone. */
  @ParameterizedTest
  @EnumSource(
      value = Tenant.State.class,
      names = {"ARCHIVING", "ARCHIVED"})
  void aTenantThatWasArchivedAMomentAgoGetsNoJob(Tenant.State state) {
    stores.tenants().update(world.tenant().in(state));

    assertThatThrownBy(() -> submit("late", null))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.ILLEGAL_STATE));
    assertThatThrownBy(
            () ->
                commands.submitAll(
                    ana, world.project().name(), List.of(named("later")), false, null, false))
        .isInstanceOf(Refusal.class);
    assertThat(stored()).isZero();
  }

  @Test
  void warningsAreFoundAfterTheCommitAndHoldNoLock() {
    // Fails when they are found inside: another thread then waits for the transaction to end.
    JobCommands checking =
        commands(
            stores.transactions(),
            () ->
                spec ->
                    List.of(
                        CompletableFuture.supplyAsync(() -> "stored: " + stored())
                            .orTimeout(10, TimeUnit.SECONDS)
                            .join()));
    Submitted one = checking.submit(ana, world.project().name(), named("a"), null, false);
    List<BatchResult> batch =
        checking.submitAll(
            ana, world.project().name(), List.of(named("b"), named("c")), true, null, false);
    assertThat(one.warnings()).containsExactly("stored: 1");
    assertThat(batch)
        .allSatisfy(
            item ->
                assertThat(((BatchResult.Accepted) item).submitted().warnings())
                    .containsExactly("stored: 3"));
  }

  @Test
  void aJobWithoutANameGetsOneThatCanBeSaid() {
    Job job = submit("", null).job();
    assertThat(job.name())
        .isEqualTo(JobNames.of(job.id()).getFirst())
        .matches("[a-z]+-[a-z]+-\\d+");
  }

  /** Fails when a name is chosen without a look at those that are taken, also in one batch. */
  @Test
  void aChosenNameThatIsTakenGivesWayToTheNextOfTheSameJob() {
    IdSource real = stores.ids();
    UUID next = real.next();
    List<String> names = JobNames.of(new JobId(next));
    submit(names.getFirst(), null);
    List<UUID> ids = new ArrayList<>(List.of(real.next(), next));
    JobCommands fixed =
        commands(
            stores.transactions(),
            () -> spec -> List.of(),
            () -> ids.isEmpty() ? real.next() : ids.removeFirst());

    List<BatchResult> results =
        fixed.submitAll(
            ana,
            world.project().name(),
            List.of(named(names.get(1)), named("")),
            true,
            null,
            false);

    Job second = ((BatchResult.Accepted) results.get(1)).submitted().job();
    assertThat(second.name()).isEqualTo(names.get(2));
  }

  /** Fails when the name of an ended job goes to a newer one: {@code dependsOn} finds that one. */
  @Test
  void aChosenNameIsNotOneOfAJobThatHasEnded() {
    IdSource real = stores.ids();
    UUID next = real.next();
    Job ended = submit(JobNames.of(new JobId(next)).getFirst(), null).job();
    commands.cancel(ana, ended.id());

    Job job =
        commands(stores.transactions(), () -> spec -> List.of(), () -> next)
            .submit(ana, world.project().name(), named(""), null, false)
            .job();

    assertThat(job.name()).isEqualTo(JobNames.of(job.id()).get(1));
    NewJob after = JobDependenciesTest.needing("after-it", ended.name());
    assertThat(
            commands
                .submit(ana, world.project().name(), after, null, false)
                .job()
                .spec()
                .dependsOn())
        .containsExactly(new Dependency(ended.id(), Dependency.Condition.ENDED));
  }

  /** Fails when the fleet is read for each item: each read may take a quarter of a second. */
  @Test
  void theFleetIsReadOnceForARequestAndNeverInItsTransaction() {
    List<Long> reads = new ArrayList<>();
    JobCommands counting =
        commands(
            stores.transactions(),
            () -> {
              reads.add(
                  CompletableFuture.supplyAsync(this::stored)
                      .orTimeout(10, TimeUnit.SECONDS)
                      .join());
              return spec -> List.of();
            });

    counting.submitAll(
        ana, world.project().name(), List.of(gpu("a"), gpu("b"), gpu("c")), true, null, false);
    assertThat(reads).as("for the warnings").containsExactly(3L);
    NewJob odd = new NewJob(Specs.job("d").gpu(GpuRequest.whole(1, "ODD9")).build());
    counting.submit(ana, world.project().name(), odd, null, false);
    assertThat(reads).as("a model that the catalogue lacks").containsExactly(3L, 3L);
  }

  private static NewJob gpu(String name) {
    return new NewJob(Specs.job(name).gpus(1).build());
  }

  /** Fails when a submitter who gave no name is refused because of one. */
  @Test
  void aChosenNameThatAnotherRequestTakesMeanwhileIsChosenAgain() {
    Job job =
        commands(new Raced(() -> {}))
            .submit(ana, world.project().name(), named(""), null, false)
            .job();
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    JobCommands raced = commands(new Raced(() -> {}));
    assertRefused(
        () -> raced.submit(ana, world.project().name(), named("nightly"), null, false),
        ProblemCode.NAME_IN_USE);
  }

  @Test
  void oneKeyMakesOneJob() {
    RequestKey key = new RequestKey("k", "hash");
    JobId first = submit("a", key).job().id();
    Submitted again = submit("a", key);
    assertThat(again.job().id()).isEqualTo(first);
    assertThat(again.replayed()).isTrue();
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void aKeyWithAnotherBodyIsRefused() {
    submit("a", new RequestKey("k", "hash"));
    assertRefused(
        () -> submit("b", new RequestKey("k", "other")), ProblemCode.IDEMPOTENCY_KEY_REUSED);
  }

  @Test
  void anActiveNameIsTakenAndFreeAgainWhenTheJobHasEnded() {
    Job first = submit("a", null).job();
    assertRefused(() -> submit("a", null), ProblemCode.NAME_IN_USE);
    commands.cancel(ana, first.id());
    assertThat(submit("a", null).job().id()).isNotEqualTo(first.id());
  }

  @Test
  void aDryRunStoresNothing() {
    commands.submit(ana, world.project().name(), named("a"), new RequestKey("k", "h"), true);
    assertThat(stored()).isZero();
    assertThat(submit("a", new RequestKey("k", "h")).replayed()).isFalse();
  }

  @Test
  void anUnknownProjectOrQueueIsNamed() {
    assertRefused(
        () -> commands.submit(ana, "nowhere", named("a"), null, false), ProblemCode.NOT_FOUND);
    JobSpec elsewhere = Specs.job("a").build().named("a", "no-such-queue");
    assertRefused(
        () -> commands.submit(ana, world.project().name(), new NewJob(elsewhere), null, false),
        ProblemCode.INVALID_FIELD);
    assertThat(stored()).isZero();
  }

  @Test
  void anAtomicBatchIsAllOrNothing() {
    List<NewJob> twice = List.of(named("a"), named("b"), named("a"));
    List<BatchResult> results =
        commands.submitAll(ana, world.project().name(), twice, true, null, false);
    assertThat(results)
        .filteredOn(BatchResult.Refused.class::isInstance)
        .extracting(BatchResult::index)
        .containsExactly(2);
    assertThat(stored()).isZero();
  }

  @Test
  void aBatchOfSingleItemsKeepsWhatIsGood() {
    List<NewJob> twice = List.of(named("a"), named("b"), named("a"));
    commands.submitAll(ana, world.project().name(), twice, false, null, false);
    assertThat(stored()).isEqualTo(2);
  }

  @Test
  void anEndedJobCannotBeCancelledButACancelledOneMayBeAgain() {
    Job job = submit("a", null).job();
    commands.cancel(ana, job.id());
    assertThat(commands.cancel(ana, job.id()).state()).isEqualTo(JobState.CANCELLED);
    Job done = submit("b", null).job();
    world.succeed(world.run(world.place(done)));
    assertRefused(() -> commands.cancel(ana, done.id()), ProblemCode.ILLEGAL_STATE);
  }

  @Test
  void aJobOfAnotherTenantIsNotFound() {
    Job job = submit("a", null).job();
    Actor stranger = new Actor(TestWorld.in(stores).tenant().id(), "eve", Role.TENANT_MEMBER);
    assertRefused(() -> commands.cancel(stranger, job.id()), ProblemCode.NOT_FOUND);
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
  }

  private static void assertRefused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, ProblemCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refusal.class, r -> assertThat(r.code()).isEqualTo(code));
  }

  /** Loses the database during the next commit. */
  private final class Lossy implements Transactions {
    private final boolean stored;
    private boolean lost;

    Lossy(boolean stored) {
      this.stored = stored;
    }

    @Override
    public <T> T call(Supplier<T> work) {
      if (lost) {
        return stores.transactions().call(work);
      }
      lost = true;
      if (stored) {
        T unanswered = stores.transactions().call(work);
        assertThat(unanswered).isNotNull();
      }
      throw new UnknownOutcome(new IllegalStateException("connection lost"));
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      return stores.transactions().callFenced(lease, work);
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return stores.transactions().read(work);
    }
  }

  private Submitted submitOver(Lossy lossy, RequestKey key) {
    return commands(lossy).submit(ana, world.project().name(), named("a"), key, false);
  }

  /** Fails when the request is only answered with an error. */
  @Test
  void aCommitWhoseAnswerWasLostIsFoundByTheIdOfTheJob() {
    Submitted submitted = submitOver(new Lossy(true), null);
    assertThat(world.job(submitted.job()).name()).isEqualTo("a");
    assertThat(stored()).isEqualTo(1);
  }

  /** Fails when the key is not asked for before the job is written again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCommitOfUnknownOutcomeIsResolvedByItsKey(boolean committed) {
    RequestKey key = new RequestKey("key", "hash");
    Submitted submitted = submitOver(new Lossy(committed), key);
    assertThat(stored()).isEqualTo(1);
    assertThat(submit("a", key).job().id()).isEqualTo(submitted.job().id());
  }

  /** The first transaction meets a name that was taken meanwhile; the same request comes again. */
  private final class Raced implements Transactions {
    private final Runnable again;
    private int calls;

    Raced(Runnable again) {
      this.again = again;
    }

    @Override
    public <T> T call(Supplier<T> work) {
      calls++;
      if (calls == 1) {
        return stores
            .transactions()
            .call(
                () -> {
                  assertThat(work.get()).isNotNull();
                  throw new Conflict(Conflict.Guard.NAME_TAKEN, "nightly");
                });
      }
      if (calls == 2) {
        again.run();
      }
      return stores.transactions().call(work);
    }

    @Override
    public <T> T callFenced(HeldLease lease, Supplier<T> work) {
      return stores.transactions().callFenced(lease, work);
    }

    @Override
    public <T> T read(Supplier<T> work) {
      return stores.transactions().read(work);
    }
  }

  @Test
  void aBatchThatLosesANameAndComesAgainWithItsKeyHasOneEffect() {
    // Fails when items are stored after the race without the key being held.
    RequestKey key = new RequestKey("key", "hash");
    List<NewJob> wanted = List.of(named(""), named("nightly"), named(""));
    Supplier<List<BatchResult>> repeated =
        () -> commands.submitAll(ana, world.project().name(), wanted, false, key, false);

    List<BatchResult> first =
        commands(new Raced(() -> assertThat(repeated.get()).hasSize(3)))
            .submitAll(ana, world.project().name(), wanted, false, key, false);

    assertThat(stored()).isEqualTo(3);
    assertThat(ids(repeated.get())).isEqualTo(ids(first));
  }

  @Test
  void aBatchThatLosesANameIsStoredWithoutItInOneTransaction() {
    Runnable other = () -> submit("nightly", null);
    List<NewJob> wanted = List.of(named(""), named("nightly"), named(""));

    List<BatchResult> results =
        commands(new Raced(other))
            .submitAll(ana, world.project().name(), wanted, false, null, false);

    assertThat(results)
        .filteredOn(BatchResult.Refused.class::isInstance)
        .extracting(BatchResult::index)
        .containsExactly(1);
    assertThat(stored()).isEqualTo(3);
  }

  private static List<String> ids(List<BatchResult> results) {
    return results.stream()
        .map(r -> ((BatchResult.Accepted) r).submitted().job().id().text())
        .toList();
  }

  private void limit(@Nullable Project project, long activeJobs) {
    stores
        .transactions()
        .run(
            () -> {
              SetLimits set =
                  stores
                      .limits()
                      .of(world.tenant().id(), project == null ? null : project.id())
                      .with(new TreeMap<>(Map.of(Limit.ACTIVE_JOBS, activeJobs)));
              stores.limits().put(set);
            });
  }

  /** Fails when a repeated request is refused by a limit that was lowered since. */
  @Test
  void aRepeatedSubmitIsAnsweredBeforeItsSizeCounts() {
    JobSpec spec = Specs.job("large").build();
    Refusal size = new Refusal(ProblemCode.LIMIT_EXCEEDED, "too large");
    String project = world.project().name();
    RequestKey key = new RequestKey("once", "same");
    Submitted first = commands.submit(ana, project, new NewJob(spec), key, false);

    NewJob now = new NewJob(spec, List.of(), size);

    assertThat(commands.submit(ana, project, now, key, false).job().id())
        .isEqualTo(first.job().id());
    assertThatThrownBy(() -> commands.submit(ana, project, now, null, false)).isSameAs(size);
  }

  /** Fails when the limit of the project does not bound its active jobs. */
  @Test
  void aProjectTakesNoMoreJobsThanItsLimit() {
    limit(world.project(), 1);
    submit("first", null);

    assertThatThrownBy(() -> submit("second", null))
        .isInstanceOfSatisfying(
            Refusal.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED);
              assertThat(refusal)
                  .hasMessageContaining("has 1 active jobs of at most 1, and this adds 1")
                  .hasMessageContaining("limit activeJobs of the project");
            });
  }

  /** Fails when the jobs of other projects do not count in the limit of the tenant. */
  @Test
  void allProjectsOfATenantTakeNoMoreJobsThanItsLimit() {
    Project other = world.newProject("other");
    stores.transactions().run(() -> stores.tenants().insert(other));
    limit(null, 2);
    submit("first", null);
    commands.submit(ana, other.name(), named("second"), null, false);

    assertThatThrownBy(() -> commands.submit(ana, other.name(), named("third"), null, false))
        .hasMessageContaining("has 2 active jobs of at most 2")
        .hasMessageContaining("an operator of the platform can raise");
  }

  /** Fails when a user lets more jobs wait in a queue than it allows, or when others pay for it. */
  @Test
  void aUserLetsNoMoreJobsWaitInAQueueThanItAllows() {
    stores.transactions().run(() -> world.limitUsers(new UserLimits(null, null, 2)));
    submit("first", null);
    List<BatchResult> batch =
        commands.submitAll(
            ana,
            world.project().name(),
            List.of(named("second"), named("third")),
            false,
            null,
            false);

    assertThat(batch.getFirst()).isInstanceOf(BatchResult.Accepted.class);
    assertThat(batch.getLast()).isInstanceOf(BatchResult.Refused.class);
    assertThatThrownBy(() -> submit("fourth", null))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED))
        .hasMessageContaining("has 2 of 2 jobs waiting in queue");
    Actor bo = new Actor(world.tenant().id(), "bo", Role.TENANT_MEMBER);
    commands.submit(bo, world.project().name(), named("of-bo"), null, false);
  }
}
