package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Packages;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A queue of Node.js: {@code tools/node-queues/queue.mjs}, which documents the settings of each.
 */
final class NodeQueue implements JobQueue {
  private static final String PACKAGES = "tools/node-queues/queues.sh";
  private static final String PROGRAM = "tools/node-queues/queue.mjs";

  private final EmbeddedDatabase database;
  private final Process process;
  private final Writer commands;
  private final Map<Long, CompletableFuture<String>> asked = new ConcurrentHashMap<>();
  private final AtomicLong ids = new AtomicLong();

  /** The directory with the queues, which are downloaded at the first use. */
  static Path packages() throws Packages.Unavailable, InterruptedException {
    return Packages.of(PACKAGES);
  }

  /**
   * @param system {@code graphile-worker} or {@code pg-boss}
   */
  NodeQueue(String system, Path packages) {
    database = EmbeddedDatabase.durable();
    try {
      URI jdbc = URI.create(database.url().substring("jdbc:".length()));
      String url =
          "postgres://%s:%s@%s%s"
              .formatted(database.user(), database.password(), jdbc.getAuthority(), jdbc.getPath());
      process =
          new ProcessBuilder(
                  "node",
                  WorkTree.root().resolve(PROGRAM).toString(),
                  system,
                  packages.toString(),
                  url)
              .redirectError(Redirect.INHERIT)
              .start();
      commands = process.outputWriter(StandardCharsets.UTF_8);
      BufferedReader answers = process.inputReader(StandardCharsets.UTF_8);
      if (!"ready".equals(answers.readLine())) {
        throw new StartFailed(system + " did not start");
      }
      Thread.ofVirtual().start(() -> answers.lines().forEach(this::answered));
    } catch (IOException broken) {
      database.close();
      throw new UncheckedIOException(broken);
    }
  }

  private void answered(String line) {
    String[] parts = line.split(" ", 2);
    CompletableFuture<String> answer = asked.remove(Long.valueOf(parts[0]));
    if (answer != null) {
      answer.complete(parts[1]);
    }
  }

  private String ask(String command) {
    long id = ids.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    asked.put(id, answer);
    synchronized (commands) {
      try {
        commands.write(id + " " + command + "\n");
        commands.flush();
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
    String said = answer.join();
    if (said.startsWith("failed")) {
      throw new IllegalStateException(said);
    }
    return said;
  }

  @Override
  public void submit() {
    ask("submit");
  }

  @Override
  public void submit(int jobs) {
    ask("batch " + jobs);
  }

  @Override
  public boolean done() {
    return ask("done").equals("yes");
  }

  @Override
  public EmbeddedDatabase database() {
    return database;
  }

  @Override
  public ProcessHandle process() {
    return process.toHandle();
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
    database.close();
  }
}
