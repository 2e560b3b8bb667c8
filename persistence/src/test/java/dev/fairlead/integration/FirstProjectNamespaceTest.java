package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The migrations name the namespace of the first project, and the service names all other
 * namespaces.
 */
class FirstProjectNamespaceTest {
  private static final UUID FIRST_PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000004");

  private final JdbcClient jdbc =
      JdbcClient.create(
          new DriverManagerDataSource(
              Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password()));

  /** Fails when the migration and {@link Project#newNamespace} name a new project differently. */
  @Test
  void firstProjectIsNamedLikeANewOne() {
    UUID installation = jdbc.sql("SELECT id FROM installation").query(UUID.class).single();

    assertThat(
            jdbc.sql("SELECT namespace FROM project WHERE id = ?")
                .param(FIRST_PROJECT)
                .query(String.class)
                .single())
        .isEqualTo(
            Project.newNamespace(installation, "default", "default", new ProjectId(FIRST_PROJECT)));
  }
}
