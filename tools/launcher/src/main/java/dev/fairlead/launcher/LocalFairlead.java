package dev.fairlead.launcher;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An embedded database and the service on it, on this machine only. Both end with this JVM. */
public final class LocalFairlead implements AutoCloseable {
  private static final Duration READY_WAIT = Duration.ofMinutes(5);

  private final EmbeddedDatabase database;
  private final ServiceProcess service;
  private final FairleadApi api;
  private Duration readyAfter = Duration.ZERO;

  private LocalFairlead(EmbeddedDatabase database, ServiceProcess service, FairleadApi api) {
    this.database = database;
    this.service = service;
    this.api = api;
  }

  /**
   * Like {@link #start(String, List)}, on the default ports: 8080 and 8081 if they are free, or
   * those of {@code FAIRLEAD_PORT} and {@code FAIRLEAD_MANAGEMENT_PORT}.
   */
  public static LocalFairlead demo(String program, List<String> jvmFlags)
      throws InterruptedException {
    return start(
        program, jvmFlags, EmbeddedDatabase.start(), LoopbackPorts.choose(System.getenv()));
  }

  /**
   * Starts both on a fresh database and waits until the service is ready. Its ports are any free
   * ones, so that a concurrent demo can use port 8080.
   *
   * @param program names the log: {@code build/<program>/service.log}
   * @param jvmFlags JVM flags of the service, empty = untuned
   * @throws StartFailed with the reason and the end of the log
   */
  public static LocalFairlead start(String program, List<String> jvmFlags)
      throws InterruptedException {
    return start(program, jvmFlags, EmbeddedDatabase.start());
  }

  /** Starts the service on a running database, which is closed with this. */
  public static LocalFairlead start(
      String program, List<String> jvmFlags, EmbeddedDatabase database)
      throws InterruptedException {
    return start(program, jvmFlags, database, LoopbackPorts.any());
  }

  /** Starts the service on a running database, which is closed with this, on these ports. */
  public static LocalFairlead start(
      String program, List<String> jvmFlags, EmbeddedDatabase database, LoopbackPorts ports)
      throws InterruptedException {
    SortedMap<String, String> none = new TreeMap<>();
    ServiceSettings settings =
        new ServiceSettings(
            WorkTree.serviceClasspath(),
            jvmFlags,
            none,
            ports,
            WorkTree.scratch(program).resolve("service.log"));
    return start(database, settings);
  }

  /** Starts the service on a running database, which is closed with this. */
  public static LocalFairlead start(EmbeddedDatabase database, ServiceSettings settings)
      throws InterruptedException {
    ServiceProcess service = ServiceProcess.start(on(database, settings));
    LocalFairlead local =
        new LocalFairlead(database, service, new FairleadApi(service.address(), token()));
    database.closeFirst(service);
    try {
      local.readyAfter = service.awaitReady(READY_WAIT);
      return local;
    } catch (StartFailed | InterruptedException e) {
      local.close();
      throw e;
    }
  }

  private static ServiceSettings on(EmbeddedDatabase database, ServiceSettings settings) {
    SortedMap<String, String> environment = new TreeMap<>(settings.environment());
    environment.put("FAIRLEAD_DB_URL", database.url());
    environment.put("FAIRLEAD_DB_USER", database.user());
    environment.put("FAIRLEAD_DB_PASSWORD", database.password());
    environment.put("FAIRLEAD_BIND", "127.0.0.1");
    environment.put("FAIRLEAD_KEY_FILE", WorkTree.scratch("local").resolve("key").toString());
    environment.put("FAIRLEAD_LOGS_DIRECTORY", database.jobLogs().toString());
    environment.put("FAIRLEAD_EGRESS_ALLOW", "127.0.0.0/8");
    environment.put("FAIRLEAD_API_REQUESTS_PER_MINUTE", "0");
    return new ServiceSettings(
        settings.classpath(), settings.jvmFlags(), environment, settings.ports(), settings.log());
  }

  /** {@code FAIRLEAD_BOOTSTRAP_TOKEN} of this process, which the service inherits, null if none. */
  public static @Nullable String token() {
    return System.getenv("FAIRLEAD_BOOTSTRAP_TOKEN");
  }

  public FairleadApi api() {
    return api;
  }

  /** Its database, for data that the API cannot write. */
  public EmbeddedDatabase database() {
    return database;
  }

  /** Time from the start of the service's process until it was ready. */
  public Duration readyAfter() {
    return readyAfter;
  }

  public ServiceProcess service() {
    return service;
  }

  @Override
  public void close() {
    api.close();
    service.close();
    database.close();
  }
}
