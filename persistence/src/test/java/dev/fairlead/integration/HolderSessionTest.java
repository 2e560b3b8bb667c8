package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseRow;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Two processes on one database, one of which ends without notice. */
class HolderSessionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NAME = "scheduler";

  /** Fails when the end of the holder's process is not seen in the database. */
  @Test
  void leaseOfAnEndedProcessIsAvailableImmediately() {
    String url = Embedded.migratedDatabase();
    try (PostgresInstallation there = PostgresInstallation.on(url, "postgres", "postgres")) {
      HeldLease held;
      try (PostgresInstallation here = PostgresInstallation.on(url, "postgres", "postgres")) {
        held = here.leases().create(NAME, "here").orElseThrow();
        assertThat(row(there).orphaned()).isFalse();
      }
      await().atMost(PATIENCE).until(() -> row(there).orphaned());

      HeldLease taken = there.leases().takeOver(row(there), "there").orElseThrow();

      assertThat(taken.epoch()).isGreaterThan(held.epoch());
      assertThat(row(there).orphaned()).isFalse();
    }
  }

  /** Fails when a session that was lost is not opened again, or not named by the next renewal. */
  @Test
  void processThatLostItsSessionIsIdentifiedByItsNextOneOnceRenewed() {
    String url = Embedded.migratedDatabase();
    try (PostgresInstallation here = PostgresInstallation.on(url, "postgres", "postgres")) {
      HeldLease held = here.leases().create(NAME, "here").orElseThrow();
      Embedded.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ="
              + " 'fairlead-holder' AND datname = '"
              + url.replaceAll(".*/([a-z_0-9]+)([?].*)?", "$1")
              + "'");
      await().atMost(PATIENCE).until(() -> row(here).orphaned());

      await()
          .atMost(PATIENCE)
          .until(() -> here.leases().renew(held, false).isPresent() && !row(here).orphaned());
    }
  }

  /** Fails when every holder appears dead after a server restart or failover. */
  @Test
  void sessionOnAStoppedServerProvesNothing() {
    String url = Embedded.migratedDatabase();
    try (PostgresInstallation there = PostgresInstallation.on(url, "postgres", "postgres")) {
      try (PostgresInstallation here = PostgresInstallation.on(url, "postgres", "postgres")) {
        assertThat(here.leases().create(NAME, "here")).isPresent();
      }
      await().atMost(PATIENCE).until(() -> row(there).orphaned());

      there
          .jdbc()
          .sql("UPDATE lease SET session_server = session_server - interval '1 s'")
          .update();

      assertThat(row(there).orphaned()).isFalse();
    }
  }

  private static LeaseRow row(PostgresInstallation at) {
    return at.leases().read(NAME).orElseThrow();
  }
}
