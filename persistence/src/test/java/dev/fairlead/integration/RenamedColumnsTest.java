package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Copies of rows that were archived before a migration renamed their columns. */
class RenamedColumnsTest {
  private static final UUID JOB = new UUID(7, 7);

  private static final String COPIES =
      """
      (SELECT jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'job', '%1$s', 'element', 0, 'number', n, 'term', 40 + n) ORDER BY n)
       FROM generate_series(%2$d, %3$d) AS n)
      """;

  private final String url = Embedded.newDatabase();

  /**
   * Fails when an archived attempt loses its epoch, its attempts their order, or a member its
   * evidence.
   */
  @Test
  void archivedAttemptsHaveTheirEpochsAndTheEvidenceOfTheirMembers() {
    String user = Embedded.server().user();
    String password = Embedded.server().password();
    Embedded.migrate(url, "3450");
    Databases.run(
        url,
        user,
        password,
        """
        INSERT INTO job_archive (id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active,
                                 changed_at, attempts, failures, spec, labels, version, element_rows, attempt_rows, member_rows)
        SELECT '%1$s', '%1$s', '%1$s', '%1$s', 'archived', 'ada', 1, 0, now(), 'SUCCEEDED', false, now(), 3, 0, '{}', '{}', 1, '[]',
               %2$s, '[{"evidence": "OPERATOR_WORD"}]'
        """
            .formatted(JOB, COPIES.formatted(JOB, 1, 2)));
    Databases.run(
        url,
        user,
        password,
        "INSERT INTO job_archive_part SELECT '%1$s', 0, '%1$s', '[]', %2$s, '[{\"evidence\": \"OPERATOR_WORD\"}]'"
            .formatted(JOB, COPIES.formatted(JOB, 3, 3)));

    try (PostgresInstallation stores = PostgresInstallation.on(url, user, password)) {
      List<Long> epochs =
          stores
              .transactions()
              .forAllTenants(() ->
                  stores
                      .jdbc()
                      .sql(SqlFile.named("job/attempts-of-job").text())
                      .param("job", JOB)
                      .param("limit", 10)
                      .query((row, n) -> row.getLong("epoch"))
                      .list());

      assertThat(epochs).containsExactly(41L, 42L, 43L);
      assertThat(evidence(stores, "job_archive")).isEqualTo("OPERATOR_CONFIRMED");
      assertThat(evidence(stores, "job_archive_part")).isEqualTo("OPERATOR_CONFIRMED");
    }
  }

  private static String evidence(PostgresInstallation stores, String table) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT member_rows -> 0 ->> 'evidence' FROM " + table)
                .query(String.class)
                .single());
  }
}
