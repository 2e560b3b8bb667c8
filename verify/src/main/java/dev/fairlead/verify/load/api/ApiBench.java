package dev.fairlead.verify.load.api;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code make bench-api}: reads of a service with an untuned JVM on an embedded database with a
 * million jobs (or {@code JOBS=n}), and lists of nodes of fleets of 1,000 and 10,000 nodes. Prints
 * each figure with its bound, and exits with 0 when all are met, 1 when not.
 */
public final class ApiBench {
  private static final int MILLION = 1_000_000;
  private static final int RATE = 500;
  private static final int WARM_UP = 600;
  private static final Duration WARM = Duration.ofSeconds(90);
  private static final List<Integer> FLEETS = List.of(1_000, 10_000);
  private static final List<String> PAGES =
      List.of(
          "/jobs?state=FAILED&view=BASIC",
          "/jobs?state=SUSPENDED&state=FAILED&view=BASIC",
          "/jobs?state=SUSPENDED&orderBy=-priority&view=BASIC",
          "/jobs?user=user-7&view=BASIC",
          "/jobs?queue=default&orderBy=createdAt&view=BASIC",
          "/jobs?orderBy=-priority&view=BASIC",
          "/jobs?orderBy=name&view=BASIC",
          "/jobs?label=team%3Dteam-7&view=BASIC",
          "/jobs?label=sweep%3Dsweep-5000&view=BASIC",
          "/jobs?label=batch%3Dbatch-7&state=CANCELLED&orderBy=name&view=BASIC",
          "/jobs?label=sweep%3Dno-such&orderBy=name&view=BASIC",
          "/jobs?label=team%3Dteam-1&state=FAILED&orderBy=-priority&view=BASIC",
          "/jobs?label=tier%3Dtier-1&state=SUSPENDED&orderBy=name&view=BASIC",
          "/jobs?label=tier%3Dtier-0&state=CANCELLED&orderBy=-priority&view=BASIC",
          "/jobs?label=team%3Dteam-7&label=tier%3Dtier-2&orderBy=name&view=BASIC",
          "/jobs?label=team%3Dteam-7&user=user-8&view=BASIC",
          "/jobs?user=user-7&state=FAILED&view=BASIC",
          "/jobs?name=job-77777&view=BASIC",
          "/projects/default/jobs?state=CANCELLED&createdAfter=24h&view=BASIC");

  private static final List<String> COUNTS =
      List.of(
          "/jobs/summary?groupBy=state&groupBy=queue",
          "/jobs/summary?groupBy=user",
          "/jobs/summary?label=team%3Dteam-7");

  private final Report report;

