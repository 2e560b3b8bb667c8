package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.StartUp;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

class StartUpIT {
  private final AtomicInteger pauses = new AtomicInteger();

  /** Migrations reach the database, later calls do not. */
  @Test
  void startUpWaitsForADatabaseThatIsTemporarilyUnavailable() {
    try (EmbeddedDatabase database = EmbeddedDatabase.start();
        CuttableProxy proxy = CuttableProxy.to(database)) {
      proxy.cut();

      try (ConfigurableApplicationContext running =
          new StartUp(() -> started(database, proxy))
              .run(() -> {
                pauses.incrementAndGet();
                proxy.restore();
              })) {
        // fails with "Unable to determine Dialect" if Hibernate has to query the database for it
        assertThat(running.isRunning()).isTrue();
        assertThat(pauses).hasValue(1);
      }
    }
  }

  private static ConfigurableApplicationContext started(
      EmbeddedDatabase database, CuttableProxy proxy) {
    return FairleadStart.application()
        .run(
            "--server.port=0",
            "--management.server.port=0",
            "--spring.datasource.url=" + database.url(),
            "--spring.datasource.hikari.jdbc-url=" + proxy.url(database),
            "--spring.datasource.username=" + database.user(),
            "--spring.datasource.password=" + database.password());
  }

  @Test
  void startThatFailsForAnotherReasonIsNotRetried() {
    StartUp mistaken =
        new StartUp(() -> {
          throw new IllegalStateException("no key file");
        });

    assertThatThrownBy(() -> mistaken.run(pauses::incrementAndGet)).hasMessage("no key file");
    assertThat(pauses).hasValue(0);
  }
}
