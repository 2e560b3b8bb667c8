package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values of the tables before config_document are its documents after the migrations. */
class ConfigMigrationTest {
  private static final String ROWS =
      """
      SET ROLE fairlead_loops;
      INSERT INTO licence (name, count, cluster) VALUES ('ansys', 3, 'eu-1'), ('solver', 0, NULL);
      INSERT INTO licence_hold (attempt, licence, count) VALUES (gen_random_uuid(), 'ansys', 2);
      INSERT INTO tenant_limits (place, tenant, project, active_jobs, decision_days, version)
      SELECT id, id, NULL, 5000, 90, 7 FROM tenant WHERE name = 'default';
      INSERT INTO tenant_limits (place, tenant, project, spec_bytes, version)
      SELECT id, tenant, id, 2048, 1 FROM project WHERE name = 'default';
      """;

  /** Fails when a licence, a hold or a limit is lost, or a document has another name. */
  @Test
  void licencesAndLimitsBecomeDocuments() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "2119?");
    Databases.run(url, Embedded.server().user(), Embedded.server().password(), ROWS);

    try (PostgresInstallation installation =
        PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password())) {
      assertThat(installation.licences().licences())
          .containsExactly(new Licence("ansys", 3, "eu-1"), new Licence("solver", 0));
      assertThat(installation.licences().held().get("ansys").count()).isEqualTo(2);

      Tenant tenant = installation.tenants().tenantNamed("default").orElseThrow();
      Project project = installation.tenants().projectNamed(tenant.id(), "default").orElseThrow();
      ConfigDocument<SetLimits> ofTenant = found(installation, tenant, null);
      ConfigDocument<SetLimits> ofProject = found(installation, tenant, project);
      assertThat(ofTenant.value().values())
          .isEqualTo(Map.of(Limit.ACTIVE_JOBS, 5000L, Limit.DECISION_DAYS, 90L));
      assertThat(ofTenant.version()).isEqualTo(7);
      assertThat(ofProject.value().values()).isEqualTo(Map.of(Limit.SPEC_BYTES, 2048L));
      assertThat(ofProject.value().project()).isEqualTo("default");
    }
  }

  private static ConfigDocument<SetLimits> found(
      PostgresInstallation installation, Tenant tenant, @Nullable Project project) {
    String name = SetLimits.none(tenant.id(), project).name();
    return installation.configs().find(SetLimits.DOCUMENTS, tenant.id(), name).orElseThrow();
  }
}
