package dev.fairlead.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class FrontStoreContract {
  private static final Instant AT = Instant.parse("2026-03-01T13:00:00Z");
  private Stores stores;
  private TestWorld world;
  private FrontStore fronts;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    fronts = stores.fronts();
  }

  private FrontNamespace mapped(String namespace) {
    FrontNamespace mapped =
        new FrontNamespace(
            world.cluster().id(), namespace, world.tenant().id(), world.project().id(), "ada", AT);
    fronts.put(mapped);
    return mapped;
  }

  private FrontJob taken(String uid, @Nullable Job job) {
    FrontJob row =
        new FrontJob(
            world.cluster().id(),
            uid,
            "team-a",
            "train",
            world.tenant().id(),
            world.project().id(),
            job == null ? null : job.id(),
            false,
            AT);
    assertThat(fronts.insert(List.of(row))).containsExactly(uid);
    return row;
  }

  private List<String> moved() {
    return fronts.moved(world.cluster().id(), "", 10);
  }

  private void shown(String uid, long version) {
    TreeMap<String, Long> versions = new TreeMap<>();
    versions.put(uid, version);
    fronts.shown(world.cluster().id(), versions);
  }

  @Test
  void namespaceIsMappedToOneProjectPerCluster() {
    FrontNamespace first = mapped("team-b");
    FrontNamespace second = mapped("team-a");
    TestWorld other = TestWorld.in(stores);

    assertThat(fronts.namespaces(world.cluster().id())).containsExactly(second, first);
    assertThat(fronts.namespaces()).contains(first, second);
    assertThat(fronts.namespaces(other.cluster().id())).isEmpty();

    FrontNamespace again =
        new FrontNamespace(
            world.cluster().id(),
            "team-a",
            other.tenant().id(),
            other.project().id(),
            "ben",
            AT.plusSeconds(1));
    fronts.put(again);
    assertThat(fronts.namespaces(world.cluster().id())).containsExactly(again, first);
    assertThat(fronts.remove(world.cluster().id(), "team-a")).isTrue();
    assertThat(fronts.remove(world.cluster().id(), "team-a")).isFalse();
    assertThat(fronts.namespaces(world.cluster().id())).containsExactly(first);
  }

  @Test
  void blockersOfFrontJobsAreStoredUntilTheyClear() {
    fronts.tell(world.cluster().id(), "of no use without a namespace");
    assertThat(fronts.troubles()).doesNotContainKey(world.cluster().id());
    mapped("team-a");
    mapped("team-b");
    fronts.tell(world.cluster().id(), "forbidden");
    fronts.tell(world.cluster().id(), "forbidden");
    assertThat(fronts.troubles()).containsEntry(world.cluster().id(), "forbidden");
    fronts.tell(world.cluster().id(), null);
    assertThat(fronts.troubles()).doesNotContainKey(world.cluster().id());
  }

  @Test
  void frontJobIsAdoptedOnceAndRetainedUntilItsRemoval() {
    FrontJob row = taken("uid-1", null);
    taken("uid-2", null);
    assertThat(fronts.find(row.cluster(), List.of("uid-1", "uid-9"))).containsExactly(row);
    assertThat(fronts.find(TestWorld.in(stores).cluster().id(), List.of("uid-1"))).isEmpty();
    assertThat(fronts.taken(row.cluster(), "", 10)).containsExactly("uid-1", "uid-2");
    assertThat(fronts.taken(row.cluster(), "uid-1", 10)).containsExactly("uid-2");
    assertThat(fronts.taken(row.cluster(), "", 1)).containsExactly("uid-1");
    assertThat(fronts.counts(row.cluster())).containsEntry("team-a", 2).hasSize(1);
    assertThat(fronts.insert(List.of(row))).as("it has a row").isEmpty();

    Job job = submitted("train");
    FrontJob next = row.submitted(job.id()).suspended(true);
    assertThat(fronts.update(List.of(next))).containsExactly("uid-1");
    assertThat(fronts.find(row.cluster(), List.of("uid-1"))).containsExactly(next);
    fronts.remove(List.of(next));
    assertThat(fronts.find(row.cluster(), List.of("uid-1"))).isEmpty();
    assertThat(fronts.update(List.of(next))).isEmpty();
  }

  private Job submitted(String name) {
    return world.submit(Specs.job(name));
  }

  /** Fails when a written version is written again in each pass, or a later version never. */
  @Test
  void jobIsPendingUntilItsLatestVersionIsWrittenToTheFront() {
    Job job = submitted("moves");
    taken("uid-1", job);
    taken("uid-2", null);
    taken("uid-3", submitted("stays"));
    shown("uid-3", 1);
    assertThat(moved()).containsExactly("uid-1");
    assertThat(fronts.moved(world.cluster().id(), "uid-1", 10)).isEmpty();

    shown("uid-1", job.version());
    assertThat(moved()).isEmpty();

    stores
        .transactions()
        .run(() ->
            stores
                .jobs()
                .append(
                    List.of(JobTransitions.cancel(job, false, AT, TestWorld.ACTOR).orElseThrow())));
    assertThat(moved()).containsExactly("uid-1");
  }

  private @Nullable FrontBreaker breaker() {
    return fronts.breakers().get(world.cluster().id());
  }

  /**
   * Fails when a confirmation covers Jobs that were not missing yet, or remains valid after their
   * return.
   */
  @Test
  void confirmedLossCoversMissingJobsUntilTheyReturn() {
    ClusterId cluster = world.cluster().id();
    List.of("uid-1", "uid-2", "uid-3").forEach(uid -> taken(uid, null));
    assertThat(breaker()).isNull();

    fronts.mark(cluster, List.of("uid-1", "uid-2"), AT);
    fronts.mark(cluster, List.of("uid-1", "uid-2"), AT.plusSeconds(9));
    assertThat(breaker()).isEqualTo(new FrontBreaker(cluster, 2, 3, AT));
    assertThat(fronts.confirm(cluster)).containsExactly(Map.entry(world.tenant().id(), 2));
    assertThat(fronts.confirm(cluster)).as("confirmed before").isEmpty();
    assertThat(fronts.confirmed(cluster)).containsExactly("uid-1", "uid-2");
    assertThat(breaker()).isNull();

    fronts.mark(cluster, List.of("uid-2", "uid-3"), AT.plusSeconds(20));
    assertThat(breaker()).isEqualTo(new FrontBreaker(cluster, 1, 3, AT.plusSeconds(20)));
    assertThat(fronts.confirmed(cluster)).containsExactly("uid-2");

    fronts.mark(cluster, List.of(), AT.plusSeconds(30));
    fronts.mark(cluster, List.of("uid-2"), AT.plusSeconds(40));
    assertThat(fronts.confirmed(cluster)).isEmpty();
    assertThat(breaker()).isEqualTo(new FrontBreaker(cluster, 1, 3, AT.plusSeconds(40)));
  }
}
