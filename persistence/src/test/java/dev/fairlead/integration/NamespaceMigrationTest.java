package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Projects of an earlier version keep their namespaces where they had jobs. */
class NamespaceMigrationTest {
  private static final UUID FIRST_PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000004");
  private final String url = Embedded.newDatabase();
  private final JdbcClient jdbc =
      JdbcClient.create(
          new DriverManagerDataSource(url, Embedded.server().user(), Embedded.server().password()));

  /** Fails when the migration and {@link Project#newNamespace} name a new project differently. */
  @Test
  void whereNoClusterEverWasTheFirstProjectIsNamedLikeANewOne() {
    Embedded.migrate(url, "0300");

    UUID installation = jdbc.sql("SELECT id FROM installation").query(UUID.class).single();
    assertThat(namespaces())
        .containsExactly(
            Map.entry(
                FIRST_PROJECT,
                Project.newNamespace(
                    installation, "default", "default", new ProjectId(FIRST_PROJECT))));
  }

  /** Fails when a project moves away from its pods and claims. */
  @Test
  void whereClustersAreAProjectThatHadJobsKeepsItsNamespace() {
    Embedded.migrate(url, "0280");
    run("INSERT INTO cluster_removed (id, name) VALUES (gen_random_uuid(), 'gone')");
    UUID unused = tenantWithDefaultProject("unused", 5);
    UUID used = tenantWithDefaultProject("used", 6);
    run(
        """
        INSERT INTO job (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state,
                         changed_at, attempts, failures, spec, labels, version)
        VALUES (gen_random_uuid(), '%1$s', '%1$s', '%1$s', 'train', 'user', 1, 0, now(), 'RUNNING',
                now(), 1, 0, '{}', '{}', 1)
        """
            .formatted(used));

    Embedded.migrate(url, "0300");

    Map<UUID, String> namespaces = namespaces();
    assertThat(namespaces.get(FIRST_PROJECT)).isEqualTo("fairlead-default");
    assertThat(namespaces.get(used)).isEqualTo("fairlead-default");
    assertThat(namespaces.get(unused)).matches("fairlead-unused-default-[0-9a-f]{10}");
  }

  /** Its project and root queue have its id. */
  private UUID tenantWithDefaultProject(String name, long number) {
    UUID id = new UUID(0x0190000000007001L, 0x8000000000000000L + number);
    run("INSERT INTO tenant (id, name, version) VALUES ('%s', '%s', 1)".formatted(id, name));
    run(
        """
        INSERT INTO quota_node (id, tenant, name, parent, depth, weight, preempt_within, preempt_reclaim,
                                preempt_fair_share, queue_order, queue_state, version)
        VALUES ('%1$s', '%1$s', 'root', NULL, 0, 1000, 'NEVER', 'NEVER', false, NULL, NULL, 1)
        """
            .formatted(id));
    run(
        "INSERT INTO project (id, tenant, name, default_queue, version) VALUES ('%1$s', '%1$s', 'default', '%1$s', 1)"
            .formatted(id));
    return id;
  }

  private Map<UUID, String> namespaces() {
    Map<UUID, String> found = new TreeMap<>();
    jdbc.sql("SELECT id, namespace FROM project")
        .query(row -> {
          found.put(row.getObject("id", UUID.class), row.getString("namespace"));
        });
    return found;
  }

  /** As superuser, for whom row-level security does not count. */
  private void run(String statement) {
    jdbc.sql(statement).update();
  }
}
