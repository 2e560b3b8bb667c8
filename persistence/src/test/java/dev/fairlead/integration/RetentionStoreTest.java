package dev.fairlead.integration;

import static dev.fairlead.work.spec.JobSpec.Dependency.Condition.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.token.ApiToken;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.TokenText;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.world.PendingJob.Offer;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Finished jobs leave the hot tables and remain readable. Old partitions are dropped. */
class RetentionStoreTest {
  private static final Ages AT_ONCE =
      new Ages(Duration.ZERO, Duration.ofDays(7), Duration.ofDays(1), Duration.ofDays(30));

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  @Test
  void archivedJobIsReadUnchanged() {
    Job array = world.submit(Specs.job("array").array("0-0").gpus(1).label("team", "nlp"));
    HeldDevice device = new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000001", false);
    Attempt ran = world.run(world.place(array, 0, "node-1"));
    ran = world.reported(ran, DeviceReporter.POD_STATUS, List.of(device));
    retire(world.fail(ran, FailureCause.USER_ERROR));
    Job waits = world.submit(Specs.job("waits"));
    Job before = world.job(array);
    List<JobElement> elements = stores.jobs().elements(array.id(), 0, 10);
    List<Attempt> attempts = stores.jobs().attempts(array.id(), 10);
    assertThat(attempts)
        .singleElement()
        .satisfies(a -> assertThat(a.members().getFirst().devices().disputed()).isFalse())
        .satisfies(a -> assertThat(a.members().getFirst().devices().reports()).hasSize(1));

    clear();

    assertThat(inHotTable(array)).isFalse();
    assertThat(inHotTable(waits)).isTrue();
    assertThat(world.job(array)).isEqualTo(before);
    assertThat(stores.jobs().elements(array.id(), 0, 10)).isEqualTo(elements);
    assertThat(stores.jobs().attempts(array.id(), 10)).isEqualTo(attempts);
    assertThat(stores.jobs().latestAttempts(world.tenant().id(), List.of(array.id())))
        .isEqualTo(attempts);
    assertThat(stores.jobs().list(filter(new TreeMap<>())).jobs()).containsExactly(waits, before);
    assertThat(stores.jobs().list(filter(new TreeMap<>(Map.of("team", "nlp")))).jobs())
        .containsExactly(before);
  }

  /** Fails when elements of an archived array are unknown, and all count as the array ended. */
  @Test
  void elementsOfAnArchivedArrayDecideAboutTheElementsThatNeedThem() {
    Job first = world.submit(Specs.job("first").array("0-1").retry(1));
    Job second = world.submit(Specs.job("second").array("0-1").dependsOnElements(first, SUCCEEDED));
    retire(world.succeed(world.run(world.place(first, 0, "node-1"))));
    retire(world.fail(world.run(world.place(first, 1, "node-1")), FailureCause.USER_ERROR));

    clear();

    assertThat(inHotTable(first)).isFalse();
    World read = stores.world().read();
    assertThat(read.deadElements())
        .filteredOn(dead -> dead.job().id().equals(second.id()))
        .singleElement()
        .satisfies(dead -> assertThat(dead.dependency().elements()).containsExactly(1));
    assertThat(read.pending())
        .filteredOn(pending -> pending.job().id().equals(second.id()))
        .singleElement()
        .satisfies(pending -> assertThat(pending.unmet()).isEmpty())
        .satisfies(
            pending -> assertThat(pending.offers()).extracting(Offer::index).containsExactly(0));
  }

  /**
   * Fails when a job that depends on an archived job finds no outputs, or outputs of a deleted job
   * remain.
   */
  @Test
  void outputsAreArchivedAndDeletedWithTheirJob() {
    Job job = world.submit(Specs.job("prep").outputs("model"));
    Attempt ran = world.run(world.place(job));
    SortedMap<String, String> outputs = new TreeMap<>(Map.of("model", "s3://bucket/x"));
    stores.outputs().write(job.tenant(), job.id(), ran.id(), outputs);
    retire(world.succeed(ran));

    clear();

    assertThat(inHotTable(job)).isFalse();
    assertThat(stores.outputs().of(job.tenant(), job.id(), ran.id())).isEqualTo(outputs);
    assertThat(stores.outputs().of(new TenantId(stores.ids().next()), job.id(), ran.id()))
        .as("another tenant")
        .isEmpty();
    assertThat(stores.jobs().delete(job.id())).isTrue();
    assertThat(stores.outputs().of(job.tenant(), job.id(), ran.id())).isEmpty();
  }

