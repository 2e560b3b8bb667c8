package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.kernel.transaction.UnknownOutcome;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A server process that ends in the middle of a commit. */
class LostCommitTest {
  private static final String TABLE = "lost_commit";

  private final PostgresInstallation installation = Embedded.installation();
  private final Transactions transactions = installation.transactions();
  private final JdbcClient jdbc = installation.bean(JdbcClient.class);

  private static void prepare() {
    Embedded.run("CREATE TABLE IF NOT EXISTS " + TABLE + " (ends boolean)");
    Embedded.run("GRANT ALL ON " + TABLE + " TO fairlead_loops, fairlead_app");
    Embedded.run(
        """
        CREATE OR REPLACE FUNCTION end_backend() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
          IF NEW.ends THEN PERFORM pg_terminate_backend(pg_backend_pid());
          ELSE RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END IF;
          RETURN NULL;
        END $$
        """);
    Embedded.run("DROP TRIGGER IF EXISTS at_commit ON " + TABLE);
    Embedded.run(
        "CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON "
            + TABLE
            + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_backend()");
  }

  private void insert(boolean ends) {
    transactions.run(() -> jdbc.sql("INSERT INTO " + TABLE + " VALUES (" + ends + ")").update());
  }

  /** Fails when a failure during the commit is reported as if nothing had been written. */
  @Test
  void connectionLossDuringTheCommitIsAnUnknownOutcome() {
    prepare();
    assertThatThrownBy(() -> insert(true)).isInstanceOf(UnknownOutcome.class);
    assertThat(installation.tenants().tenantNamed("default")).isPresent();
  }

  @Test
  void commitRejectedByTheServerIsKnownToBeNone() {
    prepare();
    assertThatThrownBy(() -> insert(false)).isNotInstanceOf(UnknownOutcome.class);
  }
}
