package dev.fairlead.kernel.doctor.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.doctor.DoctorCheck.Verdict;
import dev.fairlead.kernel.doctor.postgres.DatabaseDiagnosis.Archive;
import dev.fairlead.kernel.doctor.postgres.DatabaseDiagnosis.Facts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Faults that cannot be injected into a running service. Others are planted in its database. */
class DatabaseDiagnosisTest {
  private static final Archive ARCHIVE =
      new Archive(true, Duration.ofSeconds(30), Duration.ofMinutes(1), null);

  private static Facts facts(long millisApart, @Nullable String missing) {
    return new Facts(
        180_001, Duration.ofMillis(millisApart), 10, 97, null, "0280", missing, null, ARCHIVE);
  }

  @Test
  void clocksThatAreTwoSecondsApartAreAWarning() {
    assertThat(DatabaseDiagnosis.clocks(facts(1_900, null)).verdict()).isEqualTo(Verdict.OK);

    DoctorCheck apart = DatabaseDiagnosis.clocks(facts(5_000, null));
    assertThat(apart.verdict()).isEqualTo(Verdict.WARNING);
    assertThat(apart.found()).contains("5000 ms");
    assertThat(apart.next()).contains("time service");
  }

  @Test
  void aMissingRoleIsNamed() {
    DoctorCheck missing = DatabaseDiagnosis.roles(facts(0, "fairlead_sealer"));

    assertThat(missing.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(missing.found()).isEqualTo("fairlead_sealer is missing");
    assertThat(missing.next()).contains("docs/how-to/restore.md#the-database");
  }

  private static DoctorCheck archived(@Nullable Duration ago, @Nullable String failed) {
    return DatabaseDiagnosis.backup(new Archive(true, ago, Duration.ofMinutes(2), failed));
  }

  /** Fails when a restore would lose more than expected without a warning. */
  @Test
  void failingArchiveIsAProblemAndADisabledOrStalledOneAWarning() {
    DoctorCheck failing = archived(Duration.ofSeconds(5), "000000010000000000000042");
    assertThat(failing.verdict()).isEqualTo(Verdict.PROBLEM);
    assertThat(failing.found()).contains("000000010000000000000042");
    assertThat(failing.next()).contains("disk");

    assertThat(archived(Duration.ofMinutes(19), null).verdict()).isEqualTo(Verdict.OK);
    assertThat(archived(Duration.ofMinutes(21), null).verdict()).isEqualTo(Verdict.WARNING);
    assertThat(archived(null, null).found()).isEqualTo("nothing was archived yet");
    Archive off = new Archive(false, null, Duration.ZERO, null);
    assertThat(DatabaseDiagnosis.backup(off).verdict()).isEqualTo(Verdict.WARNING);
    Archive idle = new Archive(true, Duration.ofDays(2), Duration.ZERO, null);
    assertThat(DatabaseDiagnosis.backup(idle).verdict()).isEqualTo(Verdict.OK);
  }
}
