package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.judgement.PlaceTransitions;
import dev.fairlead.work.workload.judgement.PlaceTransitions.Place;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Usage intervals of members, written in the transaction that releases their GPUs. */
class UsageIntervalsTest {
  private static final long HOUR_MILLIS = 3_600_000;
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  private List<Map<String, Object>> intervals() {
    return stores
        .jdbc()
        .sql(
            "SELECT *, gpus::text AS g, milli::text AS m FROM usage_interval WHERE tenant = :tenant"
                + " ORDER BY started_ms, ended_ms, attempt, role, idx")
        .param("tenant", world.tenant().id().value())
        .query()
        .listOfRows();
  }

  /** Start of each allocation of the attempt. */
  private List<Long> held(Attempt attempt) {
    return stores
        .jdbc()
        .sql("SELECT since_ms FROM allocation WHERE attempt = :attempt")
        .param("attempt", attempt.id().value())
        .query(Long.class)
        .list();
  }

  private Attempt running(int gpus) {
    return world.run(world.place(world.submit(Specs.job("train").gpus(gpus)), 0, "node-1"));
  }

  /**
   * Fails when the end of an allocation does not store an interval, or stores another owner or
   * amount.
   */
  @Test
  void theEndOfAnAttemptLeavesOneRowOfEachMember() {
    Attempt attempt = running(2);
    assertThat(intervals()).isEmpty();
    long since = held(attempt).getFirst();

    world.succeed(attempt);

    Job job = world.jobOf(attempt);
    assertThat(held(attempt)).isEmpty();
    assertThat(intervals())
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("tenant", job.tenant().value())
                .containsEntry("project", job.project().value())
                .containsEntry("queue", job.queue().value())
                .containsEntry("used_by", job.user())
                .containsEntry("job", job.id().value())
                .containsEntry("cluster", attempt.cluster().value())
                .containsEntry("node", attempt.members().getFirst().node().value())
                .containsEntry("model", "H100")
                .containsEntry("capacity", "RESERVED")
                .containsEntry("g", "{0,1}")
                .containsEntry("m", "{1000,1000}")
                .containsEntry("started_ms", since));
  }

  /**
   * Fails when a resize does not store an interval, closes the interval of a remaining member, or
   * closes twice.
   */
  @Test
  void leavingMemberEndsOnlyItsInterval() {
    Job job = world.submit(Specs.job("elastic").workers(4).minWorkers(1).gpus(2));
    Attempt planned = world.attempt(job, 0, world.members(job, 0, "node-1", "node-1"));
    world.append(world.admission(planned));
    Attempt told = world.shrink(world.run(planned), "worker-1");
    assertThat(intervals()).isEmpty();

    Attempt left = world.leave(told);
    assertThat(intervals())
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("idx", 1).containsEntry("g", "{2,3}"));

    world.succeed(left);
    assertThat(intervals()).extracting(row -> row.get("idx")).containsExactlyInAnyOrder(0, 1);
  }

  /**
   * Fails when a member's time in its pool is billed to the user that takes it over, or is lost.
   */
  @Test
  void useOfAMemberCountsForItsPoolUntilAUserClaimsIt() {
    Job member = world.submit(Specs.job("lab-warm-1").gpus(2).label(WarmMember.LABEL, "lab"));
    Attempt attempt = world.run(world.place(member, 0, "node-1"));
    long since = held(attempt).getFirst();
    Job wanted = world.newJob(Specs.job("eda").gpus(2).build());
    world.append(OwnerTransitions.take(world.job(member), attempt, wanted, world.now()));

    assertThat(intervals())
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("used_by", "warm-pools")
                .containsEntry("started_ms", since)
                .containsEntry("m", "{1000,1000}"));
    long taken = (long) intervals().getFirst().get("ended_ms");
    assertThat(held(attempt)).containsExactly(taken, taken);

    world.succeed(world.attempt(attempt));
    assertThat(held(attempt)).isEmpty();
    assertThat(intervals())
        .extracting(row -> row.get("used_by"), row -> row.get("started_ms"))
        .containsExactly(tuple("warm-pools", since), tuple(wanted.user(), taken));
    assertThat(world.node("node-1").gpus()).allMatch(gpu -> gpu.allocatedMilli() == 0);
  }

  /** Fails when a part of a GPU is counted as a whole one. */
  @Test
  void fractionCountsAsItsShare() {
    Job job = world.submit(Specs.job("part").gpu(GpuRequest.fraction(250)));
    world.succeed(world.run(world.place(job, 0, "node-1")));

    assertThat(intervals())
        .singleElement()
        .satisfies(row -> assertThat(row).containsEntry("m", "{250}"));
  }

  /** Fails when slices with an unreported GPU do not store an interval, or store another amount. */
  @Test
  void earlierSlicesCountAsTheirFraction() {
    String eighth = "nvidia.com/mig-1g.10gb";
    world.report(NodeReports.node("node-1").offers(eighth, 14).build());
    GpuRequest ten = new GpuRequest(GpuRequest.Kind.MIG, 10, 0, 0, "1g.10gb", List.of(), 0);
    Job job = world.submit(Specs.job("slices").gpu(ten));
    Node node = world.node("node-1");
    Member member =
        Member.planned(
            job.spec().roles().getFirst().name(),
            0,
            node.id(),
            node.name(),
            new Flavor("H100", CapacityType.RESERVED),
            new ResourceVector(100, 100, 0, 1, new TreeMap<>(Map.of(eighth, 10L))),
            List.of());
    Attempt planned = world.attempt(job, 0, List.of(member));
    world.append(world.admission(planned));
    world.succeed(world.run(world.attempt(planned)));

    assertThat(intervals())
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("g", "{-1}")
                .containsEntry("m", "{1250}")
                .containsEntry("node", node.id().value())
                .containsEntry("used_by", job.user()));
    assertThat(
            stores
                .jdbc()
                .sql("SELECT count(*) FROM slice_allocation WHERE attempt = :attempt")
                .param("attempt", planned.id().value())
                .query(Long.class)
                .single())
        .isZero();
  }

  /** Fails when the times of a GPU follow a clock that runs backwards. */
  @Test
  void intervalNeverStartsBeforeTheEndOfTheLastOnItsGpu() {
    Attempt first = running(1);
    stores
        .jdbc()
        .sql("UPDATE gpu_slot SET booked_ms = booked_ms + :more WHERE node = :node")
        .param("more", HOUR_MILLIS)
        .param("node", first.members().getFirst().node().value())
        .update();
    world.succeed(first);
    world.succeed(running(8));

    List<Map<String, Object>> rows = intervals();
    assertThat(rows).hasSize(2);
    long end = (long) rows.getFirst().get("ended_ms");
    assertThat(end).isGreaterThanOrEqualTo((long) rows.getFirst().get("started_ms") + HOUR_MILLIS);
    assertThat((long) rows.getLast().get("started_ms")).isGreaterThanOrEqualTo(end);
  }

  /** Fails when the interval is written although the end is not. */
  @Test
  void rejectedStartLeavesNothing() {
    Attempt attempt = running(8);
    Job other = world.submit(Specs.job("other").gpus(1));
    Attempt late = world.attempt(other, 0, attempt.members());
    Refused.by(Guard.NODE_ROOM, () -> world.append(world.admission(late)));

    assertThat(held(attempt)).hasSize(8);
    assertThat(held(late)).isEmpty();
    assertThat(intervals()).isEmpty();
  }

  /** Fails when the role that writes intervals may change them. */
  @Test
  void serviceRolesCannotChangeAnInterval() {
    world.succeed(running(1));

    assertThatThrownBy(() ->
            stores
                .transactions()
                .forAllTenants(() ->
                    stores
                        .jdbc()
                        .sql("UPDATE usage_interval SET ended_ms = ended_ms + 1")
                        .update()))
        .hasStackTraceContaining("permission denied for table usage_interval");
  }

  /**
   * Fails when replicas of the previous version, which do not use the column, cannot place jobs.
   */
  @Test
  void olderReplicaContinuesToPlaceJobs() {
    Attempt attempt = running(1);

    int copies =
        stores
            .jdbc()
            .sql(
                "INSERT INTO allocation (attempt, role, idx, node, gpu, milli, slices) SELECT"
                    + " attempt, role, idx, node, 7, milli, slices FROM allocation WHERE attempt ="
                    + " :attempt")
            .param("attempt", attempt.id().value())
            .update();

    assertThat(copies).isOne();
    assertThat(held(attempt)).hasSize(2).allMatch(since -> since > HOUR_MILLIS);
  }

  /** Fails when a member that was held after a clock step cannot be released at an earlier time. */
  @Test
  void endBeforeItsStartIsAnEndAtItsStart() {
    Attempt attempt = running(1);
    stores
        .jdbc()
        .sql("UPDATE allocation SET since_ms = since_ms + :hour WHERE attempt = :attempt")
        .param("hour", HOUR_MILLIS)
        .param("attempt", attempt.id().value())
        .update();

    world.succeed(attempt);

    assertThat(intervals())
        .singleElement()
        .satisfies(row -> assertThat(row.get("ended_ms")).isEqualTo(row.get("started_ms")));
  }

  /**
   * Fails when retention never deletes intervals, or deletes intervals that a yearly report still
   * needs.
   */
  @Test
  void intervalsAreDeletedAfterFourHundredDays() {
    world.succeed(running(1));
    RetentionStore rows = stores.bean(RetentionStore.class);
    assertThat(rows.clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 10)).isZero();
    assertThat(rows.oldest()).containsKey(RetentionStore.Kind.USAGE);

    long days = 401L * 24 * HOUR_MILLIS;
    stores
        .jdbc()
        .sql(
            "INSERT INTO usage_interval SELECT gen_random_uuid(), role, idx, tenant, project,"
                + " queue, used_by, job, cluster, node, pool, model, capacity, gpus, milli, slices,"
                + " 0, ended_ms - :days FROM usage_interval WHERE tenant = :tenant")
        .param("days", days)
        .param("tenant", world.tenant().id().value())
        .update();
    assertThat(rows.clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 10)).isOne();
    assertThat(intervals()).hasSize(1);
  }

  /** Fails when use by API keys stays forever after the last service with keys is deleted. */
  @Test
  void useByKeysOfDeletedServicesIsDeletedAfterFourHundredDays() {
    stores
        .jdbc()
        .sql(
            "INSERT INTO service_key_hour SELECT gen_random_uuid(), 'app', now() -"
                + " make_interval(days => age), :tenant, 1, 1, 1, 0, gen_random_uuid(), 'chat'"
                + " FROM unnest(ARRAY[399, 401]) AS age")
        .param("tenant", world.tenant().id().value())
        .update();
    RetentionStore rows = stores.bean(RetentionStore.class);
    assertThat(rows.oldest().get(RetentionStore.Kind.USAGE)).isGreaterThan(Duration.ofDays(400));

    assertThat(rows.clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 10)).isOne();
    assertThat(rows.clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 10)).isZero();
  }

  /** Fails when a move loses use, or when retention deletes an interval with an older one. */
  @Test
  void movingMemberLeavesAnIntervalOnEachNode() {
    Attempt attempt = running(1);
    Member member = attempt.members().getFirst();
    Node other = world.node("node-2");
    Gpu gpu = other.gpus().getFirst();
    Place place =
        new Place(
            member.node(),
            other.id(),
            other.name(),
            List.of(new GpuShare(gpu.index(), gpu.serial(), Gpu.WHOLE_MILLI)));
    world.append(
        PlaceTransitions.moved(
                world.jobOf(attempt), attempt, Map.of(MemberKey.of(member), place), TestWorld.ACTOR)
            .orElseThrow());
    world.succeed(world.attempt(attempt));

    assertThat(intervals())
        .extracting(row -> row.get("node"))
        .containsExactly(member.node().value(), other.id().value());

    stores
        .jdbc()
        .sql(
            "INSERT INTO usage_interval SELECT attempt, role, idx, tenant, project, queue, used_by,"
                + " job, cluster, node, pool, model, capacity, gpus, milli, slices, 0, 1"
                + " FROM usage_interval WHERE node = :node")
        .param("node", other.id().value())
        .update();
    assertThat(stores.bean(RetentionStore.class).clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 10))
        .isOne();
    assertThat(intervals()).hasSize(2);
  }
}
