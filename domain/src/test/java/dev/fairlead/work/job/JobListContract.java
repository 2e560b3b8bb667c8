package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.QueuePlace;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads of every {@link JobStore}: lists, pages, counts and positions in a queue. */
public abstract class JobListContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void jobsAreListedNewestFirst() {
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));

    assertThat(list(Filters.of(world))).containsExactly(second, first);
  }

  /** Fails when jobs of another label, project, tenant or page are counted. */
  @Test
  void pipelinesAreCountedByState() {
    world.place(world.submit(Specs.job("a").label("pipeline", "night")));
    world.submit(Specs.job("b").label("pipeline", "night"));
    world.cancel(world.submit(Specs.job("c").label("pipeline", "day")));
    world.submit(Specs.job("d").label("pipeline-x", "none").label("pipelin", "e=other"));
    TestWorld other = TestWorld.in(stores);
    other.submit(Specs.job("e").label("pipeline", "foreign"));
    Project sibling = world.newProject("sibling");
    stores.tenants().insert(sibling);
    world.submit(
        world.newJob(Specs.job("f").label("pipeline", "night").build(), sibling, world.queue()));

    assertThat(pipelines("", 5))
        .isEqualTo(
            Map.of(
                "day",
                Map.of(JobState.CANCELLED, 1),
                "night",
                Map.of(JobState.ADMITTED, 1, JobState.QUEUED, 1)));
    assertThat(pipelines("", 1)).containsOnlyKeys("day");
    assertThat(pipelines("day", 5)).containsOnlyKeys("night");
  }

  private SortedMap<String, SortedMap<JobState, Integer>> pipelines(String after, int most) {
    return stores.jobs().pipelines(world.tenant().id(), world.project().id(), after, most);
  }

  @Test
  void pagesHaveNoGapsOrDuplicates() {
    for (int i = 0; i < 5; i++) {
      world.submit(Specs.job("job-" + i));
    }

    List<Job> head = list(Filters.of(world).limit(2));
    List<Job> middle = list(Filters.of(world).limit(2).after(head.getLast()));
    List<Job> tail = list(Filters.of(world).limit(2).after(middle.getLast()));

    assertThat(head).extracting(Job::name).containsExactly("job-4", "job-3");
    assertThat(middle).extracting(Job::name).containsExactly("job-2", "job-1");
    assertThat(tail).extracting(Job::name).containsExactly("job-0");
  }

  @Test
  void eachOrderPagesWithoutGapsOrDuplicates() {
    world.submit(Specs.job("b").priority(PriorityClass.LOW));
    world.submit(Specs.job("c").priority(PriorityClass.HIGH));
    world.submit(Specs.job("a").priority(PriorityClass.HIGH));

    assertThat(paged(JobFilter.Order.NEWEST)).containsExactly("a", "c", "b");
    assertThat(paged(JobFilter.Order.OLDEST)).containsExactly("b", "c", "a");
    assertThat(paged(JobFilter.Order.PRIORITY)).containsExactly("c", "a", "b");
    assertThat(paged(JobFilter.Order.NAME)).containsExactly("a", "b", "c");
  }

  private List<String> paged(JobFilter.Order order) {
    List<String> names = new java.util.ArrayList<>();
    JobFilter filter = Filters.of(world).order(order).limit(1).build();
    JobSlice page = stores.jobs().list(filter);
    while (page.next() != null) {
      page.jobs().forEach(job -> names.add(job.name()));
      page = stores.jobs().list(filter.behind(page.next()));
    }
    return names;
  }

  /** Fails when only the number of jobs limits a page: 500 of them could be half a gigabyte. */
  @Test
  void pageOfLargeJobsEndsEarlyAndTheNextContinues() {
    List<String> oldestFirst = new ArrayList<>();
    for (int i = 100; i < 200; i++) {
      world.submit(Specs.job("large-" + i).annotation("notes", "x".repeat(60_000)));
      oldestFirst.add("large-" + i);
    }

    for (JobFilter.Order order : List.of(JobFilter.Order.OLDEST, JobFilter.Order.NAME)) {
      List<String> names = new ArrayList<>();
      JobFilter filter = Filters.of(world).order(order).limit(500).build();
      JobSlice page = stores.jobs().list(filter);
      assertThat(page.next()).as("the first page is not the last").isNotNull();
      while (page.next() != null) {
        assertThat(page.jobs()).isNotEmpty();
        assertThat(page.jobs().size() * 60_000).isLessThanOrEqualTo(JobSlice.MOST_SPEC_BYTES);
        page.jobs().forEach(job -> names.add(job.name()));
        page = stores.jobs().list(filter.behind(page.next()));
      }
      page.jobs().forEach(job -> names.add(job.name()));
      assertThat(names).isEqualTo(oldestFirst);
    }
  }

  /** Fails when a job that is larger than a page ends the list, or is returned endlessly. */
  @Test
  void jobLargerThanAPageIsAPage() {
    world.submit(Specs.job("first"));
    world.submit(Specs.job("huge").annotation("notes", "x".repeat(JobSlice.MOST_SPEC_BYTES)));
    world.submit(Specs.job("last"));

    JobFilter filter = Filters.of(world).order(JobFilter.Order.OLDEST).build();
    JobSlice first = stores.jobs().list(filter);
    JobSlice second = stores.jobs().list(filter.behind(first.next()));
    JobSlice third = stores.jobs().list(filter.behind(second.next()));

    assertThat(first.jobs()).extracting(Job::name).containsExactly("first");
    assertThat(second.jobs()).extracting(Job::name).containsExactly("huge");
    assertThat(third.jobs()).extracting(Job::name).containsExactly("last");
    assertThat(third.next()).isNull();
  }

  @Test
  void severalStatesAreListedTogether() {
    Job waits = world.submit(Specs.job("waits"));
    Job runs = world.submit(Specs.job("runs"));
    world.run(world.place(runs));
    Job newest = world.submit(Specs.job("newest"));

    assertThat(names(Filters.of(world).states(JobState.QUEUED, JobState.RUNNING)))
        .containsExactly("newest", "runs", "waits");
    assertThat(names(Filters.of(world).states(JobState.QUEUED, JobState.RUNNING).after(newest)))
        .containsExactly("runs", waits.name());
  }

  @Test
  void jobsAreCountedByGroups() {
    world.submit(Specs.job("waits").gpus(2));
    Job runs = world.submit(Specs.job("runs").gpus(1));
    world.run(world.place(runs));
    String queue = world.queue().name();

    java.util.SortedMap<JobCount.Group, String> waiting =
        new java.util.TreeMap<>(
            java.util.Map.of(JobCount.Group.STATE, "QUEUED", JobCount.Group.QUEUE, queue));
    assertThat(
            stores
                .jobs()
                .count(
                    Filters.of(world).build(),
                    java.util.Set.of(JobCount.Group.STATE, JobCount.Group.QUEUE)))
        .hasSize(2)
        .contains(new JobCount(waiting, 1, 2000));
    assertThat(
            stores
                .jobs()
                .count(
                    Filters.of(world).states(JobState.RUNNING).build(),
                    java.util.Set.of(JobCount.Group.PROJECT)))
        .extracting(JobCount::jobs)
        .containsExactly(1L);
  }

  @Test
  void endedJobsAreCountedOnceByTheirEnd() {
    Job done = world.submit(Specs.job("done").gpus(2));
    Attempt ended = world.succeed(world.run(world.place(done)));
    world.append(JobTransitions.retire(world.job(done), ended, world.now(), "test"));
    world.cancel(world.submit(Specs.job("gone").gpus(1)));
    world.submit(Specs.job("waits").gpus(1));

    assertThat(
            stores.jobs().count(Filters.of(world).build(), java.util.Set.of(JobCount.Group.STATE)))
        .extracting(c -> c.group().get(JobCount.Group.STATE) + " " + c.jobs() + " " + c.gpuMilli())
        .containsExactly("CANCELLED 1 1000", "QUEUED 1 1000", "SUCCEEDED 1 2000");
  }

  @Test
  void jobsNamingOnlyOneClusterAreConfinedToItUntilTheyEnd() {
    String here = world.cluster().name();
    world.submit(Specs.job("anywhere"));
    world.submit(Specs.job("two").placement(among(here, "elsewhere")));
    world.submit(Specs.job("elsewhere").placement(among("elsewhere")));
    world.submit(Specs.job("waits").placement(among(here)));
    Job runs = world.submit(Specs.job("runs").placement(among(here)));
    Attempt attempt = world.run(world.place(runs));

    assertThat(stores.jobs().confinedTo(here, 5)).containsExactly("runs", "waits");
    assertThat(stores.jobs().confinedTo(here, 1)).containsExactly("runs");
    world.succeed(attempt);
    assertThat(stores.jobs().confinedTo(here, 5)).containsExactly("waits");
  }

  private static PlacementSpec among(String... clusters) {
    return PlacementSpec.ANYWHERE.with().clusters(List.of(clusters)).build();
  }

  @Test
  void deletedJobLeavesListsAndCountsOnceItsObjectsAreGone() {
    Job job = world.submit(Specs.job("done").label("team", "nlp"));
    assertThat(stores.jobs().delete(job.id())).isFalse();
    Attempt ended = world.succeed(world.run(world.place(job)));
    assertThat(stores.jobs().delete(job.id())).isFalse();
    world.append(JobTransitions.retire(world.job(job), ended, world.now(), "test"));
    Job waits =
        world.submit(Specs.job("waits").dependsOn(job, JobSpec.Dependency.Condition.SUCCEEDED));
    assertThat(stores.jobs().dependent(world.tenant().id(), job.id())).contains("waits");
    assertThat(stores.jobs().dependent(world.tenant().id(), waits.id())).isEmpty();

    assertThat(stores.transactions().call(() -> stores.jobs().delete(job.id()))).isTrue();

    assertThat(stores.jobs().find(world.tenant().id(), job.id())).isEmpty();
    assertThat(stores.jobs().attempts(job.id(), 10)).isEmpty();
    assertThat(names(Filters.of(world).label("team", "nlp"))).isEmpty();
    assertThat(
            stores.jobs().count(Filters.of(world).build(), java.util.Set.of(JobCount.Group.STATE)))
        .extracting(c -> c.group().get(JobCount.Group.STATE) + " " + c.jobs())
        .containsExactly("QUEUED 1");
  }

  @Test
  void filtersAreCombinedByAndAndTheirValuesByOr() {
    Job waits = world.submit(Specs.job("waits").label("team", "nlp").label("tier", "1"));
    Job runs = world.submit(Specs.job("runs").label("team", "nlp"));
    world.run(world.place(runs));
    world.cancel(world.submit(Specs.job("cancelled").label("team", "vision")));

    assertThat(names(Filters.of(world).states(JobState.QUEUED, JobState.RUNNING)))
        .containsExactly("runs", "waits");
    assertThat(names(Filters.of(world).label("team", "nlp"))).containsExactly("runs", "waits");
    assertThat(names(Filters.of(world).label("team", "nlp").label("tier", "1")))
        .containsExactly("waits");
    assertThat(names(Filters.of(world).label("team", "nlp").states(JobState.RUNNING)))
        .containsExactly("runs");
    assertThat(names(Filters.of(world).name("waits"))).containsExactly("waits");
    assertThat(names(Filters.of(world).nameContains("ait"))).containsExactly("waits");
    assertThat(names(Filters.of(world).nameContains("s").states(JobState.RUNNING)))
        .containsExactly("runs");
    assertThat(names(Filters.of(world).user("ana"))).hasSize(3);
    assertThat(names(Filters.of(world).user("bob"))).isEmpty();
    assertThat(names(Filters.of(world).createdAfter(waits.createdAt().plusSeconds(3600))))
        .isEmpty();
    assertThat(names(Filters.of(world).createdAfter(waits.createdAt().minusSeconds(3600))))
        .hasSize(3);
    assertThat(names(Filters.of(world).createdBefore(waits.createdAt().minusSeconds(3600))))
        .isEmpty();
    assertThat(names(Filters.of(world).createdBefore(waits.createdAt().plusSeconds(3600))))
        .hasSize(3);
  }

  @Test
  void jobIsFoundByItsCurrentLabels() {
    Job job = world.submit(Specs.job("job").label("team", "nlp").label("tier", "1"));
    JobSpec changed = Specs.job("job").label("team", "vision").label("tier", "1").build();

    world.append(OwnerTransitions.patch(world.job(job), changed, List.of("labels"), "test"));

    assertThat(names(Filters.of(world).label("team", "nlp"))).isEmpty();
    assertThat(names(Filters.of(world).label("team", "vision"))).containsExactly("job");
    assertThat(names(Filters.of(world).label("tier", "1"))).containsExactly("job");
  }

  @Test
  void jobsAreFoundByProjectAndByTheNameOfTheirQueue() {
    Project project = world.newProject("other");
    stores.tenants().insert(project);
    QuotaNode queue = world.node("side", world.root(), List.of(), QueueSettings.DEFAULT);
    stores.quotas().insert(queue);
    world.submit(Specs.job("here"));
    world.submit(world.newJob(Specs.job("there").build(), project, queue));

    assertThat(names(Filters.of(world).projects(project.id()))).containsExactly("there");
    assertThat(names(Filters.of(world).queues("side"))).containsExactly("there");
    assertThat(names(Filters.of(world).queues("side", "queue"))).containsExactly("there", "here");
  }

  /** Fails when a list of several projects has others, or only one of them. */
  @Test
  void listOfSeveralProjectsHasOnlyTheirJobs() {
    Project second = world.newProject("second");
    Project third = world.newProject("third");
    stores.tenants().insert(second);
    stores.tenants().insert(third);
    world.submit(Specs.job("first"));
    world.submit(world.newJob(Specs.job("second").build(), second, world.queue()));
    world.submit(world.newJob(Specs.job("third").build(), third, world.queue()));

    for (JobFilter.Order order : JobFilter.Order.values()) {
      assertThat(names(Filters.of(world).projects(world.project().id(), third.id()).order(order)))
          .as(order.name())
          .containsExactlyInAnyOrder("third", "first");
      assertThat(names(Filters.of(world).projects().order(order))).as(order.name()).isEmpty();
    }
  }

  @Test
  void aPlaceInTheQueueIsByPriorityThenTime() {
    Job first = world.submit(Specs.job("first").gpus(1));
    Job second = world.submit(Specs.job("second").workers(2).gpus(4));
    Job urgent = world.submit(Specs.job("urgent").gpus(8).priority(PriorityClass.URGENT));

    assertThat(stores.jobs().queuePlace(urgent.id())).contains(new QueuePlace(1, 3, 0));
    assertThat(stores.jobs().queuePlace(first.id())).contains(new QueuePlace(2, 3, 8000));
    assertThat(stores.jobs().queuePlace(second.id())).contains(new QueuePlace(3, 3, 9000));
  }

  @Test
  void jobThatIsNotWaitingHasNoQueuePosition() {
    Job placed = world.submit(Specs.job("placed"));
    world.place(placed);
    Job waits = world.submit(Specs.job("waits"));

    assertThat(stores.jobs().queuePlace(placed.id())).isEmpty();
    assertThat(stores.jobs().queuePlace(waits.id())).contains(new QueuePlace(1, 1, 0));
  }

  private List<Job> list(Filters filter) {
    return stores.jobs().list(filter.build()).jobs();
  }

  private List<String> names(Filters filter) {
    return list(filter).stream().map(Job::name).toList();
  }
}
