package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitQuery.Group;
import dev.fairlead.money.usage.WaitRow;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waits of jobs and their reasons, observed at times set by the test. */
class WaitHoursTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long MINUTE = HOUR / 60;
  private static final long BEGIN = Instant.parse("2030-01-31T23:00:00Z").toEpochMilli();
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final WaitStore waits = stores.bean(WaitStore.class);
  private final UseLedger ledger = stores.bean(UseLedger.class);

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void noJobsOfOthers() {
    stores.jdbc().sql("DELETE FROM wait_interval").update();
    stores.jdbc().sql("DELETE FROM use_fact").update();
    stores
        .jdbc()
        .sql("UPDATE job SET state = 'SUSPENDED' WHERE state = 'QUEUED' AND tenant <> :tenant")
        .param("tenant", world.tenant().id().value())
        .update();
  }

  private Job waiting(String name) {
    return world.submit(Specs.job(name).gpus(1));
  }

  private void told(Reason reason, Job... jobs) {
    String key = world.uniqueName("class");
    Map<JobId, String> classes = new TreeMap<>();
    for (Job job : jobs) {
      classes.put(job.id(), key);
    }
    Blocker blocker =
        new Blocker(
            reason, new Blocker.Scope(Blocker.Scope.Kind.FLEET, ""), "why", new TreeMap<>(), null);
    stores
        .explanations()
        .put(
            Map.of(key, new Explanation(world.now(), List.of(blocker), List.of(), List.of(), null)),
            classes);
  }

  private void look(long minutes) {
    waits.look(BEGIN + minutes * MINUTE);
  }

  private void write(long hour, long minutes) {
    ledger.write(waits.sums(BEGIN + hour * HOUR, BEGIN + minutes * MINUTE));
  }

  private List<HourDifference> differences() {
    return ledger.stored(BEGIN).differences(waits.sums(BEGIN, BEGIN + HOUR));
  }

  /** Minutes that jobs waited, by hour or month and cause. */
  private Map<String, Long> report(UsageQuery.Period period, @Nullable List<ProjectId> projects) {
    Map<String, Long> found = new TreeMap<>();
    for (WaitRow row :
        new WaitQuery(
                world.tenant().id(),
                projects,
                period,
                new TreeSet<>(List.of(Group.CAUSE)),
                Instant.ofEpochMilli(BEGIN),
                Instant.ofEpochMilli(BEGIN + 2 * HOUR),
                100)
            .report(ledger)) {
      found.put(
          row.begin().toString().substring(0, 13) + " " + row.group().get(Group.CAUSE),
          row.jobMillis() / MINUTE);
    }
    return found;
  }

  /** Fails when a wait counts after it ended, for another cause, or beyond the hour. */
  @Test
  void jobsWaitForTheFirstDisplayedCause() {
    Job one = waiting("one");
    Job two = waiting("two");
    look(0);
    told(Reason.QUOTA, one, two);
    look(1);
    Job three = waiting("three");
    told(Reason.CAPACITY, three);
    look(31);
    told(Reason.CAPACITY, two);
    look(41);
    world.run(world.place(one, 0, "node-1"));
    look(51);
    look(75);
    write(0, 60);
    write(1, 75);

    assertThat(report(UsageQuery.Period.HOUR, null))
        .isEqualTo(
            Map.of(
                "2030-01-31T23 NOT_EVALUATED",
                2L,
                "2030-01-31T23 QUOTA",
                2L * 40 + 10,
                "2030-01-31T23 CAPACITY",
                10L + 2 * 19,
                "2030-02-01T00 CAPACITY",
                2L * 15));
    assertThat(report(UsageQuery.Period.MONTH, List.of(world.project().id())))
        .containsEntry("2030-02-01T00 CAPACITY", 30L);
    assertThat(report(UsageQuery.Period.MONTH, List.of())).isEmpty();
  }

  /** Fails when writing an hour again changes it, or a sum that is missing is not found. */
  @Test
  void anHourIsWrittenAgainFromItsSpans() {
    told(Reason.BUDGET_SPENT, waiting("one"));
    look(10);
    look(60);
    write(0, 60);
    Map<String, Long> right = report(UsageQuery.Period.HOUR, null);
    assertThat(right).isEqualTo(Map.of("2030-01-31T23 BUDGET_SPENT", 50L));
    assertThat(differences()).isEmpty();

    stores.jdbc().sql("DELETE FROM use_fact").update();
    assertThat(differences()).hasSize(1);
    assertThat(differences().getFirst().key()).containsEntry("cause", "BUDGET_SPENT");
    assertThat(differences().getFirst().reckoned()).isEqualTo(50 * MINUTE);
    write(0, 60);
    assertThat(report(UsageQuery.Period.HOUR, null)).isEqualTo(right);
  }

  /** Fails when an unchanged number adds a row at each check. */
  @Test
  void unchangedNumberIsOneSpan() {
    told(Reason.QUOTA, waiting("one"), waiting("two"));
    for (int minute = 0; minute < 30; minute++) {
      look(minute);
    }

    assertThat(stores.jdbc().sql("SELECT jobs FROM wait_interval").query(Integer.class).list())
        .containsExactly(2);
  }
}
