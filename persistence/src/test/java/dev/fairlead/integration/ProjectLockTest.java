package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.world.TestWorld;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A project is not removed while a queue update names it. */
class ProjectLockTest {
  private final PostgresInstallation stores = Embedded.installation();

  /** Fails when a project is deleted during a change of a queue that names it. */
  @Test
  void projectIsNotDeletedDuringAQueueUpdateThatNamesIt() {
    TestWorld world = TestWorld.in(stores);
    TenantStore tenants = stores.tenants();
    Project project = world.project();
    boolean held =
        stores
            .transactions()
            .call(() -> {
              boolean found = tenants.holdProject(project.tenant(), project.name());
              assertThatThrownBy(() -> CompletableFuture.runAsync(() -> delete(project)).join())
                  .hasStackTraceContaining("lock timeout");
              return found;
            });
    assertThat(held).isTrue();

    delete(project);
    assertThat(tenants.holdProject(project.tenant(), project.name())).isFalse();
  }

  private void delete(Project project) {
    stores
        .transactions()
        .run(() -> {
          int _ = stores.jdbc().sql("SET LOCAL lock_timeout = '20ms'").update();
          stores.tenants().delete(project);
        });
  }
}
