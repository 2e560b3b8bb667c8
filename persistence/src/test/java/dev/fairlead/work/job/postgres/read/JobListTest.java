package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lists with bounds so low that a dozen jobs exceed them. */
class JobListTest {
  private static final int FEW = 2;
  private static final int WALKED = 3;
  private static final int PAGE = 2;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Creation time of the seventh job. */
  private Instant middle = Instant.MAX;

  private final JobList bounded = new JobList(stores.bean(JdbcClient.class), FEW, WALKED);

  @BeforeEach
  void aDozenJobs() {
    for (int i = 0; i < 12; i++) {
      Job job =
          world.submit(
              Specs.job("job-" + (i * 7 % 12))
                  .label("team", i % 2 == 0 ? "nlp" : "vision")
                  .label("tier", i == 0 ? "rare" : "usual"));
      middle = i == 6 ? job.createdAt() : middle;
      if (i % 4 == 3) {
        world.cancel(job);
      }
    }
  }

  @Test
  void pagesThatEndEarlyJoinToTheWholeListInEveryOrder() {
    for (JobFilter.Order order : JobFilter.Order.values()) {
      for (JobFilter filter : filters(order)) {
        List<String> whole = names(stores.jobs().list(filter).jobs());
        assertThat(joined(filter)).as("%s", filter).isEqualTo(whole);
      }
    }
  }

  /** Without the position after the last examined row the list would end here. */
  @Test
  void pageWithoutJobsHasAContinuationToken() {
    JobFilter cancelledNlp =
        filter(JobFilter.Order.NAME, List.of(JobState.CANCELLED), "usual", Map.of("team", "nlp"));

    JobSlice first = page(cancelledNlp);

    assertThat(first.jobs()).isEmpty();
    assertThat(first.next()).isNotNull();
    assertThat(joined(cancelledNlp)).isEmpty();
  }

  @Test
  void rareMatchesFitOnePageWhereverTheyAre() {
    for (JobFilter.Order order : JobFilter.Order.values()) {
      JobSlice page = page(filter(order, List.of(), "rare", Map.of()));

      assertThat(names(page.jobs())).containsExactly("job-0");
      assertThat(page.next()).isNull();
    }
  }

  private List<JobFilter> filters(JobFilter.Order order) {
    List<JobFilter> filters = new ArrayList<>();
    for (List<JobState> states :
        List.of(
            List.<JobState>of(),
            List.of(JobState.CANCELLED),
            List.of(JobState.QUEUED, JobState.RUNNING))) {
      JobFilter usual = filter(order, states, "usual", Map.of());
      filters.add(usual);
      JobFilter early = early(usual);
      assertThat(stores.jobs().list(early).jobs()).hasSizeBetween(1, 5);
      filters.add(early);
      JobFilter vision = filter(order, states, "usual", Map.of("team", "vision"));
      filters.add(vision);
      ProjectId another = new ProjectId(stores.ids().next());
      filters.add(like(vision, List.of(another, world.project().id()), vision.limit()));
    }
    return filters;
  }

  private JobFilter filter(
      JobFilter.Order order, List<JobState> states, String tier, Map<String, String> labels) {
    TreeMap<String, String> all = new TreeMap<>(labels);
    all.put("tier", tier);
    return new JobFilter(
        world.tenant().id(),
        List.of(world.project().id()),
        states,
        List.of(world.queue().name()),
        null,
        null,
        all,
        world.now().minusSeconds(3600),
        null,
        order,
        null,
        500);
  }

  private JobSlice page(JobFilter filter) {
    return stores.transactions().read(() -> bounded.list(filter));
  }

  private List<String> joined(JobFilter filter) {
    List<String> names = new ArrayList<>();
    JobSlice page = page(limited(filter));
    names.addAll(names(page.jobs()));
    while (page.next() != null) {
      page = page(limited(filter).behind(page.next()));
      assertThat(page.jobs().size()).isLessThanOrEqualTo(PAGE);
      names.addAll(names(page.jobs()));
    }
    return names;
  }

  private static JobFilter limited(JobFilter filter) {
    return like(filter, filter.projects(), PAGE);
  }

  private JobFilter early(JobFilter filter) {
    return filter.with().createdBefore(middle).after(null).build();
  }

  private static JobFilter like(JobFilter filter, @Nullable List<ProjectId> projects, int limit) {
    return filter.with().projects(projects).after(null).limit(limit).build();
  }

  private static List<String> names(List<Job> jobs) {
    return jobs.stream().map(Job::name).toList();
  }
}
