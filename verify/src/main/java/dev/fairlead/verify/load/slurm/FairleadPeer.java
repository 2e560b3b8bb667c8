package dev.fairlead.verify.load.slurm;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fairlead with one simulated cluster and durable commits, through REST. Its jobs start no process.
 */
final class FairleadPeer implements Peer {
  private static final String PROGRAMS = "tools/suites/python";
  private static final int TOO_MANY = 429;
  private static final long BUSY_NANOS = 1_000_000_000L;
  private static final int BATCH = 500;
  private static final int BATCH_CLIENTS = 2;
  private static final String PAGE = Batches.JOBS + "?pageSize=";
  private static final String NOT_STARTED = PAGE + "1&state=QUEUED&state=ADMITTED&state=STARTING";
  private static final String NOT_SUCCEEDED = "&state=FAILED&state=CANCELLED";

  private final LocalFairlead fairlead;
  private final FairleadApi api;
  private final Processes processes;
  private final AtomicInteger names = new AtomicInteger();
  private final Path bytecode = WorkTree.root().resolve("build/bench-bytecode");
  private volatile String last = "";

  FairleadPeer() throws InterruptedException {
    fairlead = LocalFairlead.start("bench-slurm", List.of(), EmbeddedDatabase.durable());
    api = fairlead.api();
    BenchFleet.register(api, "load", NODES, PLACES);
    processes = Processes.of(fairlead);
  }

  @Override
  public void submit() {
    ObjectNode job = job();
    patiently(() -> last = api.post(Batches.JOBS, job).path("id").asString());
  }

  @Override
  public void array(int elements) {
    ObjectNode job = job().put("array", "0-" + (elements - 1));
    patiently(() -> last = api.post(Batches.JOBS, job).path("id").asString());
  }

  /** Repeats a request while the service is busy, as sbatch does. */
  private static void patiently(Runnable request) {
    while (true) {
      try {
        request.run();
        return;
      } catch (ApiRefusal refused) {
        if (refused.status() != TOO_MANY) {
          throw refused;
        }
        LockSupport.parkNanos(BUSY_NANOS);
      }
    }
  }

  private ObjectNode job() {
    ObjectNode job =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", "noop-" + names.incrementAndGet())
            .put("image", "registry.example.com/verify/noop:1")
            .put("gpu", 1);
    job.putObject("annotations")
        .put("sim.fairlead.dev/start-after", "0s")
        .put("sim.fairlead.dev/run-for", "0s");
    return job;
  }

  /** A started array is RUNNING while elements wait. */
  @Override
  public boolean started() {
    return api.isEmpty(NOT_STARTED)
        && api.get("/jobs/" + last).path("array").path("queued").asInt(0) == 0;
  }

  @Override
  public boolean ended() {
    return api.isEmpty(NOT_STARTED + "&state=RUNNING");
  }

  /** The accounting of a job is stored with its end. */
  @Override
  public void settle() {
    JsonNode others = api.get(PAGE + 1 + NOT_SUCCEEDED).path("items");
    if (!others.isEmpty()) {
      throw new IllegalStateException("a job did not succeed: " + others.get(0));
    }
  }

  @Override
  public SortedMap<String, Double> cpuMillis() {
    Cost cost = processes.cost();
    SortedMap<String, Double> millis = new TreeMap<>();
    millis.put("service", cost.serviceMillis());
    millis.put("PostgreSQL", cost.databaseMillis());
    millis.put("simulated cluster", cost.simulatedMillis());
    return millis;
  }

  @Override
  public void fill(int jobs) throws InterruptedException {
    api.post("/clusters/load/cordon");
    Clients.each(
        BATCH_CLIENTS,
        jobs / BATCH,
        () -> {
          List<ObjectNode> batch = Stream.generate(this::job).limit(BATCH).toList();
          patiently(() -> Batches.submit(api, batch));
        });
    last = api.get(PAGE + 1).path("items").get(0).path("id").asString();
  }

  @Override
  public SortedMap<String, Runnable> questions() {
    SortedMap<String, Runnable> questions = new TreeMap<>();
    questions.put("GET /jobs, 50 jobs", reading(() -> api.get(PAGE + 50)));
    questions.put("GET /jobs, all jobs", () -> api.each(PAGE + 500, job -> {}));
    questions.put("GET /jobs/{id}", reading(() -> api.get("/jobs/" + last)));
    String programs = program(List.of(WorkTree.root().resolve(PROGRAMS).toString(), "programs"));
    String python = programs.lines().reduce("", (first, second) -> second) + "/python";
    String start = "from fairlead.cli.start import main; main()";
    questions.put("fairlead ps", () -> program(List.of(python, "-c", start, "ps")));
    return questions;
  }

  private static Runnable reading(Supplier<JsonNode> read) {
    return () -> {
      JsonNode _ = read.get();
    };
  }

  /** Runs a program of the SDK, compiled like an installed one, and returns its output. */
  private String program(List<String> line) {
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    Path sources = WorkTree.root().resolve("sdk/python/src");
    builder.environment().put("PYTHONPATH", sources.toString());
    builder.environment().put("PYTHONPYCACHEPREFIX", bytecode.toString());
    builder.environment().remove("PYTHONDONTWRITEBYTECODE");
    builder.environment().put("FAIRLEAD_URL", api.address().toString());
    try {
      Process run = builder.start();
      String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (run.waitFor() != 0) {
        throw new IllegalStateException(line + " failed: " + said);
      }
      return said;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(line + " was interrupted", stopped);
    }
  }

  @Override
  public String missing() {
    return "";
  }

  @Override
  public void close() {
    fairlead.close();
  }
}
