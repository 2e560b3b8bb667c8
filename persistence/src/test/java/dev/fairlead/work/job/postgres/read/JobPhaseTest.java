package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Phases of jobs in the database and in lists, and the steps that write no index entry. */
class JobPhaseTest {
  private static final int FEW = 2;
  private static final int WALKED = 3;
  private static final int PAGE = 2;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final JobList bounded = new JobList(stores.bean(JdbcClient.class), FEW, WALKED);

  /** Fails when a state is listed in a different phase than the database stores. */
  @Test
  void theDatabaseAndTheListsAgreeOnThePhaseOfEachState() {
    Job job = world.submit(Specs.job("phases"));
    TreeMap<JobState, String> stored = new TreeMap<>();
    for (JobState state : JobState.values()) {
      stored.put(state, phase(job, state));
    }
    assertThat(phase(job, JobState.QUEUED)).isEqualTo("QUEUED");

    assertThat(stored)
        .allSatisfy((state, phase) -> assertThat(phase).isEqualTo(JobPhase.of(state).name()));
  }

  /** Fails when a statement that counts or searches active jobs omits a phase. */
  @Test
  void statementsThatNameThePhasesOfActiveJobsNameAll() {
    String active =
        Arrays.stream(JobPhase.values())
            .filter(phase -> phase.table().equals("job"))
            .map(phase -> "'" + phase.name() + "'")
            .sorted()
            .collect(Collectors.joining(", "));

    for (String file : List.of("budget/held", "job/active-count-of-tenant", "job/dependents")) {
      String listed = SqlFile.named(file).text().replaceAll("(?s).*phase IN \\(([^)]*)\\).*", "$1");
      assertThat(Stream.of(listed.split(", ")).sorted().collect(Collectors.joining(", ")))
          .as(file)
          .isEqualTo(active);
    }
  }

  private String phase(Job job, JobState state) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("UPDATE job SET state = :state WHERE id = :id RETURNING phase")
                .param("state", state.name())
                .param("id", job.id().value())
                .query(String.class)
                .single());
  }

  /** Fails when an index of jobs or attempts has the state, in its columns or its condition. */
  @Test
  void theStepsOfAPlacedJobWriteNoIndexEntry() {
    Attempt attempt = world.place(world.submit(Specs.job("placed")));
    UUID job = attempt.job().value();
    UUID id = attempt.id().value();

    assertThat(hot("attempt", "state = 'LAUNCHING', launched_at = now()", id)).isOne();
    assertThat(hot("job", "state = 'STARTING', changed_at = now(), version = 9", job)).isOne();
    assertThat(hot("job", "state = 'RUNNING', started_at = now(), version = 10", job)).isOne();
    assertThat(hot("attempt", "state = 'PULLING'", id)).as("now it is observed").isZero();
    assertThat(hot("attempt", "state = 'RUNNING', started_at = now()", id)).isOne();
  }

  /** HOT updates by a change of one row. */
  private long hot(String table, String change, UUID id) {
    return stores
        .transactions()
        .forAllTenants(() -> {
          long before = hotUpdates(table);
          int changed =
              stores
                  .jdbc()
                  .sql("UPDATE " + table + " SET " + change + " WHERE id = :id")
                  .param("id", id)
                  .update();
          assertThat(changed).isOne();
          return hotUpdates(table) - before;
        });
  }

  private long hotUpdates(String table) {
    return stores
        .jdbc()
        .sql("SELECT pg_stat_get_xact_tuples_hot_updated(CAST(:table AS regclass))")
        .param("table", table)
        .query(Long.class)
        .single();
  }

  /**
   * Fails when a page of a single state of placed jobs reads all placed jobs, or when its pages do
   * not add up to the whole list.
   */
  @Test
  void aStateOfPlacedJobsIsSearchedInPagesOfBoundedLength() {
    Job admitted = world.submit(Specs.job("admitted"));
    Attempt _ = world.place(admitted);
    List<String> running = new ArrayList<>();
    for (String name : List.of("one", "two", "three", "four")) {
      Attempt _ = world.run(world.place(world.submit(Specs.job(name).gpus(0))));
      running.addFirst(name);
    }

    JobSlice first = page(filter(JobState.ADMITTED));

    assertThat(first.jobs()).isEmpty();
    assertThat(first.next()).isNotNull();
    assertThat(joined(JobState.ADMITTED)).containsExactly("admitted");
    assertThat(joined(JobState.RUNNING)).isEqualTo(running);
    assertThat(joined(JobState.ADMITTED, JobState.STARTING, JobState.RUNNING))
        .containsExactlyElementsOf(Stream.concat(running.stream(), Stream.of("admitted")).toList());
  }

  /** Fails when all placed jobs of a user are read to count the jobs of one state. */
  @Test
  void aPageByPriorityCountsTheJobsOfAPhase() {
    for (String name : List.of("one", "two", "three")) {
      Attempt _ = world.run(world.place(world.submit(Specs.job(name).gpus(0))));
    }
    Job admitted = world.submit(Specs.job("admitted"));
    Attempt _ = world.place(admitted);
    JobFilter filter = byPriority(admitted.user(), JobState.ADMITTED);

    assertThat(page(filter).jobs()).as("among the jobs that one page checks").isEmpty();
    assertThat(joined(filter)).containsExactly("admitted");
  }

  private List<String> joined(JobState... states) {
    return joined(filter(states));
  }

  private List<String> joined(JobFilter filter) {
    List<String> names = new ArrayList<>();
    JobSlice page = page(filter);
    page.jobs().forEach(job -> names.add(job.name()));
    while (page.next() != null) {
      page = page(filter.behind(page.next()));
      page.jobs().forEach(job -> names.add(job.name()));
    }
    return names;
  }

  private JobSlice page(JobFilter filter) {
    return stores.transactions().read(() -> bounded.list(filter));
  }

  private JobFilter filter(JobState... states) {
    return filter(null, JobFilter.Order.NEWEST, states);
  }

  private JobFilter byPriority(String user, JobState... states) {
    return filter(user, JobFilter.Order.PRIORITY, states);
  }

  private JobFilter filter(@Nullable String user, JobFilter.Order order, JobState... states) {
    return new JobFilter(
        world.tenant().id(),
        List.of(world.project().id()),
        Arrays.asList(states),
        List.of(),
        user,
        null,
        new TreeMap<>(),
        null,
        null,
        order,
        null,
        PAGE);
  }
}