  private ApiBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-api", "reads of an API with many jobs")
        .option("jobs", "stored jobs, by default 1000000")
        .measure(
            args,
            (arguments, report) ->
                new ApiBench(report)
                    .measure(arguments.number("jobs", MILLION, 1, Integer.MAX_VALUE)));
  }

  private void measure(int jobs) throws IOException, InterruptedException, SQLException {
    try (LocalFairlead fairlead = LocalFairlead.start("bench-api", List.of())) {
      long from = System.nanoTime();
      prepare(fairlead.api());
      List<String> ids = MillionJobs.store(fairlead.database(), jobs);
      report.format(
          "%,d jobs stored in %d s, load by %s",
          jobs, (System.nanoTime() - from) / 1_000_000_000, Load.tool());
      Load load = new Load(fairlead.service().address(), "/api/v1");
      read(load);
      readAtRate(load, ids, fairlead.service().pid());
      readFleet(fairlead.api(), load);
      report.figures(new StreamBench(fairlead).measure());
    }
  }

  /** Registers a cluster and submits the job to copy. */
  private static void prepare(FairleadApi api) throws InterruptedException {
    ObjectNode cluster = JsonNodeFactory.instance.objectNode().put("name", "load");
    cluster.put("kind", "SIMULATED").withArray("fleet").addObject().put("nodes", 1);
    ((ObjectNode) cluster.path("fleet").path(0)).put("gpusPerNode", 8).put("model", "L4");
    api.post("/clusters", cluster);
    api.post(
        "/projects/default/jobs",
        JsonNodeFactory.instance.objectNode().put("name", "bench-template").put("image", "x"));
  }

  private void read(Load load) throws IOException {
    load.inTurn(WARM_UP, i -> PAGES.get(i % PAGES.size())); // JIT warm-up
    for (String page : PAGES) {
      load.inTurn(20, i -> page);
      add("page of 50, " + page, load.inTurn(100, i -> page), 100);
    }
    for (String counts : COUNTS) {
      load.inTurn(5, i -> counts);
      add(counts, load.inTurn(50, i -> counts), 300);
    }
  }

  /** Lists nodes and reads one by name, on fleets of different size with equal results. */
  private void readFleet(FairleadApi api, Load load) throws IOException, InterruptedException {
    int before = api.get("/clusters/bench").path("nodes").asInt();
    for (int nodes : FLEETS) {
      String cluster = "fleet-" + nodes;
      BenchFleet.register(api, cluster, nodes - before, 8);
      before = nodes;
      String name = lastNode(api, cluster);
      String fleet = "%,d nodes, ".formatted(nodes);
      for (String read :
          List.of("/nodes", "/nodes?nodeState=CORDONED", "/nodes/" + name, "/clusters", "/pools")) {
        load.inTurn(20, i -> read);
        add(fleet + read.replace(name, "NAME"), load.inTurn(100, i -> read), 100);
      }
      load.inTurn(5, i -> "/nodes?pageSize=500");
      add(fleet + "/nodes?pageSize=500", load.inTurn(50, i -> "/nodes?pageSize=500"), 300);
    }
  }

  /** A node name that no other cluster has. */
  private static String lastNode(FairleadApi api, String cluster) {
    List<String> names = new ArrayList<>();
    api.each(
        "/nodes?pageSize=500&cluster=" + cluster, node -> names.add(node.path("name").asString()));
    return names.getLast();
  }

  private void readAtRate(Load load, List<String> ids, long service) throws InterruptedException {
    load.atRate(RATE / 5, Duration.ofSeconds(5), i -> job(ids, i));
    load.atRate(RATE, WARM, i -> job(ids, i)); // compiler threads would delay one request in 100
    Duration serviceBefore = cpu(service);
    Duration ownBefore = cpu(ProcessHandle.current().pid());
    Load.Answers answers = load.atRate(RATE, Duration.ofSeconds(20), i -> job(ids, i));
    report.format(
        "CPU of a GET: %.2f ms in the service, %.2f ms in the load",
        cpu(service).minus(serviceBefore).toNanos() / 1e6 / RATE / 20,
        cpu(ProcessHandle.current().pid()).minus(ownBefore).toNanos() / 1e6 / RATE / 20);
    add("GET job at " + RATE + "/s", answers.took(), 20);
    Figure refused =
        Figure.atMost("GET job at " + RATE + "/s, not answered 200", answers.failed(), "", 0);
    report.require(refused.good());
    report.line(refused.line() + (answers.failed() == 0 ? "" : "  first: " + answers.failure()));
  }

  private static Duration cpu(long process) {
    return ProcessHandle.of(process)
        .flatMap(p -> p.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  private static String job(List<String> ids, int i) {
    return "/jobs/" + new JobId(UUID.fromString(ids.get(i * 7 % ids.size()))).text();
  }

  private void add(String what, Percentiles took, double bound) {
    Figure figure = Figure.atMost(what + ", p99", took.at(99).toNanos() / 1e6, "ms", bound);
    report.require(figure.good());
    report.format("%s  (p50 %.1f ms)", figure.line(), took.at(50).toNanos() / 1e6);
  }
}
