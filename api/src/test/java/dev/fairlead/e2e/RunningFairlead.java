package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.LoopThread;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.attempt.AttemptCredential;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springdoc.webmvc.api.OpenApiWebMvcResource;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** The service as shipped, on free ports and with a separate database. */
final class RunningFairlead implements AutoCloseable {
  /** Filled by the first successful response. After a failure the next test repeats the request. */
  private static final Map<String, JsonNode> DOCUMENT = new ConcurrentHashMap<>();

  private final Runnable afterwards;
  private final ConfigurableApplicationContext context;

  private RunningFairlead(Runnable afterwards, ConfigurableApplicationContext context) {
    this.afterwards = afterwards;
    this.context = context;
  }

  /** A key for secrets and credentials. */
  static final String KEY = "--fairlead.encryption-keys=base64:" + "QUFB".repeat(12);

  static RunningFairlead start(String... more) {
    EmbeddedDatabase database = MigratedDatabase.start();
    try {
      return startBehind(database, database.url(), more);
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** Shared by all suites that do not affect others. Ends with the JVM. */
  static RunningFairlead shared() {
    return Shared.FAIRLEAD;
  }

  private static final class Shared {
    static final RunningFairlead FAIRLEAD =
        RunningFairlead.start(KEY, "--fairlead.key-file=" + keyFile());

    static {
      EndedClusters.at(FAIRLEAD.http());
      Runtime.getRuntime().addShutdownHook(new Thread(FAIRLEAD.context::close));
    }
  }

  /** The API's document. Its creation takes seconds, so one service creates it for all tests. */
  static JsonNode documentedApi() {
    return DOCUMENT.computeIfAbsent("/v3/api-docs", path -> shared().http().get(path).json());
  }

  /** A separate key file, which is created when the service starts. */
  static Path keyFile() {
    try {
      Path directory = Files.createTempDirectory("fairlead-key");
      directory.toFile().deleteOnExit();
      Path file = directory.resolve("key");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With its connections led through the proxy. */
  static RunningFairlead startBehind(EmbeddedDatabase database, String url, String... more) {
    return new RunningFairlead(
        database::close, application(url, database.user(), database.password(), more));
  }

  /** Starts on a database that remains. The password is the name of its owner. */
  static RunningFairlead startOn(String url, String owner) {
    return new RunningFairlead(() -> {}, application(url, owner, owner));
  }

  private static ConfigurableApplicationContext application(
      String url, String user, String password, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--management.server.port=0",
                "--spring.datasource.url=" + url,
                "--spring.datasource.username=" + user,
                "--spring.datasource.password=" + password,
                "--fairlead.egress.allow=127.0.0.0/8",
                "--fairlead.egress.webhooks=127.0.0.0/8",
                "--fairlead.api.requests-per-minute=0"));
    // a repeated header would become a list
    for (String option : more) {
      String name = option.substring(0, option.indexOf('=') + 1);
      arguments.removeIf(usual -> usual.startsWith(name));
    }
    arguments.addAll(List.of(more));
    ConfigurableApplicationContext context =
        FairleadStart.application().run(arguments.toArray(String[]::new));
    // a service reports that it is not ready until it has read its limits
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> context.getBean(LimitSource.class).now() != null);
    return context;
  }

  /** Waits until no supervisor of this process handles the cluster. */
  void leavesAlone(String cluster) {
    String shown = "fairlead_cluster_silence_seconds{cluster=\"" + cluster + "\"";
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !management().get("/actuator/prometheus").body().contains(shown));
  }

  Http http() {
    return new Http(
        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
  }

  Http management() {
    return new Http(
        "http://127.0.0.1:" + context.getEnvironment().getProperty("local.management.port"));
  }

  /** Adds a loop to the process. The test closes it. */
  LoopThread run(Loop loop) {
    return context.getBean(LoopThreads.class).of(loop).start();
  }

  /** The credential of an attempt, in the form given to its members. */
  String credential(AttemptCredential of) {
    byte[] key = context.getBean(SharedKey.class).derived(AttemptCredential.PURPOSE).orElseThrow();
    return of.text(key).reveal();
  }

  /** Rows that are over their age are cleared. */
  RetentionStore oldRows() {
    return context.getBean(RetentionStore.class);
  }

  /** The controller that serves the API document. */
  OpenApiWebMvcResource document() {
    return context.getBean(OpenApiWebMvcResource.class);
  }

  Transactions transactions() {
    return context.getBean(Transactions.class);
  }

  /** Ends the process as a stop signal does. The database remains. */
  void end() {
    context.close();
  }

  @Override
  public void close() {
    context.close();
    afterwards.run();
  }
}
