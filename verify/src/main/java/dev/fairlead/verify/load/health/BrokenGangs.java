package dev.fairlead.verify.load.health;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.verify.Batches;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gangs on all nodes of a cluster except its spares. Each loses a node, so its next attempt needs a
 * spare.
 */
final class BrokenGangs {
  private static final String CLUSTER = "gangs";
  private static final int NODES = 40;
  private static final int SPARES = 4;
  private static final Duration WAIT = Duration.ofMinutes(1);

  private final FairleadApi api;

  BrokenGangs(FairleadApi api) {
    this.api = api;
  }

  /**
   * @param toIsolated from the report to its response, which follows the commit
   * @param toRunning from that response until the next attempt was observed as running
   */
  record Times(Percentiles toIsolated, Percentiles toRunning) {}

  /** Registers the cluster, with one spare in ten nodes. */
  void prepare() throws InterruptedException {
    BenchFleet.register(api, CLUSTER, NODES, 8);
    ObjectNode pool = JsonNodeFactory.instance.objectNode().put("name", CLUSTER);
    pool.put("spares", "1 per " + NODES / SPARES)
        .putObject("selector")
        .putArray("clusters")
        .add(CLUSTER);
    api.post("/pools", pool);
    await("the pool has spares", () -> spares() == SPARES);
  }

  private int spares() {
    return api.get("/pools/" + CLUSTER).path("spareNodes").asInt(0);
  }

  Times measure(int gangs) throws InterruptedException {
    List<Duration> isolated = new ArrayList<>();
    List<Duration> running = new ArrayList<>();
    lose(0, new ArrayList<>(), new ArrayList<>());
    for (int gang = 1; gang <= gangs; gang++) {
      lose(gang, isolated, running);
    }
    return new Times(new Percentiles(isolated), new Percentiles(running));
  }

  /**
   * Fails another member in each gang, because a node with two failures of gangs is avoided for
   * minutes.
   */
  private void lose(int gang, List<Duration> isolated, List<Duration> running)
      throws InterruptedException {
    String job = api.post(Batches.JOBS, gang(gang)).path("id").asString();
    await("the gang runs", () -> runs(job, 1));
    JsonNode member = api.get("/jobs/" + job + "/attempts").at("/items/0/members/" + gang);
    String node = member.path("node").asString();
    String gpu = member.at("/gpus/0/serial").asString();
    long posted = System.nanoTime();
    Reports.fault(api, CLUSTER, Reports.event("gang-" + gang, node, gpu, Reports.FATAL));
    long answered = System.nanoTime();
    await("the gang runs on a spare", () -> runs(job, 2));
    running.add(Duration.ofNanos(System.nanoTime() - answered));
    isolated.add(Duration.ofNanos(answered - posted));
    api.post("/jobs/" + job + "/cancel");
    await("the gang has ended", () -> state(job).equals("CANCELLED"));
    Reports.release(api, node);
    await("the spares are free again", () -> spares() == SPARES);
  }

  private static ObjectNode gang(int number) {
    ObjectNode job = JsonNodeFactory.instance.objectNode().put("name", "gang-" + number);
    job.put("image", "registry.example.com/verify/train:1")
        .put("workers", NODES - SPARES)
        .put("gpu", "H100:8")
        .put("run", "train.py");
    job.putObject("annotations").put("sim.fairlead.dev/run-for", "2h");
    return job;
  }

  private boolean runs(String job, int attempt) {
    JsonNode now = api.get("/jobs/" + job);
    return now.path("state").asString("").equals("RUNNING")
        && now.path("attempt").asInt(0) == attempt;
  }

  private String state(String job) {
    return api.get("/jobs/" + job).path("state").asString("");
  }

  /**
   * @throws IllegalStateException when the condition does not hold in time
   */
  private static void await(String what, BooleanSupplier so) throws InterruptedException {
    long until = System.nanoTime() + WAIT.toNanos();
    while (!so.getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("not within " + WAIT.toSeconds() + " s: " + what);
      }
      Thread.sleep(Duration.ofMillis(20));
    }
  }
}
