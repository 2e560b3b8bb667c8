package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class NamespaceRemovalStoreContract {
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final Duration LONG = Duration.ofHours(1);
  private Stores stores;
  private TestWorld world;
  private ClusterId cluster;

  protected abstract Stores stores();

  @BeforeEach
  void aTenant() {
    stores = stores();
    world = TestWorld.in(stores);
    cluster = world.cluster().id();
  }

  private void archive() {
    Tenant archiving = world.tenant().in(Tenant.State.ARCHIVING);
    stores.tenants().update(archiving);
    stores.tenants().update(archiving.in(Tenant.State.ARCHIVED));
    stores.removals().want(world.tenant().id());
  }

  private List<NamespaceRemoval> due() {
    return stores.removals().due(cluster, 1_000).stream()
        .filter(removal -> removal.tenant().equals(world.tenant().id()))
        .toList();
  }

  /** Fails when a project or a cluster is omitted, or one is requested again each time. */
  @Test
  void namespacesOfAnArchivedTenantAreDueOnEveryCluster() {
    Project second = world.newProject("second");
    stores.tenants().insert(second);
    ClusterId other = TestWorld.in(stores).cluster().id();
    archive();
    stores.removals().want(world.tenant().id());

    assertThat(due())
        .extracting(NamespaceRemoval::namespace)
        .containsExactlyInAnyOrder(world.project().namespace(), second.namespace());
    assertThat(stores.removals().due(other, 1_000))
        .extracting(NamespaceRemoval::project)
        .contains(world.project().id(), second.id());
  }

  /**
   * Fails when the namespace of an existing project is removed, even if a deleted project had the
   * same one.
   */
  @Test
  void namespaceOfAnActiveProjectIsNotDue() {
    stores.removals().want(world.project());
    assertThat(due()).isEmpty();

    TestWorld other = TestWorld.in(stores);
    Project living = other.newProject("living");
    Project same =
        living
            .with()
            .namespace(world.project().namespace())
            .egress(Egress.OPEN)
            .idle(null)
            .version(1)
            .build();
    stores.tenants().insert(same);
    archive();
    assertThat(due()).isEmpty();

    stores.tenants().delete(same);
    assertThat(due()).extracting(NamespaceRemoval::project).containsExactly(world.project().id());
  }

  /** Fails when the deleted project is looked up. */
  @Test
  void namespaceOfADeletedProjectIsDue() {
    Project empty = world.newProject("empty");
    stores.tenants().insert(empty);
    stores.tenants().delete(empty);
    stores.removals().want(empty);

    assertThat(due())
        .singleElement()
        .satisfies(removal -> {
          assertThat(removal.namespace()).isEqualTo(empty.namespace());
          assertThat(removal.project()).isEqualTo(empty.id());
          assertThat(removal.tries()).isZero();
          assertThat(removal.why()).isNull();
        });
  }

  /** Fails when a namespace with possible pods or unstored results is removed. */
  @Test
  void removalWaitsUntilEveryAttemptIsCleanedUp() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    archive();
    assertThat(due()).isEmpty();

    world.append(JobTransitions.retire(world.job(job), ended, world.now(), TestWorld.ACTOR));

    assertThat(due()).hasSize(1);
  }

  /**
   * Fails when a remaining namespace is retried without a pause, or a removed one is checked again.
   */
  @Test
  void failedRemovalIsRetriedLaterAndACompletedOneIsForgotten() {
    archive();
    NamespaceRemoval first = due().getFirst();
    stores.removals().later(first, "it holds 1 secrets", AT_ONCE);
    NamespaceRemoval second = due().getFirst();
    assertThat(second.tries()).isEqualTo(1);
    assertThat(second.why()).isEqualTo("it holds 1 secrets");
    assertThat(second.since()).isEqualTo(first.since());
    assertThat(left(1)).containsExactly(second);
    assertThat(left(2)).isEmpty();

    stores.removals().later(second, "it holds 2 secrets", LONG);
    assertThat(due()).isEmpty();
    assertThat(left(2))
        .singleElement()
        .extracting(NamespaceRemoval::why)
        .isEqualTo("it holds 2 secrets");

    stores.removals().done(second);
    stores.removals().later(second, "late", AT_ONCE);
    assertThat(left(0)).isEmpty();
    assertThat(due()).isEmpty();
  }

  private List<NamespaceRemoval> left(int tries) {
    return stores.removals().left(tries, 1_000).stream()
        .filter(removal -> removal.cluster().equals(cluster))
        .filter(removal -> removal.tenant().equals(world.tenant().id()))
        .toList();
  }
}
