package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.retention.RetentionStore.Kind;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** The database space of decisions about jobs, and when they are deleted. */
class DecisionSizeTest {
  private static final int JOBS = 400;
  private static final long GOAL = 2048;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final Random random = new Random(570);
  private final Flavor flavor = new Flavor("H100", CapacityType.RESERVED);

  /** Fails when bodies are stored without normalization, or exceed the bound. */
  @Test
  void aJobTakesLessThanTwoKibibytesAtTheMedian() {
    for (int i = 0; i < JOBS; i++) {
      Job job = world.submit(Specs.job("life-" + i));
      stores.explanations().keep(life(job.id()));
    }

    List<Long> bytes =
        stores
            .jdbc()
            .sql(
                "SELECT sum(pg_column_size(d.*) + 4) FROM job_decision d WHERE tenant = :tenant"
                    + " GROUP BY job ORDER BY 1")
            .param("tenant", world.tenant().id().value())
            .query(Long.class)
            .list();

    System.out.printf(
        "decisions of %d random lives: p50 %d, p95 %d bytes a job%n",
        bytes.size(), bytes.get(bytes.size() / 2), bytes.get(bytes.size() * 95 / 100));
    assertThat(bytes.get(bytes.size() / 2)).isLessThanOrEqualTo(GOAL);
  }

  /** Fails when decisions remain forever, or are deleted when their job moves to the archive. */
  @Test
  void decisionsAreDeletedAfterAYearAndWithTheirJob() {
    Job old = world.submit(Specs.job("old"));
    Job now = world.submit(Specs.job("now"));
    Instant longAgo = world.now().minusSeconds(367L * 24 * 3600);
    stores.explanations().keep(List.of(evicted(old.id(), longAgo), evicted(now.id(), world.now())));

    while (stores.bean(RetentionStore.class).clear(Kind.DECISIONS, Ages.DEFAULT, 10) > 0) {}

    assertThat(decisions(old)).isEmpty();
    assertThat(decisions(now)).hasSize(1);
    world.cancel(now);
    stores.transactions().run(() -> assertThat(stores.jobs().delete(now.id())).isTrue());
    assertThat(decisions(now)).isEmpty();
  }

  /** Fails when a decision locks a job again that its own transaction has written. */
  @Test
  void decisionLeavesTheLockOfItsTransactionUnchanged() {
    Job job = world.submit(Specs.job("placed"));

    List<String> lockers =
        stores
            .transactions()
            .forAllTenants(() -> {
              int _ =
                  stores
                      .jdbc()
                      .sql("UPDATE job SET version = version + 1 WHERE id = :id")
                      .param("id", job.id().value())
                      .update();
              String before = locker(job);
              stores.explanations().keep(List.of(evicted(job.id(), world.now())));
              return List.of(before, locker(job));
            });

    assertThat(lockers.getLast()).isEqualTo(lockers.getFirst());
    assertThat(decisions(job)).hasSize(1);
  }

  private String locker(Job job) {
    return stores
        .jdbc()
        .sql("SELECT CAST(xmax AS text) FROM job WHERE id = :id")
        .param("id", job.id().value())
        .query(String.class)
        .single();
  }

  /**
   * Fails when one retention applies to all tenants, or longer-retained rows of one tenant hide
   * expired rows of others.
   */
  @Test
  void eachTenantRetainsDecisionsForItsConfiguredDays() {
    TestWorld shorter = TestWorld.in(stores);
    TestWorld longer = TestWorld.in(stores);
    keeps(shorter, 30);
    keeps(longer, 3_660);
    List<Job> shortLived = eachOf(shorter, 20, 40);
    List<Job> longLived = eachOf(longer, 400, 40);
    List<Job> usual = eachOf(world, 367, 40);

    while (stores.bean(RetentionStore.class).clear(Kind.DECISIONS, Ages.DEFAULT, 1) > 0) {}

    assertThat(kept(shorter, shortLived)).containsExactly(1, 0);
    assertThat(kept(longer, longLived)).containsExactly(1, 1);
    assertThat(kept(world, usual)).containsExactly(0, 1);
  }

  private void keeps(TestWorld of, long days) {
    of.limit(null, Map.of(Limit.DECISION_DAYS, days));
  }

  private List<Job> eachOf(TestWorld of, int... daysAgo) {
    List<Job> jobs = new ArrayList<>();
    for (int days : daysAgo) {
      Job job = of.submit(Specs.job("age-" + days));
      Instant then = of.now().minus(Duration.ofDays(days));
      stores.explanations().keep(List.of(evicted(job.id(), then)));
      jobs.add(job);
    }
    return jobs;
  }

  private List<Integer> kept(TestWorld of, List<Job> jobs) {
    return jobs.stream()
        .map(job -> stores.explanations().decisions(of.tenant().id(), job.id()).size())
        .toList();
  }

  /** Fails without the savepoint: the transaction of a placement would end with its record. */
  @Test
  void unstorableRecordLeavesItsTransactionUnchanged() {
    Job job = world.submit(Specs.job("kept"));
    DecisionRecord broken = evicted(job.id(), Instant.MAX);

    stores
        .transactions()
        .run(() -> {
          assertThat(stores.explanations().keep(List.of(broken))).isFalse();
          assertThat(stores.explanations().keep(List.of(evicted(job.id(), world.now())))).isTrue();
        });

    assertThat(decisions(job)).hasSize(1);
  }