  /** Fails when a list of a whole tenant leaves out the archive, or a phase of the other jobs. */
  @Test
  void aListOfAllJobsMergesTheArchiveInItsOrder() {
    Job _ = world.submit(Specs.job("first"));
    Job archived = world.submit(Specs.job("archived"));
    Job placed = world.submit(Specs.job("placed"));
    retire(world.succeed(world.run(world.place(archived))));
    Attempt _ = world.run(world.place(placed));
    clear();
    Job cancelled = world.submit(Specs.job("cancelled"));
    world.cancel(cancelled);
    assertThat(inHotTable(archived)).isFalse();

    List<String> newest = names(JobFilter.Order.NEWEST, world.tenant().id());
    List<String> oldest = names(JobFilter.Order.OLDEST, world.tenant().id());

    assertThat(newest).containsExactly("cancelled", "placed", "archived", "first");
    assertThat(oldest).containsExactlyElementsOf(newest.reversed());
    assertThat(names(JobFilter.Order.NEWEST, new TenantId(stores.ids().next()))).isEmpty();
  }

  /** Names of all jobs of the tenant, in pages of one. */
  private List<String> names(JobFilter.Order order, TenantId tenant) {
    List<String> names = new ArrayList<>();
    JobFilter filter =
        new JobFilter(
            tenant,
            null,
            List.of(),
            List.of(),
            null,
            null,
            new TreeMap<>(),
            null,
            null,
            order,
            null,
            1);
    JobSlice page = stores.jobs().list(filter);
    page.jobs().forEach(job -> names.add(job.name()));
    while (page.next() != null) {
      page = stores.jobs().list(filter.behind(page.next()));
      page.jobs().forEach(job -> names.add(job.name()));
    }
    return names;
  }

  /** Fails when a pass deletes all old notices in one statement, or leaves some. */
  @Test
  void oldNoticesAreDeletedInLimitedNumbers() {
    RetentionStore rows = stores.bean(RetentionStore.class);
    int _ =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql(
                        """
                        INSERT INTO announced_notice (cluster, id, node_name, kind, reason, deadline, boot, withdrawn)
                        SELECT c.id, 'notice-' || n, 'node-1', 'MAINTENANCE', '', now() - n * interval '8 days', '', false
                        FROM cluster c, generate_series(0, 3) AS n
                        WHERE c.id = :cluster
                        """)
                    .param("cluster", world.cluster().id().value())
                    .update());

