package dev.fairlead.people.project.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProjectsTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Actor owner = new Actor(world.tenant().id(), "olga", Role.TENANT_OWNER);
  private final Projects projects =
      ServiceParts.projects(stores, new Idempotency(stores.idempotency()));

  /** Fails when a deleted and recreated project may use the queues of the first. */
  @Test
  void laterProjectOfTheSameNameHasNoneOfItsQueues() {
    projects.create(owner, "vision", world.queue().name(), null, false);
    name("vision", world.project().name());

    projects.delete(owner, "vision", null, true);
    assertThat(settings().takes("vision")).as("a trial").isTrue();
    projects.delete(owner, "vision", null, false);

    assertThat(settings().projects()).containsExactly(world.project().name());
    assertThatThrownBy(() -> projects.create(owner, "vision", world.queue().name(), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("projects.takes-jobs-project-vision", "vision"));
  }

  /** Fails when a deleted and recreated project may use the cloud accounts of the first. */
  @Test
  void laterProjectOfTheSameNameHasNoneOfItsCloudIdentities() {
    projects.create(owner, "vision", world.queue().name(), null, false);
    ConfigDocument<CloudIdentity> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    CloudIdentity.DOCUMENTS,
                    CloudIdentity.document(owner.tenant(), "checkpoints"),
                    owner.tenant(),
                    null,
                    new CloudIdentity(
                        "checkpoints", List.of("nlp", "vision"), new TreeMap<>(), "vault"),
                    0));

    projects.delete(owner, "vision", null, false);

    assertThat(CloudIdentity.named(stores.configs(), owner.tenant(), "checkpoints").orElseThrow())
        .isEqualTo(new CloudIdentity("checkpoints", List.of("nlp"), new TreeMap<>(), "vault"));
  }

  /** Fails when the deletion of the last project of a queue opens it to all projects. */
  @Test
  void queueWhoseOnlyProjectIsDeletedAcceptsNoJobs() {
    projects.create(owner, "vision", world.queue().name(), null, false);
    name("vision");

    projects.delete(owner, "vision", null, false);

    assertThat(settings().projects()).isEmpty();
    assertThat(settings().takes(world.project().name())).isFalse();
  }

  /** Fails when the message asks the owner to cancel jobs that a warm pool submits again. */
  @Test
  void projectWithAWarmPoolIsRejectedWithThePoolName() {
    ConfigDocument<WarmPool> _ =
        stores
            .configs()
            .put(
                new ConfigDocument<>(
                    WarmPool.DOCUMENTS,
                    WarmPool.document(world.project().id(), "h100"),
                    owner.tenant(),
                    world.project().id(),
                    new WarmPool("h100", world.project().name(), 1, "{}", false),
                    0));
    world.append(JobTransitions.submit(world.newJob(Specs.job("h100-warm-1").build())));

    assertThatThrownBy(() -> projects.delete(owner, world.project().name(), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("h100");
  }

  /**
   * Fails when the refusal does not report the number of blocking jobs, or that some of them run.
   */
  @Test
  void projectWithJobsIsRejectedWithTheirStates() {
    world.append(
        JobTransitions.submit(world.newJob(Specs.job("one").build())),
        JobTransitions.submit(world.newJob(Specs.job("two").build())));

    assertThatThrownBy(() -> projects.delete(owner, world.project().name(), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("has 2 jobs (2 QUEUED)");
  }

  /** Fails when the jobs of a health test run in a later project of the same name. */
  @Test
  void aProjectOfAHealthTestIsNotDeleted() {
    projects.create(owner, "burn-in", world.queue().name(), null, false);
    HealthTest test =
        new HealthTest(
            "memory",
            owner.tenant(),
            "burn-in",
            Specs.job("memory").build(),
            null,
            Duration.ZERO,
            1,
            RepairStep.REBOOT,
            "olga",
            Instant.EPOCH);
    ConfigDocument<HealthTest> _ = stores.configs().put(test.document());

    assertThatThrownBy(() -> projects.delete(owner, "burn-in", null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("run their jobs in project \"burn-in\": memory");
  }

  private void name(String... names) {
    QuotaNode queue = stores.quotas().node(owner.tenant(), world.queue().id()).orElseThrow();
    stores
        .transactions()
        .run(() -> stores.quotas().update(queue.changed(settings().of(List.of(names)))));
  }

  private QueueSettings settings() {
    return Objects.requireNonNull(
        stores.quotas().node(owner.tenant(), world.queue().id()).orElseThrow().queue());
  }
}
