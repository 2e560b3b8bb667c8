package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
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

  private static final UUID FIRST = UUID.fromString("ffffffff-0000-7000-8000-00000000000f");
  private static final UUID NEXT = UUID.fromString("ffffffff-0000-7000-8000-000000000010");
  private static final UUID CLUSTER = UUID.fromString("00000000-0000-0000-0000-000000000001");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.000001Z");
  private static final String PRICES =
      """
      SET TIME ZONE 'Asia/Tokyo';
      INSERT INTO price (id, model, micros, currency, valid_from, recorded_at)
      VALUES ('%1$s', 'H100', 2490000, 'EUR', '%4$s', '%4$s');
      INSERT INTO price (id, cluster, pool, model, capacity_type, micros, currency, valid_from, valid_to, replaces,
        committed_gpus, committed_micros, recorded_at)
      VALUES ('%2$s', '%3$s', 'a', 'H100', 'RESERVED', 0, 'USD', '%4$s', '2027-01-01Z', '%1$s', 8, 5, '%4$s');
      INSERT INTO price (id, micros, currency, valid_from, recorded_at, storage, storage_class)
      VALUES ('%3$s', 1, 'EUR', '%4$s', '%4$s', true, 'fast');
      """
          .formatted(FIRST, NEXT, CLUSTER, NOW);

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

  /** Fails when a price is lost, its document has another name or a part of it another value. */
  @Test
  void pricesBecomeDocuments() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "2219?");
    Databases.run(url, Embedded.server().user(), Embedded.server().password(), PRICES);

    try (PostgresInstallation installation =
        PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password())) {
      assertThat(installation.prices().book().prices())
          .containsExactlyInAnyOrder(
              new Price(
                  new PriceId(FIRST),
                  new PriceScope(null, null, "H100", null),
                  new Money(2_490_000, "EUR"),
                  new Validity(NOW, null),
                  null,
                  NOW),
              new Price(
                  new PriceId(NEXT),
                  new PriceScope(new ClusterId(CLUSTER), "a", "H100", CapacityType.RESERVED),
                  new Money(0, "USD"),
                  new Validity(NOW, Instant.parse("2027-01-01T00:00:00Z")),
                  new PriceId(FIRST),
                  new Commitment(8, 5),
                  NOW),
              new Price(
                  new PriceId(CLUSTER),
                  PriceScope.of(null, new PriceScope.Storage("fast")),
                  new Money(1, "EUR"),
                  new Validity(NOW, null),
                  null,
                  NOW));
      assertThat(installation.configs().find(Price.DOCUMENTS, null, new PriceId(NEXT).text()))
          .isPresent();
    }
  }

  /** Fails when a health test is lost or cannot be read any more. */
  @Test
  void healthTestsBecomeDocuments() {
    String url = Embedded.newDatabase();
    Embedded.migrate(url, "2220?");
    HealthTest test =
        new HealthTest(
            "nccl",
            new TenantId(CLUSTER),
            "fleet",
            Specs.job("t").gpus(8).maxRuntime(Duration.ofMinutes(5)).build(),
            Duration.ofDays(7),
            Duration.ofMinutes(10),
            2,
            RepairStep.REBOOT,
            "olga",
            NOW);
    Databases.run(
        url,
        Embedded.server().user(),
        Embedded.server().password(),
        "INSERT INTO health_test (name, content) VALUES ('nccl', '%s')"
            .formatted(Json.write(test)));

    try (PostgresInstallation installation =
        PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password())) {
      assertThat(installation.healthTests().tests()).containsExactly(test);
    }
  }

  private static ConfigDocument<SetLimits> found(
      PostgresInstallation installation, Tenant tenant, @Nullable Project project) {
    String name = SetLimits.none(tenant.id(), project).name();
    return installation.configs().find(SetLimits.DOCUMENTS, tenant.id(), name).orElseThrow();
  }
}
