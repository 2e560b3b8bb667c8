package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.LearnedWaits;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.progress.WatchedAttempt;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Learning of runs and waits, and the resulting estimates. */
class StartEstimatesTest {
  private static final Duration RUN = Duration.ofMinutes(10);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private long nanos;
  private final Leases leases =
      new Leases(
          stores.leases(),
          new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)),
          () -> nanos,
          "me");
  private final StartEstimates estimates =
      new StartEstimates(
          stores.transactions(),
          stores.activeJobs(),
          stores.explanations(),
          stores.progress(),
          leases);
  private final ExplanationKeeper explanations =
      new ExplanationKeeper(stores.transactions(), stores.explanations(), leases);
  private final HeldLease lease = stores.leases().create(SchedulerLoop.LEASE, "me").orElseThrow();

  @Test
  void jobGetsAStartEstimateOnceEnoughIsKnown() {
    world.run(world.place(submit("holds"), 0, "node-2"));
    Job waits = submit("first");
    Attempt runs = world.run(world.place(waits, 0, "node-1"));
    for (int i = 0; i <= LearnedWaits.FEWEST + 1; i++) {
      assertThat(expected(waits)).as("after %d starts", i).isNull();
      waits = submit("waits" + i);
      pass(LearnedWaits.WAITED.plusSeconds(30));
      turn();
      if (i <= LearnedWaits.FEWEST) {
        pass(RUN);
        world.succeed(runs);
        runs = world.run(world.place(waits, 0, "node-1"));
        turn();
      }
    }

    ExpectedStart start = expected(waits);

    assertThat(start).isNotNull();
    assertThat(start.starts()).isEqualTo(LearnedWaits.FEWEST);
    assertThat(start.runs()).isEqualTo(LearnedWaits.FEWEST + 1);
    assertThat(start.p90()).isAfter(start.p50());
    assertThat(start.p50()).isAfter(world.now());
    assertThat(estimates.expected(waits, world.now(), world.now().plus(RUN), 1))
        .as("what a plan is told")
        .isNotNull();
    estimates.forget();
    assertThat(estimates.expected(waits, world.now(), world.now().plus(RUN), 1))
        .as("another process schedules")
        .isNull();
  }

  /** Fails when each plan pays for a play of the queues. */
  @Test
  void estimatesAreUpdatedAtMostEveryThirtySeconds() {
    world.succeed(running("runs"));
    submit("waits");
    pass(LearnedWaits.WAITED.plusSeconds(1));

    assertThat(estimates.runtimes(lease, stores.world().read())).isNotNull();
    assertThat(estimates.runtimes(lease, stores.world().read())).isNull();

    nanos += StartEstimates.EVERY.toNanos();
    assertThat(estimates.runtimes(lease, stores.world().read())).isNotNull();
  }

  @Test
  void noSimulationRunsWhileNoJobWaitsForAMinute() {
    world.succeed(running("runs"));
    submit("waits");

    assertThat(estimates.runtimes(lease, stores.world().read())).isNull();
  }

  /** Fails when each plan reads the reports, or reports are never read again. */
  @Test
  void reportedProgressIsReadAtMostEveryHalfMinuteWhileJobsWait() {
    Attempt runs = reporting("runs");
    watch(runs);
    reports(runs, 0);
    pass(Duration.ofSeconds(100));
    reports(runs, 10);
    assertThat(estimates.reportedEnds(stores.world().read())).as("no job waits").isEmpty();

    submit("waits");
    Instant end = world.now().plusSeconds(900);
    assertThat(estimates.reportedEnds(stores.world().read())).containsEntry(runs.id(), end);
    stores.advance(Duration.ofSeconds(100));
    reports(runs, 11);
    assertThat(estimates.reportedEnds(stores.world().read())).containsEntry(runs.id(), end);
    nanos += StartEstimates.EVERY.toNanos();
    assertThat(estimates.reportedEnds(stores.world().read()).get(runs.id())).isAfter(end);
  }

  /** Fails when reports of ended attempts displace reports of live attempts. */
  @Test
  void onlyReportsOfLiveAttemptsAreRead() {
    Attempt ended = reporting("ends");
    watch(ended);
    reports(ended, 0);
    pass(Duration.ofSeconds(100));
    reports(ended, 10);
    world.succeed(ended);
    Attempt runs = reporting("runs");
    watch(runs);
    reports(runs, 0);
    pass(Duration.ofSeconds(100));
    reports(runs, 10);
    submit("waits");

    assertThat(estimates.reportedEnds(stores.world().read())).containsOnlyKeys(runs.id());
  }

  /** Fails when the oldest attempts of one project take the slots of all others. */
  @Test
  void projectsShareTheReportsThatAreRead() {
    List<World.LiveAttempt> live = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      live.add(live(Specs.job("crowd" + i).progress(RUN), world.project()));
    }
    World.LiveAttempt alone = live(Specs.job("alone").progress(RUN), world.newProject("second"));
    live.add(alone);
    live.add(live(Specs.job("silent"), world.newProject("third")));

    assertThat(StartEstimates.reporting(live, 3))
        .containsExactlyInAnyOrder(
            live.get(0).attempt().id(), live.get(1).attempt().id(), alone.attempt().id());
    assertThat(StartEstimates.reporting(live, 100)).as("that can report").hasSize(7);
  }

  private World.LiveAttempt live(Specs spec, Project project) {
    Job job = world.newJob(spec.build(), project, world.queue());
    return new World.LiveAttempt(world.attempt(job, 0, List.of()), job);
  }

  private void watch(Attempt runs) {
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().withCallback("https://fairlead.example.com")),
            null);
    stores
        .progress()
        .begin(
            List.of(
                new WatchedAttempt(
                    runs.id(),
                    runs.job(),
                    world.tenant().id(),
                    runs.cluster(),
                    Duration.ofHours(1),
                    world.now(),
                    null)));
  }

  private void reports(Attempt runs, long step) {
    Progress progress = new Progress(step, 100L, Collections.emptySortedMap());
    assertThat(stores.progress().called(world.tenant().id(), runs.id(), progress, world.now()))
        .isTrue();
  }

  private Attempt running(String name) {
    Attempt runs = world.run(world.place(submit(name), 0, "node-1"));
    pass(RUN);
    return runs;
  }

  private Attempt reporting(String name) {
    Job job = world.submit(Specs.job(name).gpus(8).progress(Duration.ofHours(1)));
    return world.run(world.place(job, 0, "node-1"));
  }

  private Job submit(String name) {
    return world.submit(Specs.job(name).gpus(8));
  }

  private void pass(Duration time) {
    stores.advance(time);
    nanos += time.toNanos();
  }

  /** Runs one cycle of the scheduler that places no job. */
  private void turn() {
    World read = stores.world().read();
    LearnedRuntimes runtimes = estimates.runtimes(lease, read);
    Plan plan =
        new SchedulingEngine()
            .plan(new Snapshot(read, List.of(), List.of(), Snapshot.WORK_BUDGET, runtimes));
    explanations.keep(lease, plan);
    estimates.keep(lease, read, plan);
  }

  private ExpectedStart expected(Job job) {
    return stores.explanations().of(job.id()).map(stored -> stored.expected()).orElse(null);
  }
}
