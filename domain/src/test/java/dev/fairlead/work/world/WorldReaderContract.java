package dev.fairlead.work.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The world that every {@link WorldReader} returns to the scheduler. */
public abstract class WorldReaderContract extends PendingJobsContract {

  @Test
  void theWorldHoldsClustersNodesQuotaAndUse() {
    world.run(world.place(world.submit(Specs.job("runs").gpus(2)), 0, "node-1"));

    World read = stores.world().read();

    assertThat(read.clusters()).contains(world.cluster());
    assertThat(read.nodes()).contains(world.node("node-1"), world.node("node-2"));
    assertThat(read.quotaNodes()).contains(world.root(), world.queue());
    List<QuotaUse> uses =
        stores.quotas().uses(world.tenant().id()).stream().filter(u -> u.used() != 0).toList();
    assertThat(uses).isNotEmpty();
    assertThat(read.quotaUses()).containsAll(uses);
  }

  @Test
  void nodesThatFailedAnAttemptAreListedWithItsCause() {
    Job job = world.submit(Specs.job("refused"));
    Job broken = world.submit(Specs.job("broken"));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.PLACEMENT_CONFLICT);
    world.fail(world.run(world.place(broken, 0, "node-2")), FailureCause.USER_ERROR);

    assertThat(stores.world().read().placeFailures())
        .filteredOn(f -> f.job().equals(job.id()) || f.job().equals(broken.id()))
        .satisfiesExactly(f -> {
          assertThat(f.node()).isEqualTo(world.node("node-1").id());
          assertThat(f.cause()).isEqualTo(FailureCause.PLACEMENT_CONFLICT);
        });
  }

  /** Fails when a WorldReader ignores HealthStore.released for nodes with failures. */
  @Test
  void failureBeforeTheReleaseOfItsNodeIsIgnored() {
    Job before = world.submit(Specs.job("before"));
    Job after = world.submit(Specs.job("after"));
    Attempt placed = world.place(before, 0, "node-1");
    Node node = world.node("node-1");
    stores.advance(Duration.ofSeconds(2));
    Instant released = world.now();
    Quarantine quarantine =
        Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            node.cluster(),
            node.id(),
            "XID 79",
            "ana",
            released.minusSeconds(1),
            null);
    stores.health().write(quarantine.released(released, "ana: board exchanged"));
    stores.advance(Duration.ofSeconds(2));
    world.fail(world.run(placed), FailureCause.NODE_FAILURE);
    world.fail(world.run(world.place(after, 0, "node-1")), FailureCause.NODE_FAILURE);

    assertThat(stores.world().read().placeFailures())
        .extracting(PlaceFailure::job)
        .contains(after.id())
        .doesNotContain(before.id());
  }

  /**
   * Fails when a node that passed its repair is avoided because of a test that failed before it.
   */
  @Test
  void failedTestBeforeTheReleaseOfItsNodeIsIgnored() {
    Job waits =
        world.submit(
            Specs.job("waits")
                .gpus(8)
                .preflight("dcgm", Duration.ofMinutes(2), PreflightSpec.OnUntested.WAIT));
    Node repaired = world.node("node-1");
    Node broken = world.node("node-2");
    failedTest(waits, repaired);
    failedTest(waits, broken);
    stores.advance(Duration.ofSeconds(2));
    Instant released = world.now();
    Quarantine quarantine =
        Quarantine.begun(
            new QuarantineId(stores.ids().next()),
            repaired.cluster(),
            repaired.id(),
            "health test",
            "ana",
            released.minusSeconds(1),
            null);
    stores.health().write(quarantine.released(released, "ana: board exchanged"));
    stores.advance(Duration.ofSeconds(2));

    assertThat(failedFor(waits)).containsExactly(broken.id());
    failedTest(waits, repaired);
    assertThat(failedFor(waits)).containsExactlyInAnyOrder(repaired.id(), broken.id());
  }

  private void failedTest(Job job, Node node) {
    HealthTestRun run =
        HealthTestRun.of(new HealthTestRunId(stores.ids().next()), "dcgm", node, null, world.now())
            .of(new HealthTestRun.Demand(job.id(), 0, world.now(), 8, false));
    stores.healthTests().insert(run);
    stores.healthTests().update(run.ended(HealthTestOutcome.FAILED, "XID 79", world.now()));
  }

  private List<NodeId> failedFor(Job job) {
    return stores.world().read().preflights().stream()
        .filter(test -> test.of().job().equals(job.id()))
        .map(Preflight::node)
        .toList();
  }

  /** Fails when a run that a machine ended, or a running job, counts as a run. */
  @Test
  void onlyRunsThatEndedByThemselvesFeedTheEstimates() {
    Instant before = world.now().minusSeconds(1);
    Job good = world.submit(Specs.job("good").gpus(2));
    Job bad = world.submit(Specs.job("bad").gpus(1));
    Job broken = world.submit(Specs.job("broken").gpus(1));
    Attempt runs = world.run(world.place(good, 0, "node-1"));
    Attempt fails = world.run(world.place(bad, 0, "node-1"));
    Attempt lost = world.run(world.place(broken, 0, "node-2"));
    world.run(world.place(world.submit(Specs.job("runs").gpus(1)), 0, "node-2"));
    stores.advance(Duration.ofMinutes(5));
    world.succeed(runs);
    world.fail(fails, FailureCause.CONFIGURATION);
    world.fail(lost, FailureCause.NODE_FAILURE);

    List<LearnedRuntimes.Run> learned =
        stores.activeJobs().endedRuns(before, 100).stream()
            .filter(run -> run.group().project().equals(good.project()))
            .toList();

    assertThat(learned)
        .extracting(LearnedRuntimes.Run::group)
        .containsExactlyInAnyOrder(RunGroup.of(good), RunGroup.of(bad));
    assertThat(learned)
        .allSatisfy(
            run -> assertThat(run.took()).isBetween(Duration.ofMillis(1), Duration.ofMinutes(6)));
    assertThat(stores.activeJobs().endedRuns(world.now().plusSeconds(60), 100)).isEmpty();
  }

  @Test
  void multiNodeAttemptWithoutANamedNodeBlamesNoNode() {
    Job gang = world.submit(Specs.job("gang").workers(2));
    world.fail(launched(world.place(gang)), FailureCause.START_TIMEOUT);

    assertThat(stores.world().read().placeFailures()).noneMatch(f -> f.job().equals(gang.id()));
  }

  private Attempt launched(Attempt attempt) {
    return world.apply(attempt, new AttemptEvent.Launch());
  }

  /** Fails when programs without progress reports close healthy nodes for others. */
  @Test
  void attemptThatStartedAndFellSilentBlamesNoNode() {
    Job silent = world.submit(Specs.job("silent"));
    Job late = world.submit(Specs.job("late"));
    world.fail(world.run(world.place(silent, 0, "node-1")), FailureCause.START_TIMEOUT);
    world.fail(launched(world.place(late, 0, "node-2")), FailureCause.START_TIMEOUT);

    assertThat(stores.world().read().placeFailures())
        .filteredOn(f -> f.job().equals(silent.id()) || f.job().equals(late.id()))
        .singleElement()
        .extracting(PlaceFailure::job)
        .isEqualTo(late.id());
  }

  /** Fails when a cached spec is never read again. */
  @Test
  void patchedSpecIsReadAgain() {
    Job waits = world.submit(Specs.job("waits"));
    Job runs = world.submit(Specs.job("runs"));
    Attempt attempt = world.run(world.place(runs));
    World _ = stores.world().read();
    Duration longer = Duration.ofHours(9);
    for (Job job : List.of(waits, runs)) {
      JobSpec spec = Specs.job(job.name()).maxRuntime(longer).build();
      world.append(
          OwnerTransitions.patch(
              world.job(job), spec.named(job.name(), "q"), List.of("maxRuntime"), "ana"));
    }

    World read = stores.world().read();

    assertThat(read.pending())
        .filteredOn(p -> p.job().id().equals(waits.id()))
        .singleElement()
        .satisfies(p -> assertThat(p.job().spec().maxRuntime()).isEqualTo(longer));
    assertThat(read.live())
        .filteredOn(l -> l.attempt().id().equals(attempt.id()))
        .singleElement()
        .satisfies(l -> assertThat(l.job().spec().maxRuntime()).isEqualTo(longer));
  }

  /**
   * Fails when the world of a process grows with the programs of jobs: a few hundred of them
   * exhausted its memory.
   */
  @Test
  void worldContainsNoProgramOfAJob() {
    SortedMap<String, String> env = new TreeMap<>(Map.of("LONG", "y".repeat(60_000)));
    Job waits = world.submit(world.newJob(large("waits", env)));
    Attempt runs = world.run(world.place(world.submit(world.newJob(large("runs", env)))));

    World read = stores.world().read();

    assertThat(world.job(waits).spec().roles().getFirst().env()).isEqualTo(env);
    assertThat(read.pending())
        .filteredOn(p -> p.job().id().equals(waits.id()))
        .singleElement()
        .satisfies(p -> assertThat(p.job()).isEqualTo(seen(waits)));
    assertThat(read.live())
        .filteredOn(l -> l.attempt().id().equals(runs.id()))
        .singleElement()
        .satisfies(l -> assertThat(l.job().spec().toString()).doesNotContain("LONG", "secret-a"));
  }

  /** Fails when a WorldReader drops the labels of waiting or running jobs, or their terms. */
  @Test
  void worldContainsLabelsAndTermsOfNeighbouringJobs() {
    SortedMap<String, String> cache = new TreeMap<>(Map.of("app", "cache"));
    PlacementSpec near =
        PlacementSpec.ANYWHERE
            .with()
            .near(List.of(new PlacementSpec.JobTerm(cache, "rack")))
            .away(List.of(new PlacementSpec.JobTerm(cache, "host")))
            .build();
    Job waits = world.submit(Specs.job("waits").label("team", "a").placement(near));
    Attempt runs = world.run(world.place(world.submit(Specs.job("runs").label("app", "cache"))));

    World read = stores.world().read();

    assertThat(read.pending())
        .filteredOn(p -> p.job().id().equals(waits.id()))
        .singleElement()
        .satisfies(p -> {
          assertThat(p.job().spec().placement()).isEqualTo(near);
          assertThat(p.job().spec().labels()).isEqualTo(Map.of("team", "a"));
        });
    assertThat(read.live())
        .filteredOn(l -> l.attempt().id().equals(runs.id()))
        .singleElement()
        .satisfies(l -> assertThat(l.job().spec().labels()).isEqualTo(cache));
  }

  private static JobSpec large(String name, SortedMap<String, String> env) {
    JobSpec spec = Specs.job(name).label("team", "a").annotation("note", "b").build();
    RoleSpec role = spec.roles().getFirst();
    SortedMap<String, RoleSpec.SecretKey> secrets =
        new TreeMap<>(Map.of("KEY", new RoleSpec.SecretKey("secret-a", "k")));
    return spec.with(
        List.of(
            RoleSpec.single(
                role.name(), role.image(), role.command(), env, secrets, 1_000, 2_048, 64)));
  }

  /** Fails when the world has no reservations, or has expired reservations. */
  @Test
  void worldContainsActiveDomainQuarantines() {
    DomainQuarantine rack =
        new DomainQuarantine(
            new DomainQuarantineId(stores.ids().next()),
            world.cluster().id(),
            "rack",
            "r7",
            "cooling fails",
            "olga",
            world.now().truncatedTo(ChronoUnit.MICROS),
            null,
            null,
            null,
            1);
    stores.health().write(rack);
    assertThat(stores.world().read().domainQuarantines()).contains(rack);

    stores.health().write(rack.released(world.now(), "olga: cooled again"));
    assertThat(stores.world().read().domainQuarantines())
        .extracting(DomainQuarantine::id)
        .doesNotContain(rack.id());
  }

  @Test
  void retiredNodesAreOmitted() {
    world.report(NodeReports.node("node-1").build());

    assertThat(stores.world().read().nodes())
        .filteredOn(n -> n.cluster().equals(world.cluster().id()))
        .extracting(n -> n.name())
        .containsExactly("node-1");
  }

  @Test
  void worldIsOneSnapshot() {
    Job job = world.submit(Specs.job("waits"));

    World read =
        stores
            .transactions()
            .call(() -> {
              world.place(job);
              return stores.world().read();
            });

    assertThat(read.pending()).noneMatch(p -> p.job().id().equals(job.id()));
    assertThat(read.live()).anyMatch(l -> l.job().id().equals(job.id()));
  }
}