    assertThat(rows.clear(RetentionStore.Kind.HEALTH_EVENTS, Ages.DEFAULT, 2)).isEqualTo(2);
    assertThat(rows.clear(RetentionStore.Kind.HEALTH_EVENTS, Ages.DEFAULT, 2)).isOne();
    assertThat(rows.clear(RetentionStore.Kind.HEALTH_EVENTS, Ages.DEFAULT, 2)).isZero();
  }

  /** Fails when the archive loses the number of consecutive faults that ended attempts. */
  @Test
  void archiveRetainsConsecutiveFaultsOfAJobAndOfAnElement() {
    Job job = world.submit(Specs.job("one").gpus(1));
    Job array = world.submit(Specs.job("array").array("0-0").gpus(1));
    for (Job each : List.of(job, array)) {
      Failure sick = Failure.ofIncident("XID 79", 1, "worker-0", "node-1", null, "inc_1");
      retire(
          world.apply(
              world.run(world.place(each, 0, "node-1")),
              new AttemptEvent.Ended(AttemptState.FAILED, sick)));
      retire(world.fail(world.run(world.place(each, 0, "node-1")), FailureCause.USER_ERROR));
    }

    clear();

    assertThat(inHotTable(job)).isFalse();
    assertThat(inHotTable(array)).isFalse();
    assertThat(world.job(job).run().faults()).isEqualTo(1);
    assertThat(stores.jobs().elements(array.id(), 0, 10))
        .extracting(element -> element.run().faults())
        .containsExactly(1);
  }

  @Test
  void jobWithObjectsLeftOnItsClusterStays() {
    Job job = world.submit(Specs.job("ended"));
    world.succeed(world.run(world.place(job)));

    clear();

    assertThat(inHotTable(job)).isTrue();
  }

  @Test
  void jobsAreCountedInTheArchiveAndAfterTheirEndsWereSummed() {
    for (String name : List.of("one", "two")) {
      retire(world.succeed(world.run(world.place(world.submit(Specs.job(name))))));
    }
    world.submit(Specs.job("waits"));

    stores.bean(RetentionStore.class).fold();
    clear();
    stores.bean(RetentionStore.class).fold();

    assertThat(
            stores
                .jobs()
                .count(filter(new TreeMap<>()), Set.of(JobCount.Group.STATE, JobCount.Group.USER)))
        .extracting(c -> c.group().get(JobCount.Group.STATE) + " " + c.jobs())
        .containsExactly("QUEUED 1", "SUCCEEDED 2");
  }

  @Test
  void decayedUseOfAUserIsSummed() {
    // Fails when the fold adds rows of different times without decaying them.
    QuotaNode root = world.root();
    stores.quotas().update(remembering(root, Duration.ofDays(1)));
    String row =
        "INSERT INTO use_history (node, tenant, queue, used_by, milli_seconds, at) VALUES ('%s',"
            + " '%s', '%s', '%s', %d, now() - interval '%s')";
    for (String each :
        List.of(
            row.formatted(
                root.id().value(),
                root.tenant().value(),
                world.queue().id().value(),
                "ada",
                8_000_000,
                "1 day"),
            row.formatted(
                root.id().value(),
                root.tenant().value(),
                world.queue().id().value(),
                "ada",
                8_000_000,
                "0"),
            row.formatted(
                root.id().value(),
                root.tenant().value(),
                world.queue().id().value(),
                "bob",
                1_000,
                "9 days"))) {
      Embedded.run(each);
    }

    stores.bean(RetentionStore.class).fold();
    stores.bean(RetentionStore.class).fold();

    assertThat(stores.world().read().pastUses())
        .filteredOn(use -> use.node().equals(root.id()))
        .singleElement()
        .satisfies(use -> {
          assertThat(use.user()).isEqualTo("ada");
          assertThat(use.milliSeconds()).isCloseTo(12_000_000L, within(1_000L));
        });
  }

  private static QuotaNode remembering(QuotaNode n, Duration halfLife) {
    return n.with().usageHalfLife(halfLife).version(n.version() + 1).build();
  }

  @Test
  void eventsAreDeletedByDailyPartitions() {
    stores
        .jdbc()
        .sql("SELECT relname FROM pg_class WHERE relname ~ '^event_d[0-9]+$' ORDER BY 1")
        .query(String.class)
        .list()
        .forEach(day -> assertThat(day).hasSize("event_d20260101".length()));
    Embedded.run(
        "CREATE TABLE IF NOT EXISTS event_d20200101 PARTITION OF event"
            + " FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')");
    Embedded.run("ALTER TABLE event_d20200101 OWNER TO fairlead_owner");

    stores.bean(RetentionStore.class).clear(RetentionStore.Kind.EVENTS, AT_ONCE, 1);

    Boolean there =
        stores
            .jdbc()
            .sql("SELECT to_regclass('event_d20200101') IS NOT NULL")
            .query(Boolean.class)
            .single();
    assertThat(there).isFalse();
  }

  @Test
  void readerThatMissedADroppedDayIsNotifiedWhileEarlierRowsRemain() {
    // Fails when rows of a day without a partition remain, or when only the oldest row decides.
    Embedded.run(
        "CREATE TABLE event_d20210102 PARTITION OF event FOR VALUES FROM ('2021-01-02') TO"
            + " ('2021-01-03')");
    Embedded.run("ALTER TABLE event_d20210102 OWNER TO fairlead_owner");
    plant("2021-01-01", 5); // its day had no partition
    plant("2021-01-02", 7);
    plant("now", 6); // of a transaction that was open for a long time
    EventPosition missed = new EventPosition(1L << 48 | 6, 0);
    EventPosition insideTheLastRow = new EventPosition(1L << 48 | 7, 1);

    stores.bean(RetentionStore.class).clear(RetentionStore.Kind.EVENTS, AT_ONCE, 1);

    assertThat(stores.events().oldest().orElseThrow()).isGreaterThan(missed);
    assertThat(stores.events().floor()).isGreaterThan(missed).isGreaterThan(insideTheLastRow);
    Long old =
        stores
            .jdbc()
            .sql("SELECT count(*) FROM event WHERE at < '2022-01-01'")
            .query(Long.class)
            .single();
    assertThat(old).isZero();
    Embedded.run("DELETE FROM event WHERE type = 'Planted'");
  }

  private void plant(String at, int xid) {
    Embedded.run(
        """
        INSERT INTO event (at, incarnation, xid, seq, type, subject_kind, subject, version, actor, tenant, data, more)
        VALUES ('%s', 1, '%d', 0, 'Planted', 'JOB', '%s', 1, 'test', '%s', '{}', '[["Planted", {}], ["Planted", {}]]')
        """
            .formatted(at, xid, world.tenant().id().value(), world.tenant().id().value()));
  }

  @Test
  void todaysRowsAreInTodaysPartition() {
    world.submit(Specs.job("today"));

    Long elsewhere =
        stores
            .jdbc()
            .sql("SELECT count(*) FROM event WHERE tableoid = 'event_rest'::regclass")
            .query(Long.class)
            .single();

    assertThat(elsewhere).isZero();
  }

  /**
   * Fails when only expired tokens are deleted: a token that is revoked immediately would remain
   * for a long time.
   */
  @Test
  void tokensAreDeletedThirtyDaysAfterTheirEnd() {
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    ApiToken stays = token(now, now.plus(Duration.ofDays(1)), null);
    ApiToken ended = token(now, now.minus(Duration.ofDays(29)), null);
    ApiToken expired = token(now, now.minus(Duration.ofDays(31)), null);
    ApiToken maker = token(now, now.plus(Duration.ofDays(90)), null);
    ApiToken made = token(now, now.plus(Duration.ofDays(1)), maker.id());
    stores.tokens().revoke(maker, now.minus(Duration.ofDays(31)));
    RetentionStore old = stores.bean(RetentionStore.class);

    assertThat(old.oldest().get(RetentionStore.Kind.TOKENS)).isGreaterThan(Duration.ofDays(30));
    while (old.clear(RetentionStore.Kind.TOKENS, AT_ONCE, 1) > 0) {
      assertThat(old).isNotNull();
    }

    assertThat(stores.tokens().page(world.tenant().id(), null, null, 9))
        .extracting(ApiToken::id)
        .containsExactlyInAnyOrder(stays.id(), ended.id())
        .doesNotContain(expired.id(), made.id());
  }

  private ApiToken token(Instant now, Instant expires, @Nullable TokenId madeBy) {
    ApiToken token =
        new ApiToken(
            new TokenId(stores.ids().next()),
            world.tenant().id(),
            "ana",
            "laptop",
            Role.TENANT_VIEWER,
            null,
            now,
            "olga",
            madeBy,
            expires,
            null,
            null);
    stores.tokens().insert(token, TokenText.hash(token.id().text()));
    return token;
  }

  private void clear() {
    RetentionStore old = stores.bean(RetentionStore.class);
    while (old.clear(RetentionStore.Kind.JOBS, AT_ONCE, 1000) > 0) {
      assertThat(old).isNotNull();
    }
  }

  private JobFilter filter(SortedMap<String, String> labels) {
    return new JobFilter(
        world.tenant().id(),
        List.of(world.project().id()),
        List.of(),
        List.of(),
        null,
        null,
        labels,
        null,
        null,
        JobFilter.Order.NEWEST,
        null,
        10);
  }

  private void retire(Attempt ended) {
    Job job = stores.jobs().lock(List.of(ended.job())).getFirst();
    world.append(JobTransitions.retire(job, ended, world.now(), TestWorld.ACTOR));
  }

  private boolean inHotTable(Job job) {
    return stores
        .jdbc()
        .sql("SELECT EXISTS (SELECT FROM job WHERE id = :id)")
        .param("id", job.id().value())
        .query(Boolean.class)
        .single();
  }
}
