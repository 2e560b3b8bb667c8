package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.TestWorld;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What ran before there was a counter for it is counted by the migration that brings the counter.
 */
class FirmUseMigrationTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when it looks for limits at the queue alone, or counts what may be evicted. */
  @Test
  void whatIsNeverEvictedIsCountedAtTheNodeWhoseLimitsBearIt() throws IOException {
    world.limit(
        world.root(),
        new QuotaLimit(H100, ResourceNames.GPU, 8000L, null, null),
        new QuotaLimit(H100, ResourceNames.CPU, null, null, null));
    world.place(world.submit(Specs.job("firm").gpus(2).priority(PriorityClass.HIGH)));
    world.place(world.submit(Specs.job("may-go").gpus(1)));
    long counted = nonPreemptible();
    stores
        .jdbc()
        .sql("UPDATE quota_usage SET firm = 0 WHERE tenant = :tenant")
        .param("tenant", world.tenant().id().value())
        .update();

    stores.jdbc().sql(statement()).update();

    assertThat(nonPreemptible()).isEqualTo(counted).isEqualTo(2000);
  }

  private long nonPreemptible() {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.node().equals(world.root().id()))
        .filter(use -> use.cell().resource().equals(ResourceNames.GPU))
        .mapToLong(QuotaUse::nonPreemptible)
        .sum();
  }

  private static String statement() throws IOException {
    try (InputStream file =
        FirmUseMigrationTest.class.getResourceAsStream("/db/migration/V0110__firm_use.sql")) {
      String text = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
      return text.substring(text.indexOf("WITH RECURSIVE"));
    }
  }
}
