package dev.fairlead.work.workload.service.efficiency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.MetricsReader;
import dev.fairlead.money.efficiency.MetricsReading;
import dev.fairlead.money.efficiency.PodUse;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.IdlePolicy;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.query.JobEfficiency;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads the Prometheuses of clusters in turn, and stores the results for the attempts. */
class EfficiencyLoopTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Told reader = new Told();
  private final JobEfficiency queries = new JobEfficiency(stores.efficiency());
  private final Actor owner = new Actor(world.tenant().id(), "ana", Role.ADMIN);
  private long nanos;
  private EfficiencyLoop loop = loop("one");
  private final Attempt attempt = running("one");

  /** Returns fixed answers for each address, and records the calls. */
  private static final class Told implements MetricsReader {
    private final SortedMap<String, MetricsReading> says = new TreeMap<>();
    private final List<String> asked = new ArrayList<>();

    @Override
    public MetricsReading read(Prometheus prometheus) {
      asked.add(prometheus.url());
      return says.getOrDefault(prometheus.url(), new MetricsReading.Read(List.of(), 0));
    }
  }

  private EfficiencyLoop loop(String process) {
    Leases leases =
        new Leases(
            stores.leases(),
            new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2)),
            () -> nanos,
            process);
    return new EfficiencyLoop(
        leases,
        stores.efficiency(),
        new IdleJobs(
            stores.jobs(),
            new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
            stores.efficiency()),
        stores.inventory(),
        reader,
        stores.transactions(),
        metrics);
  }

  private Attempt running(String name) {
    return world.run(world.place(world.submit(Specs.job(name).gpus(1))));
  }

  @BeforeEach
  void itsClusterHasAPrometheus() {
    measured(world.cluster(), "https://one");
  }

  private void measured(Cluster cluster, @Nullable String url) {
    Cluster now = stores.inventory().cluster(cluster.id()).orElseThrow();
    stores
        .inventory()
        .configure(
            now.configured(
                now.capacity(),
                now.pricePerGpuHour(),
                now.settings()
                    .withPrometheus(url == null ? null : new Prometheus(url, null, false))),
            null);
  }

  private PodUse use(double utilisation) {
    return use(world.project().namespace(), pod(attempt), utilisation);
  }

  private static PodUse use(String namespace, String pod, double utilisation) {
    return new PodUse(namespace, pod, utilisation, 1_000L, 100.0);
  }

  private static String pod(Attempt attempt) {
    return ObjectNames.pod(attempt.id(), MemberKey.of(attempt.members().getFirst()));
  }

  private void says(PodUse... pods) {
    reader.says.put("https://one", new MetricsReading.Read(List.of(pods), 2));
  }

  /** Runs passes after that time until nothing is due. */
  private void after(Duration time) {
    stores.advance(time);
    nanos += time.toNanos();
    int turns = 0;
    while (loop.tick()) {
      assertThat(turns++).isLessThan(10);
    }
  }

  private Efficiency measured() {
    return Objects.requireNonNull(
        queries.of(owner, List.of(attempt)).get(attempt.id()), "nothing was measured");
  }

  private double counted(String outcome) {
    return metrics
        .counter(
            Metric.EFFICIENCY_SERIES.meter(),
            Metric.EFFICIENCY_SERIES.tags(world.cluster().name(), outcome))
        .count();
  }

  @Test
  void anAttemptIsSampledOnceAMinute() {
    says(use(80));
    after(Duration.ZERO);
    says(use(40));
    after(Duration.ofSeconds(59));
    after(Duration.ofSeconds(1));

    assertThat(reader.asked).hasSize(2);
    assertThat(measured().samples()).isEqualTo(2);
    assertThat(measured().mean()).isEqualTo(60);
    assertThat(measured().joules()).isEqualTo(100.0 * 60);
  }

  // Fails when unknown pods, or pods of the same name elsewhere, are sampled.
  @Test
  void foreignPodsAreCountedAndIgnored() {
    Attempt ended = world.succeed(running("ended"));
    says(
        use("elsewhere", pod(attempt), 100),
        use(world.project().namespace(), pod(ended), 100),
        use(world.project().namespace(), "fl-notebook", 100),
        use(3));
    after(Duration.ZERO);

    assertThat(measured().last()).isEqualTo(3);
    assertThat(queries.of(owner, List.of(ended))).isEmpty();
    assertThat(counted("taken")).isEqualTo(1);
    assertThat(counted("foreign")).isEqualTo(3);
    assertThat(counted("bad")).isEqualTo(2);
  }

  @Test
  void clusterWithoutPrometheusIsNotQueried() {
    measured(world.cluster(), null);
    after(Duration.ZERO);

    assertThat(reader.asked).isEmpty();
    assertThat(queries.of(owner, List.of(attempt))).isEmpty();
  }

  /** Fails when a silent Prometheus is queried each minute, or hides the others. */
  @Test
  void prometheusIsSkippedForFiveMinutesAfterTwoFailures() {
    Cluster other = TestWorld.in(stores).cluster();
    measured(other, "https://silent");
    reader.says.put("https://silent", new MetricsReading.Unread("it hangs"));
    says(use(80));
    for (int minute = 0; minute < 6; minute++) {
      after(minute == 0 ? Duration.ZERO : MINUTE);
    }

    assertThat(reader.asked).filteredOn("https://one"::equals).hasSize(6);
    assertThat(reader.asked).filteredOn("https://silent"::equals).hasSize(2);
    assertThat(
            metrics
                .counter(
                    Metric.EFFICIENCY_UNREAD.meter(), Metric.EFFICIENCY_UNREAD.tags(other.name()))
                .count())
        .isEqualTo(2);
  }

  // Fails when one failed sample restarts an idle time.
  @Test
  void singleMissingResponseIsRetriedAMinuteLater() {
    says(use(1));
    after(Duration.ZERO);
    Instant idle = measured().idleSince();
    reader.says.put("https://one", new MetricsReading.Unread("it restarts"));
    after(MINUTE);
    says(use(1));
    after(MINUTE);

    assertThat(measured().samples()).isEqualTo(2);
    assertThat(measured().idleSince()).isEqualTo(idle);
  }

  @Test
  void unreadMetricsLeaveTheAttemptUnchanged() {
    says(use(80));
    after(Duration.ZERO);
    Efficiency before = measured();
    Instant then = before.sampledAt();
    reader.says.put("https://one", new MetricsReading.Unread("it hangs"));
    after(MINUTE);

    assertThat(measured()).isEqualTo(before);
    assertThat(measured().sampledAt()).isEqualTo(then);
  }

  @Test
  void anotherProcessResumesAtTheLastSample() {
    says(use(80));
    after(Duration.ZERO);
    loop.close();
    loop = loop("two");
    after(MINUTE);

    assertThat(measured().samples()).isEqualTo(2);
  }

  private void policy(@Nullable Duration reclaimAfter, Map<String, String> exempt) {
    Project now = stores.tenants().project(owner.tenant(), world.project().id()).orElseThrow();
    IdlePolicy policy =
        new IdlePolicy(5, Duration.ofMinutes(30), reclaimAfter, new TreeMap<>(exempt));
    stores.tenants().update(now.with(now.defaultQueue(), now.egress()).with(policy));
  }

  /** Runs passes for a few minutes with the same answer. */
  private void minutes(int minutes) {
    for (int minute = 0; minute < minutes; minute++) {
      after(MINUTE);
    }
  }

  private List<String> told() {
    return stores.events().after(EventPosition.START, 1_000).stream()
        .map(each -> each.fact().type())
        .toList();
  }

  private JobState state() {
    return world.jobOf(attempt).state();
  }

  @Test
  void ownerOfAnIdleJobIsWarnedOnceAndTheJobIsSuspendedLater() {
    policy(Duration.ofHours(2), Map.of());
    says(use(1));
    minutes(30);
    assertThat(told()).doesNotContain("AttemptIdle");
    minutes(1);
    assertThat(told()).containsOnlyOnce("AttemptIdle");
    assertThat(measured().warnedAt()).isEqualTo(measured().sampledAt());
    minutes(89);
    assertThat(state()).isEqualTo(JobState.RUNNING);
    minutes(1);

    assertThat(state()).isEqualTo(JobState.SUSPENDED);
    assertThat(told()).containsOnlyOnce("AttemptIdle").containsOnlyOnce("AttemptIdleReclaimed");
    Attempt stopped = world.attempt(attempt);
    assertThat(stopped.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(Objects.requireNonNull(stopped.failure()).message())
        .contains("below 5 percent since", "2.00 GPU-hours", "Resume it");
    assertThat(Objects.requireNonNull(measured().reclaimed()).idleGpuHours()).isEqualTo(2);
    minutes(10);
    assertThat(told()).containsOnlyOnce("AttemptIdleReclaimed");
  }

  // Fails when a user is warned of, or billed for, the idle time of the member that it has taken.
  @Test
  void theIdleTimeOfASessionFromAWarmPoolBeginsWithItsUser() {
    policy(Duration.ofHours(2), Map.of());
    Job member = world.submit(Specs.job("lab-warm-1").gpus(1).label(WarmMember.LABEL, "lab"));
    Attempt warm = world.run(world.place(member));
    says(use(60), use(world.project().namespace(), pod(warm), 1));
    minutes(180);
    Job wanted = world.newJob(Specs.job("eda").gpus(1).build());
    world.append(
        OwnerTransitions.take(world.job(member), world.attempt(warm), wanted, world.now()));
    minutes(29);
    assertThat(told()).doesNotContain("AttemptIdle");
    minutes(92);

    assertThat(world.job(member).state()).isEqualTo(JobState.SUSPENDED);
    Efficiency row =
        Objects.requireNonNull(queries.of(owner, List.of(warm)).get(warm.id()), "not measured");
    assertThat(Objects.requireNonNull(row.reclaimed()).idleGpuHours())
        .as("hours of the user alone")
        .isBetween(1.9, 2.1);
  }

  // Fails when a job that works again is stopped for the idle time before.
  @Test
  void jobThatUsesItsGpusAgainIsLeftAlone() {
    policy(Duration.ofHours(2), Map.of());
    says(use(1));
    minutes(100);
    says(use(60));
    minutes(1);
    assertThat(measured().warnedAt()).isNull();
    says(use(1));
    minutes(60);

    assertThat(state()).isEqualTo(JobState.RUNNING);
  }

  // Fails when silence counts as idleness.
  @Test
  void silentPrometheusReclaimsNothing() {
    policy(Duration.ofHours(2), Map.of());
    says(use(1));
    minutes(110);
    reader.says.put("https://one", new MetricsReading.Unread("it hangs"));
    minutes(60);
    says(use(1));
    minutes(20);

    assertThat(state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void ownerIsOnlyWarnedWithoutATimeToReclaim() {
    policy(null, Map.of());
    says(use(1));
    minutes(300);

    assertThat(state()).isEqualTo(JobState.RUNNING);
    assertThat(told()).containsOnlyOnce("AttemptIdle");
  }

  // Fails when a job is suspended without a warning although its owner was not warned of that.
  @Test
  void newReclaimPolicyWarnsFirst() {
    policy(null, Map.of());
    says(use(1));
    minutes(300);
    policy(Duration.ofHours(2), Map.of());
    minutes(1);
    assertThat(state()).isEqualTo(JobState.RUNNING);
    assertThat(told().stream().filter("AttemptIdle"::equals)).hasSize(2);
    minutes(89);
    assertThat(state()).isEqualTo(JobState.RUNNING);
    minutes(1);

    assertThat(state()).isEqualTo(JobState.SUSPENDED);
  }

  // Fails when a warning outlives its policy.
  @Test
  void resetPolicyWarnsAgain() {
    policy(Duration.ofHours(2), Map.of());
    says(use(1));
    minutes(100);
    Project now = stores.tenants().project(owner.tenant(), world.project().id()).orElseThrow();
    stores.tenants().update(now.with(now.defaultQueue(), now.egress()).with((IdlePolicy) null));
    minutes(60);
    assertThat(measured().warnedAt()).isNull();
    policy(Duration.ofHours(2), Map.of());
    minutes(80);

    assertThat(state()).isEqualTo(JobState.RUNNING);
  }

  // Fails when an exempt label does not protect the job.
  @Test
  void jobWithAnExemptLabelIsLeftAlone() {
    policy(Duration.ofHours(2), Map.of("kind", "notebook"));
    Job labelled = world.submit(Specs.job("labelled").gpus(1).label("kind", "notebook"));
    Attempt exempt = world.run(world.place(labelled));
    says(use(1), use(world.project().namespace(), pod(exempt), 1));
    minutes(130);

    assertThat(state()).isEqualTo(JobState.SUSPENDED);
    assertThat(world.job(labelled).state()).isEqualTo(JobState.RUNNING);
  }
}
