package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestPlan;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.job.service.spi.JobSubmits;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** The health tests of the installation and their runs. */
@Service
public class HealthTests {
  private static final int NEWEST = 50;
  private final Transactions transactions;
  private final HealthTestStore tests;
  private final InventoryStore inventory;
  private final JobSubmits submits;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public HealthTests(
      Transactions transactions,
      HealthTestStore tests,
      InventoryStore inventory,
      JobSubmits submits,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.tests = tests;
    this.inventory = inventory;
    this.submits = submits;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * A test as people read it.
   *
   * @param nodes how many it covers
   * @param tested how many of them it has judged and are not due again
   * @param underWay runs
   * @param message why no node is tested by the clock, empty when nothing is in the way
   */
  public record View(HealthTest test, int nodes, int tested, int underWay, String message) {}

  /**
   * A run as people read it.
   *
   * @param cluster name of it
   */
  public record RunView(HealthTestRun run, String cluster) {}

  /** By name. */
  public List<View> all() {
    return tests.tests().stream().map(this::view).toList();
  }

  private View view(HealthTest test) {
    FleetSource.Fleet fleet = inventory.fleet();
    Map<ClusterId, Cluster> clusters =
        fleet.clusters().stream().collect(Collectors.toMap(Cluster::id, cluster -> cluster));
    List<Node> covered =
        fleet.nodes().stream()
            .filter(node ->
                Optional.ofNullable(clusters.get(node.cluster()))
                    .filter(cluster -> test.covers(node, cluster))
                    .isPresent())
            .toList();
    SortedMap<NodeId, HealthTestRun> last = tests.last(test.name());
    Instant now = clock.instant();
    int tested =
        (int)
            covered.stream()
                .map(node -> last.get(node.id()))
                .filter(run -> run != null && run.outcome() != null && run.outcome().judges())
                .filter(run -> test.every() == null || !HealthTestPlan.due(test, run, now))
                .count();
    int open = (int) tests.open().stream().filter(run -> run.test().equals(test.name())).count();
    return new View(test, covered.size(), tested, open, message(test, covered, tested + open));
  }

  private String message(HealthTest test, List<Node> covered, int cared) {
    if (covered.isEmpty()) {
      return "no node of the fleet is one that it tests: see its GPU model, clusters, pools,"
          + " capacity and node labels";
    }
    List<HealthTestRun> newest = tests.runs(test.name(), null, null, NEWEST);
    String doubt = test.every() == null ? "" : HealthTestPlan.doubt(test, newest);
    if (!doubt.isEmpty()) {
      return doubt;
    }
    boolean idle = covered.stream().anyMatch(HealthTestPlan::idle);
    if (test.every() != null && cared < covered.size() && !idle) {
      return "none of its nodes is idle";
    }
    return newest.stream()
        .filter(run -> !run.startedAt().isBefore(test.changedAt()))
        .findFirst()
        .map(HealthTests::lost)
        .orElse("");
  }

  /** Why the newest run judged nothing; empty when it did or is under way. */
  private static String lost(HealthTestRun run) {
    HealthTestOutcome outcome = run.outcome();
    return outcome == null || outcome.judges()
        ? ""
        : "its last run, on node %s, is %s: %s".formatted(run.nodeName(), outcome, run.message());
  }

  /**
   * Adds a test, or changes it; runs that are under way go on as they began.
   *
   * @param draft without actor and time
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED for one too many, and what a submit of its job to its
   *     project is refused with
   */
  public View put(Actor actor, HealthTest draft, boolean validateOnly) {
    Permissions.require(actor, "putHealthTest");
    submits.check(actor, draft.project(), draft.job().named("", draft.job().queue()));
    HealthTest test = draft.by(actor, clock.instant());
    transactions.runOrTry(
        validateOnly,
        () -> {
          HealthTest old = tests.test(test.name()).orElse(null);
          if (old == null && tests.tests().size() >= HealthTest.MOST) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "There are %d health tests, the most; delete one first."
                    .formatted(HealthTest.MOST));
          }
          tests.put(test);
          audit.append(
              new AuditRecord(actor, "putHealthTest", test.name(), true, new TreeMap<>())
                  .changed("health-tests/" + test.name(), old, test));
        });
    return view(test);
  }

  /**
   * Its runs stay; those under way go on, and say no more about their nodes.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void delete(Actor actor, String name, boolean validateOnly) {
    Permissions.require(actor, "deleteHealthTest");
    transactions.runOrTry(
        validateOnly,
        () -> {
          HealthTest old = found(name);
          boolean there = tests.remove(name);
          audit.append(
              new AuditRecord(actor, "deleteHealthTest", name, there, new TreeMap<>())
                  .changed("health-tests/" + name, old, null));
        });
  }

  /**
   * Tests a node at the next turn of the loop, whether it is due or not.
   *
   * @param text id or name of the node
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes,
   *     ILLEGAL_STATE when the test does not cover the node, it takes no jobs or is being tested
   */
  public RunView run(Actor actor, String name, String text, boolean validateOnly) {
    Permissions.require(actor, "runHealthTest");
    HealthTest test = found(name);
    Node node = FleetNames.node(inventory, text);
    Cluster cluster = inventory.cluster(node.cluster()).orElseThrow();
    if (!test.covers(node, cluster)) {
      throw illegal(
          "Test %s does not cover node %s: see the GPU model, clusters, pools, capacity and node labels of its job."
              .formatted(name, node.name()));
    }
    if (node.state() != NodeState.ACTIVE) {
      throw illegal(
          "Node %s is %s and takes no jobs, so no test either."
              .formatted(node.name(), node.state()));
    }
    HealthTestRun run =
        HealthTestRun.of(
            new HealthTestRunId(ids.next()), test.name(), node, actor.name(), clock.instant());
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            tests.insert(run);
            audit.append(
                new AuditRecord(actor, "runHealthTest", node.id().text(), true, detail(name, run)));
          });
    } catch (Conflict tested) {
      throw illegal(
          "Node %s is being tested. GET /api/v1/health-test-runs shows it.".formatted(node.name()));
    }
    return new RunView(run, cluster.name());
  }

  private static SortedMap<String, Object> detail(String test, HealthTestRun run) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("test", test);
    detail.put("run", run.id().text());
    return detail;
  }

  private static Refusal illegal(String text) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, text);
  }

  /**
   * Newest first.
   *
   * @param test null for those of all tests; may be one that was deleted
   * @param node id or name, null for all nodes
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<RunView> runs(
      @Nullable String test, @Nullable String node, @Nullable HealthTestRunId before, int limit) {
    NodeId only = node == null ? null : FleetNames.node(inventory, node).id();
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return tests.runs(test, only, before, limit).stream()
        .map(run ->
            new RunView(
                run,
                names.computeIfAbsent(
                    run.cluster(), id -> inventory.nameOf(id).orElseGet(id::text))))
        .toList();
  }

  private HealthTest found(String name) {
    return tests
        .test(name)
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.NOT_FOUND,
                "There is no health test \"" + name + "\". GET /api/v1/health-tests lists them."));
  }
}
