package dev.fairlead.work.event.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.integration.Embedded;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.work.event.WakeUps.Topic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** A network that swallows everything and closes nothing. */
class SilentNetworkTest {
  /** Fails when wake-ups of this process wait for the wake-up of other processes. */
  @Test
  void listenersHereAreWokenWhileTheNotificationIsStuck() throws Exception {
    try (Line line = new Line()) {
      line.silent = true;
      Changes changes = new Changes();
      PostgresWakeUps wakeUps = new PostgresWakeUps(changes, line.details());
      Semaphore woken = new Semaphore(0);
      wakeUps.subscribe(Topic.JOBS, woken::release);
      wakeUps.start();
      changes.committed(Set.of(Change.JOBS));
      assertThat(woken.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
      line.connected.acquire(); // from now on the sender waits for a response
      changes.committed(Set.of(Change.JOBS));
      assertThat(woken.tryAcquire(4, TimeUnit.SECONDS)).as("woken before any time-out").isTrue();
      wakeUps.stop();
    }
  }

  /** Fails when only a closed connection counts as lost. */
  @Test
  @Timeout(120)
  void listenerReconnectsWhenItsServerStopsAnswering() throws Exception {
    try (Line line = new Line();
        NotificationChannel channel = new NotificationChannel(line.details(), 1)) {
      connected(channel);
      assertThat(channel.receive()).isEmpty();
      line.silent = true;
      assertThat(channel.receive()).isEmpty();
      line.silent = false;

      connected(channel);
    }
  }

  /** A login that exceeds the one-second limit on a busy machine is retried. */
  private static void connected(NotificationChannel channel) {
    await()
        .atMost(Duration.ofSeconds(45))
        .until(() -> channel.receive().equals(EnumSet.allOf(Change.class)));
  }

  /** Passes bytes on to the server until it falls silent. */
  private static final class Line implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final String url = Embedded.server().url();
    private final int target = Integer.parseInt(url.replaceAll(".*:([0-9]+)/.*", "$1"));
    private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
    private final Semaphore connected = new Semaphore(0);
    private volatile boolean silent;

    Line() throws IOException {
      Thread.ofVirtual().start(this::accept);
    }

    JdbcConnectionDetails details() {
      return new JdbcConnectionDetails() {
        @Override
        public String getUsername() {
          return Embedded.server().user();
        }

        @Override
        public String getPassword() {
          return Embedded.server().password();
        }

        @Override
        public String getJdbcUrl() {
          return url.replace(":" + target + "/", ":" + server.getLocalPort() + "/");
        }
      };
    }

    private void accept() {
      try {
        while (true) {
          Socket here = server.accept();
          Socket there = new Socket(InetAddress.getLoopbackAddress(), target);
          open.add(here);
          open.add(there);
          Thread.ofVirtual().start(() -> pass(here, there));
          Thread.ofVirtual().start(() -> pass(there, here));
          connected.release();
        }
      } catch (IOException closed) {
        open.forEach(Line::end);
      }
    }

    private void pass(Socket from, Socket to) {
      byte[] buffer = new byte[8192];
      try {
        for (int n = from.getInputStream().read(buffer);
            n >= 0;
            n = from.getInputStream().read(buffer)) {
          if (!silent) {
            to.getOutputStream().write(buffer, 0, n);
          }
        }
      } catch (IOException closed) {
        end(to);
      }
    }

    private static void end(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      open.forEach(Line::end);
    }
  }
}
