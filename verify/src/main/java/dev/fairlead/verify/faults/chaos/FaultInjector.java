package dev.fairlead.verify.faults.chaos;

import dev.fairlead.verify.NetworkGate;
import dev.fairlead.verify.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;

/** Injects faults, heals them, and measures the recovery of the other processes. */
final class FaultInjector {
  private static final int SHORTEST_MILLIS = 1_000;
  private static final int LONGEST_MILLIS = 3_000;

  /** Longer than a lease, so that another process holds it when a paused process continues. */
  private static final int PAUSE_MILLIS = 4_000;

  private final Installation installation;
  private final JobClients clients;
  private final Figures figures;
  private final Random random;
  private Duration takeover = Duration.ZERO;

  FaultInjector(Installation installation, JobClients clients, Figures figures, Random random) {
    this.installation = installation;
    this.clients = clients;
    this.figures = figures;
    this.random = random;
  }

  /** Time without a holder of the leases of the last killed process. */
  Duration takeover() {
    return takeover;
  }

  void carryOut(Fault fault) throws InterruptedException, SQLException {
    ControlPlane cluster =
        installation.clusters().get(random.nextInt(installation.clusters().size()));
    switch (fault) {
      case KILL_REPLICA -> killReplica();
      case PAUSE_REPLICA -> pauseReplica();
      case KILL_POSTGRES -> {
        installation.postgres().stopImmediately();
        shortly();
        installation.postgres().startAgain();
        writesAreBack("database back after stop -m immediate to a write");
      }
      case PAUSE_POSTGRES -> {
        installation.postgres().pause();
        Thread.sleep(PAUSE_MILLIS);
        installation.postgres().resume();
        writesAreBack("database back after a pause to a write");
      }
      case KILL_API_SERVER -> {
        cluster.killApiServer();
        shortly();
        cluster.startApiServer();
      }
      case PAUSE_API_SERVER -> {
        cluster.pauseApiServer();
        Thread.sleep(PAUSE_MILLIS);
        cluster.resumeApiServer();
      }
      case CUT_CLUSTER -> gate(cluster, NetworkGate.State.CUT);
      case CUT_WATCHES -> cluster.gate().endAll();
      case HANG_CLUSTER -> gate(cluster, NetworkGate.State.HANGING);
      case SLOW_CLUSTER -> gate(cluster, NetworkGate.State.SLOW);
      case PROMOTE_STANDBY -> {
        installation.postgres().promoteStandby();
        writesAreBack("standby promoted to a write");
      }
    }
  }

  private void gate(ControlPlane cluster, NetworkGate.State state) throws InterruptedException {
    cluster.gate().set(state);
    Thread.sleep(PAUSE_MILLIS);
    cluster.gate().set(NetworkGate.State.PASSING);
  }

  private void killReplica() throws InterruptedException, SQLException {
    Replica victim = holder();
    String holder = victim.holder();
    try (Connection connection = installation.postgres().connect()) {
      victim.kill();
      takeover =
          Waiting.until(
              "another process holds its leases",
              Waiting.PATIENCE,
              () -> held(connection, holder) == 0);
      figures.add("kill -9 to takeover of scheduler and clusters", takeover);
    }
    victim.startAgain();
  }

  private void pauseReplica() throws InterruptedException, SQLException {
    Replica victim = holder();
    victim.pause();
    Thread.sleep(PAUSE_MILLIS);
    victim.resume();
  }

  /** The replica that schedules, once both are ready, so that another can take over. */
  private Replica holder() throws InterruptedException, SQLException {
    for (Replica replica : installation.replicas()) {
      replica.awaitReady();
    }
    try (Connection connection = installation.postgres().connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT holder FROM lease WHERE name = 'scheduler'")) {
      String holder = row.next() ? row.getString(1) : "";
      return installation.replicas().stream()
          .filter(replica -> replica.holds(holder))
          .findFirst()
          .orElse(installation.replicas().getFirst());
    }
  }

  private static long held(Connection connection, String holder) {
    String count =
        "SELECT count(*) FROM lease WHERE starts_with(holder, '"
            + holder
            + "') AND (name = 'scheduler' OR starts_with(name, 'cluster/'))";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(count)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void writesAreBack(String figure) throws InterruptedException {
    long start = System.nanoTime();
    clients.submitNext();
    figures.add(figure, Duration.ofNanos(System.nanoTime() - start));
  }

  private void shortly() throws InterruptedException {
    Thread.sleep(random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS));
  }
}
