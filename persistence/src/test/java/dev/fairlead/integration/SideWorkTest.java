package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** A test that reads its own commit finds it, regardless of concurrent notifications. */
class SideWorkTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /** Fails when reads do not wait: the event is missed while the notification is open. */
  @Test
  void aReadWaitsForAnOpenNotification() throws Exception {
    EventPosition before = stores.events().head();
    try (ExecutorService reader = Executors.newSingleThreadExecutor();
        Connection sender =
            DriverManager.getConnection(
                Embedded.url(), Embedded.server().user(), Embedded.server().password())) {
      sender.setAutoCommit(false);
      try (Statement open = sender.createStatement()) {
        open.execute("SELECT pg_notify('side_work', pg_current_xact_id()::text)");
      }
      Job job = world.submit(Specs.job("told"));
      assertThat(stores.bean(EventLog.class).after(before, 1000))
          .as("held up")
          .extracting(EventRecord::subjectId)
          .doesNotContain(job.id().value());

      Future<List<EventRecord>> read = reader.submit(() -> stores.events().after(before, 1000));
      assertThatThrownBy(() -> read.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      sender.commit();

      assertThat(read.get(60, TimeUnit.SECONDS))
          .extracting(EventRecord::subjectId)
          .contains(job.id().value());
    }
  }
}