  /** Fails when one row of another version hides the others. */
  @Test
  void unreadableRowIsShownWithItsKindAndTimeOnly() {
    Job job = world.submit(Specs.job("read"));
    stores.explanations().keep(List.of(evicted(job.id(), world.now())));
    stores.explanations().keep(List.of(evicted(job.id(), world.now())));
    for (String stored : List.of("{\"cause\":\"SOLD\"}", "no document")) {
      overwrite(job, stored);

      assertThat(decisions(job))
          .extracting(d -> d.body().getClass().getSimpleName())
          .containsExactly("Unreadable", "Evicted");
      assertThat(decisions(job).getFirst().body().kind()).isEqualTo(DecisionRecord.Kind.EVICTED);
    }
  }

  /** Bodies of stored rows. Fails when a name of the record changes. */
  @Test
  void storedBodiesOfEarlierFormsAreRead() {
    Job job = world.submit(Specs.job("golden"));
    stores.explanations().keep(List.of(evicted(job.id(), world.now())));
    overwrite(
        job,
        "{\"element\":3,\"elements\":2,\"attempt\":1,\"cause\":\"PREEMPTION\",\"right\":\"RECLAIM\","
            + "\"message\":\"why\",\"members\":8,\"by\":null}");

    assertThat(decisions(job).getFirst().body())
        .isEqualTo(
            new DecisionRecord.Evicted(
                3, 2, 1, StopCause.PREEMPTION, EvictionRight.RECLAIM, "why", 8, null, null));
  }

  /** The oldest row of the job. */
  private void overwrite(Job job, String body) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
      out.write(body.getBytes(StandardCharsets.UTF_8));
    } catch (IOException never) {
      throw new UncheckedIOException(never);
    }
    String hex = HexFormat.of().formatHex(packed.toByteArray());
    Embedded.run(
        "UPDATE job_decision SET body = decode('%s', 'hex') WHERE (job, id) IN (SELECT job, id FROM job_decision WHERE job = '%s' ORDER BY id LIMIT 1)"
            .formatted(hex, job.id().value()));
  }

  private List<DecisionRecord> decisions(Job job) {
    return stores.explanations().decisions(world.tenant().id(), job.id());
  }

  /** Up to three waits, placements and evictions. */
  private List<DecisionRecord> life(JobId job) {
    List<DecisionRecord> life = new ArrayList<>();
    Instant at = world.now();
    int attempts = 1 + random.nextInt(3);
    for (int attempt = 1; attempt <= attempts; attempt++) {
      if (random.nextInt(10) < 6) {
        life.add(new DecisionRecord(job, at.plusSeconds(life.size()), waited()));
      }
      life.add(new DecisionRecord(job, at.plusSeconds(life.size()), placed(attempt)));
      if (attempt < attempts) {
        life.add(evicted(job, at.plusSeconds(life.size())));
      }
    }
    return life;
  }

  private DecisionRecord evicted(JobId job, Instant at) {
    EvictionRight right = EvictionRight.RECLAIM;
    return new DecisionRecord(
        job,
        at,
        new DecisionRecord.Evicted(
            0, 1, 1, StopCause.PREEMPTION, right, right.text(), 8, null, null));
  }

  private DecisionRecord.Placed placed(int attempt) {
    int nodes = 1 + random.nextInt(16);
    List<String> names =
        IntStream.range(0, Math.min(8, nodes))
            .mapToObj(n -> "eu-west-gpu-" + random.nextInt(10_000))
            .toList();
    return new DecisionRecord.Placed(
        0,
        1,
        attempt,
        new DecisionRecord.Place(
            world.cluster().id(), nodes, nodes * 8_000L, nodes, names, List.of(flavor)),
        List.of(
            new DecisionRecord.QuotaState(
                "research", 3, flavor, random.nextInt(1 << 20), 64_000L, 0, 0L),
            new DecisionRecord.QuotaState(
                "company", 7, flavor, random.nextInt(1 << 20), null, 0, null)),
        new TreeMap<>(),
        new UsedTier(2, UsedTier.Cause.WAIT_OVER, Duration.ofMinutes(10)));
  }

  private DecisionRecord.Waited waited() {
    Reason[] reasons = {Reason.QUOTA, Reason.CAPACITY, Reason.TOPOLOGY, Reason.USER_LIMIT};
    List<Blocker> blockers = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      long free = random.nextInt(512);
      blockers.add(
          new Blocker(
              reasons[random.nextInt(reasons.length)],
              new Scope(Scope.Kind.QUEUE, "research"),
              "needs 64 gpu of H100/RESERVED, quota of 'research' leaves " + free,
              new TreeMap<>(Map.of("asked", 64L, "leaves", free, "used", 512 - free)),
              null));
    }
    List<ClusterVerdict> clusters =
        IntStream.range(0, 1 + random.nextInt(8)).mapToObj(this::cluster).toList();
    return DecisionRecord.Waited.of(
        new Explanation(
            world.now(),
            blockers,
            List.of(new NearMiss("workers", "8", "5", "starts now on eu-west-1")),
            clusters,
            new Explanation.Estimate(world.now(), world.now().plusSeconds(600), "maxRuntime")),
        true);
  }

  private ClusterVerdict cluster(int number) {
    return new ClusterVerdict(
        "eu-west-" + number,
        "research",
        flavor,
        random.nextInt(1_000),
        new TreeMap<>(Map.of("MODEL", random.nextInt(100), "CORDONED", random.nextInt(10))),
        new TreeMap<>(Map.of("gpu", random.nextInt(1_000))),
        new ClusterVerdict.BestDomain("block", "b" + random.nextInt(40), random.nextInt(8), 8));
  }
}
