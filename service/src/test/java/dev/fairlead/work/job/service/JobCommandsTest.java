package dev.fairlead.work.job.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.job.submit.JobNames;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JobCommandsTest extends SubmitFixture {

  @Test
  void aSubmittedJobIsStoredWithItsAuditRowAndWarnings() {
    Submitted submitted = submit("a", null);
    assertThat(submitted.warnings()).containsExactly("never fits");
    assertThat(world.job(submitted.job()).state()).isEqualTo(JobState.QUEUED);
    assertThat(stores.auditEntries())
        .extracting(AuditRecord::operation)
        .containsExactly("submitJob");
  }

  /** Fails when the tenant is checked only before the transaction that stores the job. */
  @ParameterizedTest
  @EnumSource(
      value = Tenant.State.class,
      names = {"ARCHIVING", "ARCHIVED"})
  void justArchivedTenantGetsNoJob(Tenant.State state) {
    stores.tenants().update(world.tenant().in(state));

    assertThatThrownBy(() -> submit("late", null))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.ILLEGAL_STATE));
    assertThatThrownBy(() ->
            commands.submitAll(
                ana, world.project().name(), List.of(named("later")), false, null, false))
        .isInstanceOf(Refusal.class);
    assertThat(stored()).isZero();
  }

  @Test
  void warningsAreFoundAfterTheCommitAndHoldNoLock() {
    // Fails when warnings are computed inside: another thread then waits for the transaction to
    // end.
    JobCommands checking =
        commands(
            stores.transactions(),
            () ->
                spec ->
                    List.of(
                        CompletableFuture.supplyAsync(() -> "stored: " + stored())
                            .orTimeout(60, TimeUnit.SECONDS)
                            .join()));
    Submitted one = checking.submit(ana, world.project().name(), named("a"), null, false);
    List<BatchResult> batch =
        checking.submitAll(
            ana, world.project().name(), List.of(named("b"), named("c")), true, null, false);
    assertThat(one.warnings()).containsExactly("stored: 1");
    assertThat(batch)
        .allSatisfy(item ->
            assertThat(((BatchResult.Accepted) item).submitted().warnings())
                .containsExactly("stored: 3"));
  }

  @Test
  void unnamedJobGetsAPronounceableName() {
    Job job = submit("", null).job();
    assertThat(job.name())
        .isEqualTo(JobNames.of(job.id()).getFirst())
        .matches("[a-z]+-[a-z]+-\\d+");
  }

  /** Fails when a name is generated without a check of existing ones, also in one batch. */
  @Test
  void generatedNameAlreadyTakenIsReplacedByTheNext() {
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

  /** Fails when a newer job gets the name of an ended one: {@code dependsOn} finds that one. */
  @Test
  void generatedNameIsNeverThatOfAnEndedJob() {
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
  void fleetIsReadOncePerRequestOutsideItsTransaction() {
    List<Long> reads = new ArrayList<>();
    JobCommands counting =
        commands(
            stores.transactions(),
            () -> {
              reads.add(
                  CompletableFuture.supplyAsync(this::stored)
                      .orTimeout(60, TimeUnit.SECONDS)
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

  @Test
  void sameKeyYieldsOneJob() {
    RequestKey key = new RequestKey("k", "hash");
    JobId first = submit("a", key).job().id();
    Submitted again = submit("a", key);
    assertThat(again.job().id()).isEqualTo(first);
    assertThat(again.replayed()).isTrue();
    assertThat(stored()).isEqualTo(1);
  }

  @Test
  void keyWithAnotherBodyIsRejected() {
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
  void batchOfIndependentItemsStoresTheValidOnes() {
    List<NewJob> twice = List.of(named("a"), named("b"), named("a"));
    commands.submitAll(ana, world.project().name(), twice, false, null, false);
    assertThat(stored()).isEqualTo(2);
  }

  /** Fails when each job of a request has a separate audit row. */
  @Test
  void aBatchHasOneAuditRowWithAllItsJobs() {
    commands.submitAll(
        ana, world.project().name(), List.of(named("a"), named("b")), true, null, false);

    List<String> ids =
        stores.jobs().list(JobFilter.newest(world.tenant().id(), null, null, 10)).jobs().stream()
            .map(job -> job.id().text())
            .sorted()
            .toList();
    AuditRecord row = stores.auditEntries().getFirst();
    assertThat(stores.auditEntries()).hasSize(1);
    assertThat(row.operation()).isEqualTo("submitJob");
    assertThat(row.subject()).isEqualTo(ids.getFirst());
    assertThat(row.count()).isEqualTo(2);
    assertThat(row.detail())
        .containsEntry("jobs", ids)
        .containsEntry("hashed", "jobs")
        .containsKey("afterHash");
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

  /** Fails when a job is rejected although a new cluster has just added its GPU model. */
  @Test
  void modelAddedSinceTheFleetWasReadIsKnown() {
    JobCommands commands = commands(stores.transactions(), new Arriving("A10", "T4X"));

    assertThat(commands.submit(ana, world.project().name(), wanting("T4X"), null, false).warnings())
        .isEmpty();
    assertThatThrownBy(
            () -> commands.submit(ana, world.project().name(), wanting("T4Y"), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("Models here: A10, T4X");
  }

  /** Fails when a part of a product's name is refused, or matches one of several products. */
  @Test
  void partialNameOfOneProductInTheFleetMatchesIt() {
    JobCommands commands =
        commands(stores.transactions(), new Arriving("NVIDIA-X900-PCIe", "ACME-Z1", "ACME-Z2"));

    assertThat(
            commands.submit(ana, world.project().name(), wanting("X900"), null, false).warnings())
        .isEmpty();
    assertThatThrownBy(
            () -> commands.submit(ana, world.project().name(), wanting("ACME"), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("match \"ACME\": ACME-Z1, ACME-Z2. Name one of them.");
  }

  /** Fails when the job is accepted, and waits until its owner asks why. */
  @Test
  void jobOnAClusterWithoutThePodGroupsOfItsBackendIsRefusedWithTheCommandThatInstallsThem() {
    String absent = PodGroupApi.named("scheduling.volcano.sh/v1beta1").orElseThrow().absent();
    FeasibilityCheck.OfFleet fleet =
        new FeasibilityCheck.OfFleet() {
          @Override
          public List<String> warnings(Job job) {
            return List.of();
          }

          @Override
          public SortedMap<String, String> stoppedBackends() {
            return new TreeMap<>(Map.of("volcano-1", absent));
          }
        };
    JobCommands commands = commands(stores.transactions(), () -> fleet);

    assertThatThrownBy(
            () -> commands.submit(ana, world.project().name(), on("volcano-1"), null, false))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused -> {
              assertThat(refused.problems().getFirst().pointer()).isEqualTo("/placement/clusters");
              assertThat(refused)
                  .hasMessageContaining("Cluster volcano-1 cannot start the job")
                  .hasMessageContaining("helm install volcano")
                  .hasMessageContaining("name another cluster");
            });
    assertThat(
            commands
                .submit(ana, world.project().name(), on("volcano-1", "own-1"), null, false)
                .job()
                .state())
        .isEqualTo(JobState.QUEUED);
  }

  private static NewJob on(String... clusters) {
    JobSpec spec = Specs.job("on-" + clusters.length).build();
    return new NewJob(spec.withPlacement(spec.placement().withClusters(List.of(clusters))));
  }

  private static NewJob wanting(String model) {
    return new NewJob(
        Specs.job("on-" + model.toLowerCase(Locale.ROOT)).gpu(GpuRequest.whole(1, model)).build());
  }

  /** A fleet of A10 at the time of the read, and of these models since. */
  private static final class Arriving implements FeasibilityCheck {
    private final String[] now;

    Arriving(String... now) {
      this.now = now;
    }

    @Override
    public OfFleet now() {
      return of("A10");
    }

    @Override
    public OfFleet afresh() {
      return of(now);
    }

    private static OfFleet of(String... models) {
      return new OfFleet() {
        @Override
        public List<String> warnings(Job job) {
          return List.of();
        }

        @Override
        public SortedSet<String> models() {
          return new TreeSet<>(List.of(models));
        }
      };
    }
  }
}
