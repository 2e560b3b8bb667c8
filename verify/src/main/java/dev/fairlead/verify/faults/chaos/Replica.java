package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.ServiceProcess;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.verify.Waiting;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One process of the service, usually with short leases, that can be killed, paused and restarted.
 */
final class Replica implements AutoCloseable {
  private static final Duration EXIT_WAIT = Duration.ofMinutes(2);
  private final String name;
  private final LoopbackPorts ports;
  private final PostgresServer database;
  private final Path scratch;
  private final boolean production;
  private String classpath;
  private int starts;
  private ServiceProcess process;

  /**
   * @param classpath classpath of the version that it runs
   */
  Replica(
      String name,
      LoopbackPorts ports,
      PostgresServer database,
      Path scratch,
      boolean production,
      String classpath) {
    this.name = name;
    this.ports = ports;
    this.database = database;
    this.scratch = scratch;
    this.production = production;
    this.classpath = classpath;
    this.process = ServiceProcess.start(settings());
  }

  private ServiceSettings settings() {
    SortedMap<String, String> environment = new TreeMap<>();
    environment.put("FAIRLEAD_DB_URL", database.url());
    environment.put("FAIRLEAD_DB_USER", database.user());
    environment.put("FAIRLEAD_DB_PASSWORD", database.password());
    environment.put("FAIRLEAD_BIND", "127.0.0.1");
    environment.put("FAIRLEAD_KEY_FILE", scratch.resolve("key").toString());
    environment.put("FAIRLEAD_LOGS_DIRECTORY", TenantResources.logs(scratch).toString());
    environment.put("FAIRLEAD_EGRESS_ALLOW", "127.0.0.0/8");
    environment.put("FAIRLEAD_API_REQUESTS_PER_MINUTE", "0");
    if (!production) {
      environment.put("FAIRLEAD_LEASE_DURATION", "3s");
      environment.put("FAIRLEAD_LEASE_RENEW", "1s");
      environment.put("FAIRLEAD_LEASE_SELF_STOP", "2s");
    }
    environment.put("FAIRLEAD_WORKLOAD_KEEP_FAILED", "2s");
    environment.put("FAIRLEAD_WORKLOAD_KEEP_SUCCEEDED", "2s");
    List<String> flags = new ArrayList<>(ServiceSettings.QUICK);
    flags.add("-Xmx512m");
    starts++;
    return new ServiceSettings(
        classpath, flags, environment, ports, scratch.resolve(name + "-" + starts + ".log"));
  }

  String name() {
    return name;
  }

  URI address() {
    return process.address();
  }

  /** Returns whether this process has that holder name of a lease. */
  boolean holds(String holder) {
    return holder.startsWith(holder());
  }

  /** Prefix of the holder name of its leases. */
  String holder() {
    return "process-" + process.pid() + "-";
  }

  boolean running() {
    return process.running();
  }

  Duration awaitReady() throws InterruptedException {
    return process.awaitReady(Waiting.PATIENCE);
  }

  /** Sends SIGKILL. */
  void kill() {
    signal("KILL");
  }

  void pause() {
    signal("STOP");
  }

  void resume() {
    signal("CONT");
  }

  void startAgain() {
    process = ServiceProcess.start(settings());
  }

  /** Sends SIGTERM, then starts the other version. */
  void become(String other) throws InterruptedException {
    terminate();
    classpath = other;
    startAgain();
    awaitReady();
  }

  /** Sends SIGTERM and returns the time to its end. */
  Duration terminate() throws InterruptedException {
    long start = System.nanoTime();
    signal("TERM");
    Waiting.until(name + " ends after SIGTERM", EXIT_WAIT, () -> !process.running());
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /**
   * @throws StartFailed when the process has ended
   */
  void mustRun() {
    if (!process.running()) {
      throw new StartFailed("replica " + name + " ended by itself" + process.logTail());
    }
  }

  private void signal(String signal) {
    Signals.send(signal, ProcessHandle.of(process.pid()).stream());
  }

  @Override
  public void close() {
    signal("CONT");
    process.close();
  }
}
