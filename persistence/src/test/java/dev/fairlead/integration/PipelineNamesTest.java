package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Costs of a list of pipelines in a tenant whose other projects have many pipelines. */
class PipelineNamesTest {
  private static final int FOREIGN = 3_000;

  /** Pages of PostgreSQL that a list of one pipeline reads: the descent of a few indexes. */
  private static final int MOST_PAGES = 60;

  private final String url = Embedded.migratedDatabase();
  private final PostgresInstallation stores =
      PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
  private final TestWorld world = TestWorld.in(stores);

  /** Of a superuser, because no role of the product updates labels. */
  private final SingleConnectionDataSource superuser =
      new SingleConnectionDataSource(
          url, Embedded.server().user(), Embedded.server().password(), true);

  @AfterEach
  void close() {
    superuser.destroy();
    stores.close();
  }

  private SortedMap<String, SortedMap<JobState, Integer>> list() {
    return stores.jobs().pipelines(world.tenant().id(), world.project().id(), "", 50);
  }

  private int update(String statement) {
    return JdbcClient.create(superuser).sql(statement).update();
  }

  private Job submitted() {
    return world.submit(Specs.job("prep").label("pipeline", "night").label("team", "nlp"));
  }

  /** Fails when the list reads the pipelines of other projects. */
  @Test
  void aListReadsNoPipelineOfAnotherProject() {
    Job own = submitted();
    Project other = world.newProject("other");
    stores.tenants().insert(other);
    Job foreign =
        world.newJob(
            Specs.job("foreign").label("pipeline", "foreign").build(), other, world.queue());
    Job _ = world.submit(foreign);
    int added =
        update(
            """
            INSERT INTO job_label (tenant, job, label, project)
            SELECT tenant, gen_random_uuid(), 'pipeline=a-' || n, project
            FROM job_label, generate_series(1, %d) AS n WHERE job = '%s'
            """
                .formatted(FOREIGN, foreign.id().value()));
    assertThat(added).isEqualTo(FOREIGN);
    int _ = update("ANALYZE job_label");

    List<String> plan = plan(own);

    assertThat(list()).isEqualTo(Map.of("night", Map.of(JobState.QUEUED, 1)));
    assertThat(plan).anyMatch(line -> line.contains("job_label_pipelines"));
    String pages =
        plan.stream().filter(line -> line.contains("Buffers: shared")).findFirst().orElseThrow();
    assertThat(Integer.parseInt(pages.replaceAll("\\D*(\\d+).*", "$1")))
        .as(String.join("\n", plan))
        .isLessThan(MOST_PAGES);
  }

  /**
   * With row-level security, as a request has it. Runs the statement twice, since the first
   * execution reads the catalogue.
   */
  private List<String> plan(Job own) {
    return stores
        .transactions()
        .call(() -> {
          stores.bean(RowLevelSecurity.class).setTenant(own.tenant().value());
          List<String> _ = explained(own);
          return explained(own);
        });
  }

  private List<String> explained(Job own) {
    return stores
        .jdbc()
        .sql(
            "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF)\n"
                + SqlFile.named("job/pipelines").text())
        .param("tenant", own.tenant().value())
        .param("project", own.project().value())
        .param("after", "pipeline=")
        .param("most", 50)
        .query(String.class)
        .list();
  }
}
