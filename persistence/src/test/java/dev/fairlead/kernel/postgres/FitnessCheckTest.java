package dev.fairlead.kernel.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FitnessCheckTest {
  private static FitnessCheck.Fitness fitness(
      int version, boolean makesRoles, @Nullable String missing) {
    return new FitnessCheck.Fitness(
        version, version / 10_000 + ".4", "fairlead", "app", true, makesRoles, missing);
  }

  private static UnfitDatabase refused(FitnessCheck.Fitness fitness) {
    return assertThatThrownBy(fitness::check).asInstanceOf(type(UnfitDatabase.class)).actual();
  }

  @Test
  void tooOldServerIsReportedWithTheSupportedVersions() {
    UnfitDatabase refused = refused(fitness(160_004, true, "fairlead_app"));

    assertThat(refused).hasMessageContaining("PostgreSQL 16.4");
    assertThat(refused.next()).contains("17 or 18");
  }

  @Test
  void loginWithoutTheRightToCreateRolesIsToldTheMissingOnes() {
    UnfitDatabase refused = refused(fitness(180_000, false, "fairlead_app, fairlead_loops"));

    assertThat(refused).hasMessageContaining("no roles fairlead_app, fairlead_loops");
    assertThat(refused.next()).contains("ALTER ROLE \"app\" CREATEROLE");
  }

  @Test
  void loginWithoutTheRightToCreateTablesIsToldWhichDatabaseToOwn() {
    UnfitDatabase refused =
        refused(new FitnessCheck.Fitness(180_000, "18.1", "fairlead", "app", false, true, null));

    assertThat(refused).hasMessageContainingAll("app ", "tables");
    assertThat(refused.next()).contains("ALTER DATABASE \"fairlead\" OWNER TO \"app\"");
  }

  // A newer server is reported by the doctor and not refused, because it may work.
  @Test
  void existingOrCreatableRolesAndNewerServersAreAccepted() {
    assertThatCode(
            () -> {
              fitness(170_000, false, null).check();
              fitness(190_000, true, "fairlead_app").check();
            })
        .doesNotThrowAnyException();
  }
}
