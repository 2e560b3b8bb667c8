package dev.fairlead.work.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class JobSecretsTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final TestWorld other = TestWorld.in(stores);

  private void kept(Job of, String name, String key, int bytes) {
    keptIn(of.tenant(), of.project(), name, key, bytes);
  }

  private void keptIn(TenantId tenant, ProjectId project, String name, String key, int bytes) {
    stores
        .secrets()
        .insert(
            new ProjectSecret(
                stores.ids().next(),
                tenant,
                project,
                name,
                new TreeMap<>(Map.of(key, bytes)),
                NOW,
                new ProjectSecret.Change(NOW, "ana"),
                1),
            new TreeMap<>(Map.of(key, new Secret("x"))));
  }

  /** Fails when only secrets that a job names are read: its image would not be pulled. */
  @Test
  void everyJobHasOnlyTheRegistryLoginOfItsProject() {
    Job job = world.submit(Specs.job("a"));
    Job foreign = other.submit(Specs.job("b"));
    kept(job, ProjectSecret.REGISTRY_LOGIN, ProjectSecret.LOGIN_KEY, 1);
    kept(job, "hub", "token", 1);

    assertThat(JobSecrets.read(stores.secrets(), stores.configs(), job).values().keySet())
        .containsExactly(ProjectSecret.REGISTRY_LOGIN);
    assertThat(JobSecrets.read(stores.secrets(), stores.configs(), foreign).values()).isEmpty();
  }

  /** Fails when a login counts for the limit of the job's secrets: an array would not start. */
  @Test
  void loginDoesNotCountTowardsTheReferenceLimit() {
    Job job = world.submit(Specs.job("a").secretEnv("TOKEN", "hub", "token").array("0-1"));
    kept(job, "hub", "token", ProjectSecret.LARGEST_OF_ARRAY - 9);
    kept(job, ProjectSecret.REGISTRY_LOGIN, ProjectSecret.LOGIN_KEY, ProjectSecret.LARGEST_LOGIN);

    JobSecrets read = JobSecrets.read(stores.secrets(), stores.configs(), job);

    assertThat(read.tooLarge()).isEmpty();
    assertThat(read.values()).hasSize(2);
  }
}
