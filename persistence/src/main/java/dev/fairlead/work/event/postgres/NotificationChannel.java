package dev.fairlead.work.event.postgres;

import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.DirectConnection;
import dev.fairlead.kernel.postgres.SqlFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Two connections outside all pools, one to send and one to receive. Each is reopened after a
 * failure or after seconds without a response of its server. The text of a notification is the id
 * of this process and the changes: its own notifications are ignored. Its methods do not throw.
 */
final class NotificationChannel implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NotificationChannel.class);
  private static final SqlFile LISTEN = SqlFile.named("event/listen");
  private static final SqlFile NOTIFY = SqlFile.named("event/notify");
  private static final long RETRY_MILLIS = 500;
  private static final Set<Change> NOTHING = EnumSet.noneOf(Change.class);

  private final JdbcConnectionDetails database;
  private final String self = UUID.randomUUID().toString();
  private final int answerSeconds;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable Connection sending;
  private volatile @Nullable Connection receiving;

  /**
   * @param answerSeconds time in seconds that a server may be silent before it is probed, and the
   *     time for its response
   */
  NotificationChannel(JdbcConnectionDetails database, int answerSeconds) {
    this.database = database;
    this.answerSeconds = answerSeconds;
  }

  /** Notifies other replicas unless the database is unreachable: they also poll. */
  void send(Set<Change> changes) {
    try {
      Connection connection = sending;
      if (connection == null) {
        connection = open("fairlead-notify");
        sending = connection;
      }
      try (PreparedStatement statement = connection.prepareStatement(NOTIFY.text())) {
        statement.setString(1, self + changes);
        statement.execute();
      }
    } catch (SQLException e) {
      LOG.debug("no wake-up was sent: {}", e.getMessage());
      DirectConnection.drop(sending);
      sending = null;
    }
  }

  /** Waits for a few seconds at most. After a new connection, returns all changes. */
  Set<Change> receive() {
    try {
      Connection connection = receiving;
      if (connection == null) {
        connection = open("fairlead-listen");
        try (Statement statement = connection.createStatement()) {
          statement.execute(LISTEN.text());
        }
        receiving = connection;
        return EnumSet.allOf(Change.class);
      }
      PGNotification[] received =
          connection.unwrap(PGConnection.class).getNotifications(answerSeconds * 1_000);
      if (received == null || received.length == 0) {
        return quiet(connection);
      }
      return changes(received);
    } catch (SQLException e) {
      LOG.debug("the wake-up connection is lost: {}", e.getMessage());
      DirectConnection.drop(receiving);
      receiving = null;
      waitBeforeRetry();
      return NOTHING;
    }
  }

  /** After silence for a while, a peer that does not answer is treated as lost. */
  private Set<Change> quiet(Connection connection) throws SQLException {
    if (!connection.isValid(answerSeconds)) {
      throw new SQLException("no answer for " + answerSeconds + " s");
    }
    return NOTHING;
  }

  private Set<Change> changes(PGNotification[] received) {
    Set<Change> changes = EnumSet.noneOf(Change.class);
    for (PGNotification notification : received) {
      String text = notification.getParameter();
      if (!text.startsWith(self)) {
        for (Change change : Change.values()) {
          if (text.contains(change.name())) {
            changes.add(change);
          }
        }
      }
    }
    return changes;
  }

  private Connection open(String name) throws SQLException {
    if (closed.getCount() == 0) {
      throw new SQLException("closed");
    }
    return DirectConnection.open(database, name, answerSeconds);
  }

  private void waitBeforeRetry() {
    try {
      closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    DirectConnection.drop(sending);
    DirectConnection.drop(receiving);
  }
}
