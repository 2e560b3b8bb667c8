package dev.fairlead.verify.host;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LocalFairlead;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SortedMap;

/**
 * The processes of a Fairlead on this machine: its service, and the server of its database with all
 * children. Linux only.
 */
public final class Processes {
  private final long service;
  private final ProcessHandle database;

  private Processes(long service, ProcessHandle database) {
    this.service = service;
    this.database = database;
  }

  /**
   * @throws IllegalStateException when the server's process cannot be found
   */
  public static Processes of(LocalFairlead fairlead) {
    return new Processes(fairlead.service().pid(), server(fairlead.database()));
  }

  private static ProcessHandle server(EmbeddedDatabase database) {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return ProcessHandle.of(row.getLong(1))
          .flatMap(ProcessHandle::parent)
          .orElseThrow(() -> new IllegalStateException("the database's process is not seen here"));
    } catch (SQLException e) {
      throw new IllegalStateException("the database does not answer: " + e.getMessage(), e);
    }
  }

  /** CPU time since the processes began. */
  public Cost cost() {
    SortedMap<String, Double> threads = Proc.threads(service);
    double all = ownMillis(service);
    double simulated = threads.getOrDefault(Proc.SIMULATED, 0.0);
    double server = familyMillis(database.pid());
    double backends = backends().stream().mapToDouble(Processes::ownMillis).sum();
    return new Cost(all - simulated, server + backends, simulated, threads);
  }

  /** CPU time of one process since its start, in milliseconds, 0 for an unknown id. */
  public static double ownMillis(long pid) {
    return Proc.cpu(pid).map(Proc.Cpu::ownMillis).orElse(0.0);
  }

  /** CPU time of one process and its ended children, in milliseconds, 0 for an unknown id. */
  public static double familyMillis(long pid) {
    return Proc.cpu(pid).map(cpu -> cpu.ownMillis() + cpu.childrenMillis()).orElse(0.0);
  }

  private List<Long> backends() {
    return database.children().map(ProcessHandle::pid).toList();
  }

  /**
   * Memory of the service in MiB: the proportional set size, which divides a shared page among the
   * processes that map it.
   */
  public double serviceMiB() {
    return mib(service);
  }

  /** Memory of the database's server with all of its processes. */
  public double databaseMiB() {
    return mib(database.pid()) + backends().stream().mapToDouble(Processes::mib).sum();
  }

  private static double mib(long pid) {
    return Proc.pssKib(pid).orElse(0L) / 1024.0;
  }

  public long service() {
    return service;
  }

  /** Threads of the service in the operating system. */
  public int threads() {
    return Proc.threadCount(service);
  }

  /** Open files and sockets of the service. */
  public int openFiles() {
    return Proc.openFiles(service);
  }
}
