package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.raypool.service.RayPoolLoop;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.workload.MemberEnvironment;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ray clusters of a pool, and the jobs that run inside them. */
class RayPoolJourneyTest {
  private static final Duration TTL = Duration.ofMinutes(2);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private Specs gang = Specs.job("").gpus(8).workers(2).launcher("ray").run("sleep infinity");
  private String queue = "";
  private final RayPoolLoop loop =
      new RayPoolLoop(
          fairlead.leases(),
          stores.configs(),
          stores.tenants(),
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          FairleadSubmits.of(fairlead),
          new Bodies(),
          stores.transactions());

  /** The Ray cluster of the pool, instead of its JSON. */
  private final class Bodies implements JobReader {
    @Override
    public JobSpec read(Actor actor, String project, String json) {
      return gang.build().with().queue(queue).build();
    }

    @Override
    public Map<String, Object> shown(String json) {
      return Map.of();
    }
  }

  private void pool(int min, int max, int jobs) {
    put(
        new WarmPool(
            "small",
            fairlead.project().name(),
            max,
            new WarmPool.Sharing(min, jobs, TTL),
            "{}",
            false));
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

  private Job driver(String name, String runFor) {
    JobSpec spec =
        Specs.job(name).annotation("sim.fairlead.dev/run-for", runFor).run("python x.py").build();
    return submit(RayPoolJob.driver(spec, "small"));
  }

  private Job submit(JobSpec spec) {
    return fairlead
        .commands()
        .submit(fairlead.ana(), fairlead.project().name(), new NewJob(spec), null, false)
        .job();
  }

  private Optional<Job> cluster(int number) {
    return stores
        .jobs()
        .activeNamed(
            fairlead.project().tenant(),
            fairlead.project().id(),
            List.of(WarmPool.clusterName("small", number)))
        .stream()
        .map(named -> stores.jobs().findAll(List.of(named.id())).getFirst())
        .findFirst();
  }

  private String address(Job cluster) {
    Attempt live = stores.jobs().liveAttempts(cluster.id()).getFirst();
    return RayPoolJob.address(MemberEnvironment.head(cluster, live));
  }

  /** Fails when drivers share no cluster, exceed its number of jobs, or get a wrong address. */
  @Test
  void driversFillAClusterBeforeThePoolStartsAnother() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 2, 2);
    pass(5);
    assertThat(cluster(1)).as("a cluster without jobs").isEmpty();
    Job one = driver("one", "10m");
    Job two = driver("two", "10m");
    pass(60);

    Job shared = cluster(1).orElseThrow();
    assertThat(shared.state()).isEqualTo(JobState.RUNNING);
    for (Job each : List.of(one, two)) {
      Job stored = fairlead.job(each);
      assertThat(stored.state()).isEqualTo(JobState.RUNNING);
      assertThat(RayPoolJob.cluster(stored.spec())).isEqualTo("small-ray-1");
      assertThat(RayPoolJob.address(stored.spec())).isEqualTo(address(shared));
      assertThat(RayPoolJob.submitted(stored.spec()).placement().near()).isEmpty();
    }
    assertThat(cluster(2)).isEmpty();

