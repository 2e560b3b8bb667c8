package dev.fairlead.kernel.lease.postgres;

import dev.fairlead.kernel.postgres.DirectConnection;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.problem.FatalErrors;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * One database session that this process holds open while it lives, with a lock on a random number.
 * Its leases contain that number: a challenger that acquires the lock knows that the session has
 * ended, and need not wait for the lease to expire. The session is checked every second and
 * reopened with another number after a loss.
 */
@Component
class HolderSession implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(HolderSession.class);
  private static final SqlFile HOLD = SqlFile.named("lease/hold-session");
  private static final SqlFile LOOK = SqlFile.named("lease/look-at-session");
  private static final int ANSWER_SECONDS = 5;
  private static final long LOOK_MILLIS = 1_000;

  private final JdbcConnectionDetails database;
  private final boolean wanted;
  private final SecureRandom random = new SecureRandom();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile @Nullable Session session;
  private volatile boolean pooled;
  private volatile boolean running;

  /**
   * @param backend process id of the server backend
   */
  private record Session(Connection connection, long key, long backend) {}

  HolderSession(JdbcConnectionDetails database, LeaseSessionSettings settings) {
    this.database = database;
    this.wanted = settings.session();
  }

  /** The number of its lock, null without a session. */
  @Nullable Long key() {
    Session now = session;
    return now == null ? null : now.key();
  }

  /** Runs after the loss of a session. */
  void whenEnded(Runnable listener) {
    listeners.add(listener);
  }

  private void keep() {
    try {
      while (!pooled && !stopped.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() {
    Session now = session;
    try {
      if (now == null) {
        session = open();
      } else if (backend(now.connection()) != now.backend()) {
        LOG.warn(
            "a pooler assigns another database session for each transaction: takeovers wait"
                + " until the lease expires. Set fairlead.lease.session to false.");
        pooled = true;
        end(now);
      }
    } catch (SQLException | RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      if (now != null) {
        LOG.warn(
            "the database session that identifies this process is lost: {}", failed.toString());
        end(now);
      }
    }
  }

  private Session open() throws SQLException {
    Connection connection = DirectConnection.open(database, "fairlead-holder", ANSWER_SECONDS);
    long key = random.nextLong();
    try (PreparedStatement hold = connection.prepareStatement(HOLD.text())) {
      hold.setLong(1, key);
      hold.execute();
      return new Session(connection, key, backend(connection));
    } catch (SQLException e) {
      DirectConnection.drop(connection);
      throw e;
    }
  }

  private static long backend(Connection connection) throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(LOOK.text());
        ResultSet row = look.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }

  private void end(Session lost) {
    session = null;
    DirectConnection.drop(lost.connection());
    listeners.forEach(Runnable::run);
  }

  @Override
  public void start() {
    running = true;
    if (wanted) {
      look();
      Thread.ofPlatform().daemon().name("holder-session").start(this::keep);
    }
  }

  @Override
  public void stop() {
    running = false;
    stopped.countDown();
    Session now = session;
    session = null;
    DirectConnection.drop(now == null ? null : now.connection());
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before the loops, and stops after they have released their leases. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
