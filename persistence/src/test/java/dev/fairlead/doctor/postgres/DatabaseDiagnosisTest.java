package dev.fairlead.doctor.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.doctor.Check;
import dev.fairlead.doctor.Check.Verdict;
import dev.fairlead.doctor.postgres.DatabaseDiagnosis.Facts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Faults that a running service cannot be given; the others are planted in its database. */
class DatabaseDiagnosisTest {
  private static Facts facts(long millisApart, @Nullable String missing) {
    return new Facts(180_001, Duration.ofMillis(millisApart), 10, 97, null, "0280", missing, null);
  }

  @Test
  void clocksThatAreTwoSecondsApartAreAWarning() {
    assertThat(DatabaseDiagnosis.clocks(facts(1_900, null)).verdict()).isEqualTo(Verdict.OK);

    Check apart = DatabaseDiagnosis.clocks(facts(5_000, null));
    assertThat(apart.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(apart.found()).contains("5000 ms");
    assertThat(apart.next()).contains("time service");
  }

  @Test
  void aMissingRoleIsNamed() {
    Check missing = DatabaseDiagnosis.roles(facts(0, "fairlead_sealer"));

    assertThat(missing.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(missing.found()).isEqualTo("fairlead_sealer is missing");
    assertThat(missing.next()).contains("docs/database.md");
  }
}