    Job three = driver("three", "10m");
    pass(60);
    assertThat(RayPoolJob.cluster(fairlead.job(three).spec())).isEqualTo("small-ray-2");
    Job five = driver("four", "10m");
    Job last = driver("five", "10m");
    pass(30);
    assertThat(fairlead.state(five)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.state(last)).as("every cluster is full").isEqualTo(JobState.QUEUED);
    assertThat(cluster(3)).as("a cluster above the maximum").isEmpty();
  }

  /** Fails when idle clusters hold GPUs forever, or the pool ends its minimum of clusters. */
  @Test
  void aClusterWithoutJobsEndsAfterItsIdleTime() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(1, 2, 1);
    Job one = driver("one", "3m");
    Job two = driver("two", "3m");
    pass(90);
    Job surplus = cluster(2).orElseThrow();
    assertThat(surplus.state()).isEqualTo(JobState.RUNNING);
    fairlead.until(one, JobState.SUCCEEDED);
    fairlead.until(two, JobState.SUCCEEDED);
    pass(30);
    assertThat(Stream.of(cluster(1), cluster(2)).flatMap(Optional::stream))
        .as("before the idle time")
        .extracting(Job::state)
        .containsExactly(JobState.RUNNING, JobState.RUNNING);
    pass((int) TTL.toSeconds() + 60);
    assertThat(Stream.of(cluster(1), cluster(2)).flatMap(Optional::stream)).hasSize(1);
  }

  /** Fails when a cluster that waits for GPUs takes them later for no job. */
  @Test
  void aClusterThatWaitsEndsWhenNoJobNeedsIt() {
    fairlead.register("eu", new FleetPool(1, 8, "H100", 1, 1));
    pool(0, 2, 1);
    Job one = driver("one", "3m");
    pass(30);
    Job waits = cluster(1).orElseThrow();
    assertThat(waits.state()).isEqualTo(JobState.QUEUED);
    pass((int) TTL.toSeconds() + 10);
    assertThat(fairlead.state(waits)).as("a job needs it").isEqualTo(JobState.QUEUED);
    Job _ = fairlead.commands().cancel(fairlead.ana(), one.id(), false);
    pass((int) TTL.toSeconds() + 10);
    assertThat(fairlead.state(waits)).isEqualTo(JobState.CANCELLED);
  }

  /** Fails when a driver stays without its cluster, or the loss uses a retry of the job. */
  @Test
  void aDriverWhoseClusterHasEndedContinuesInAnother() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 2, 2);
    Job one = driver("one", "30m");
    pass(60);
    Job lost = cluster(1).orElseThrow();
    String before = address(lost);
    assertThat(fairlead.state(one)).isEqualTo(JobState.RUNNING);
    Job _ = fairlead.commands().cancel(fairlead.ana(), lost.id(), false);
    pass(180);

    Job stored = fairlead.job(one);
    assertThat(stored.state()).isEqualTo(JobState.RUNNING);
    assertThat(RayPoolJob.address(stored.spec())).isNotEqualTo(before);
    assertThat(stored.run().failures()).isZero();
    assertThat(fairlead.attempts(one)).hasSize(2);
  }

  /** Fails when a job that cannot start yet holds a place in a cluster, or starts one. */
  @Test
  void aDriverThatWaitsForATimeHasNoCluster() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 2, 1);
    JobSpec later =
        Specs.job("later").notBefore(stores.jobs().now().plus(Duration.ofHours(1))).build();
    Job held = submit(RayPoolJob.driver(later, "small"));
    pass(10);
    assertThat(cluster(1)).isEmpty();
    assertThat(RayPoolJob.cluster(fairlead.job(held).spec())).isNull();
  }

  /** Fails when a job holds a place in a cluster before the job that it waits for has ended. */
  @Test
  void aDriverThatWaitsForAnotherJobGetsItsClusterAfterIt() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 2, 1);
    Job first = submit(Specs.job("first").annotation("sim.fairlead.dev/run-for", "1m").build());
    JobSpec then = Specs.job("then").dependsOn(first, Dependency.Condition.SUCCEEDED).build();
    Job held = submit(RayPoolJob.driver(then, "small"));
    pass(20);
    assertThat(fairlead.state(first)).isEqualTo(JobState.RUNNING);
    assertThat(cluster(1)).isEmpty();
    pass(120);
    assertThat(fairlead.state(first)).isEqualTo(JobState.SUCCEEDED);
    assertThat(RayPoolJob.cluster(fairlead.job(held).spec())).isEqualTo("small-ray-1");
  }

  /** Fails when a mistake of an owner counts as a fault of the service, with an alert. */
  @Test
  void aPoolWithRefusedSubmitsIsNotAFaultOfTheLoop() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    queue = "none";
    pool(1, 2, 1);
    pass(5);
    assertThat(cluster(1)).isEmpty();
    assertThat(loop.passedOver()).isZero();
  }

  /** Fails when the clusters of a deleted pool or of an earlier job remain. */
  @Test
  void aChangedPoolReplacesItsClustersAndADeletedOneEndsThem() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(1, 2, 1);
    pass(30);
    Job before = cluster(1).orElseThrow();
    gang = gang.env("LANG", "C");
    pass(90);
    assertThat(fairlead.state(before)).isEqualTo(JobState.CANCELLED);
    assertThat(cluster(2).orElseThrow().state()).isEqualTo(JobState.RUNNING);
    put(
        new WarmPool(
                "small", fairlead.project().name(), 2, new WarmPool.Sharing(1, 1, TTL), "{}", false)
            .deleted());
    pass(60);
    assertThat(cluster(2)).isEmpty();
    pass(100);
    assertThat(stores.configs().all(WarmPool.DOCUMENTS)).isEmpty();
  }

  private void delete() {
    put(
        new WarmPool(
                "small", fairlead.project().name(), 1, new WarmPool.Sharing(0, 1, TTL), "{}", false)
            .deleted());
  }

  /** Fails when a driver that is submitted during the deletion of its pool waits forever. */
  @Test
  void aDriverSubmittedDuringTheDeletionOfItsPoolIsCancelled() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 1, 1);
    pass(5);
    delete();
    pass(60);
    Job late = driver("late", "10m");
    pass(20);
    assertThat(fairlead.state(late)).isEqualTo(JobState.CANCELLED);
    pass(120);
    assertThat(stores.configs().all(WarmPool.DOCUMENTS)).isEmpty();
  }

  /** Fails when a driver that the scheduler cannot place blocks the others of its pool. */
  @Test
  void aDriverWithoutRoomForItsOwnPodYieldsItsPlace() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 1, 1);
    JobSpec large = Specs.job("large").cpuMilli(900_000_000).run("python x.py").build();
    Job stuck = submit(RayPoolJob.driver(large, "small"));
    pass(30);
    assertThat(RayPoolJob.cluster(fairlead.job(stuck).spec())).isEqualTo("small-ray-1");
    Job next = driver("next", "10m");
    pass(90);
    assertThat(fairlead.state(next)).isEqualTo(JobState.RUNNING);
    assertThat(RayPoolJob.cluster(fairlead.job(stuck).spec())).isNull();
  }

  private String why(Job job) {
    return fairlead
        .queries()
        .explanation(fairlead.ana(), job.id())
        .view()
        .pending()
        .explanation()
        .first()
        .message();
  }

  /** Fails when the reason of a waiting driver is a label that users do not know. */
  @Test
  void aWaitingDriverNamesThePlacesOfItsPool() {
    fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    pool(0, 1, 1);
    JobSpec bounded =
        Specs.job("one")
            .annotation("sim.fairlead.dev/run-for", "30m")
            .maxRuntime(Duration.ofHours(1))
            .run("python x.py")
            .build();
    Job one = submit(RayPoolJob.driver(bounded, "small"));
    pass(60);
    Job two = driver("two", "10m");
    pass(10);
    assertThat(why(two))
        .satisfies(
            reason(
                "ray-pools.pool-full-place",
                "small",
                fairlead
                    .job(one)
                    .run()
                    .startedAt()
                    .plus(Duration.ofHours(1))
                    .truncatedTo(ChronoUnit.SECONDS)));
  }

  /** Fails when the replacement of a failed worker ends the drivers of its Ray cluster. */
  @Test
  void aRepairedClusterKeepsItsDrivers() {
    SimulatedCluster eu = fairlead.register("eu", new FleetPool(4, 8, "H100", 1, 1));
    gang = gang.repaired(1).launcher("ray");
    pool(0, 1, 1);
    Job one = driver("one", "30m");
    pass(60);
    Job cluster = cluster(1).orElseThrow();
    Attempt before = stores.jobs().liveAttempts(cluster.id()).getFirst();
    String address = address(cluster);
    eu.rebootNode(before.members().get(1).nodeName());
    pass(120);

    Attempt after = stores.jobs().liveAttempts(cluster.id()).getFirst();
    assertThat(after.id()).isEqualTo(before.id());
    assertThat(after.core()).extracting(Member::key).containsExactly("worker-0", "worker-2");
    assertThat(address(cluster(1).orElseThrow())).isEqualTo(address);
    assertThat(fairlead.state(one)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.attempts(one)).hasSize(1);
  }
}
