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
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.ConfigWriter;
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
public class HealthTests implements ConfigDocumentRevert<HealthTest> {
  private static final int NEWEST = 50;
  private final Transactions transactions;
  private final HealthTestStore tests;
  private final ConfigStore documents;
  private final ConfigWriter changes;
  private final InventoryStore inventory;
  private final JobSubmits submits;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public HealthTests(
      Transactions transactions,
      HealthTestStore tests,
      ConfigStore documents,
      InventoryStore inventory,
      JobSubmits submits,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.tests = tests;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
    this.inventory = inventory;
    this.submits = submits;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /** Tests by name. */
  public List<HealthTestView> all() {
    return tests.tests().stream().map(this::view).toList();
  }

  private HealthTestView view(HealthTest test) {
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
    return HealthTestView.of(
        test, covered.size(), tested, open, message(test, covered, tested + open));
  }

  private String message(HealthTest test, List<Node> covered, int cared) {
    if (covered.isEmpty()) {
      return "no node of the fleet matches the test: check its GPU model, clusters, pools, capacity and node labels, and the backends of the clusters";
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

  /** Reason why the newest run has no verdict, empty when it has one or still runs. */
  private static String lost(HealthTestRun run) {
    HealthTestOutcome outcome = run.outcome();
    return outcome == null || outcome.judges()
        ? ""
        : "its last run, on node %s, is %s: %s".formatted(run.nodeName(), outcome, run.message());
  }

  /**
   * Adds a test, or changes it. Runs that have not ended continue unchanged.
   *
   * @param draft without actor and time
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED above {@link HealthTest#MOST} tests, VERSION_MISMATCH
   *     when another request changed the test at the same time, and the problems of a submit of its
   *     job to its project
   */
  public HealthTestView put(Actor actor, HealthTest draft, boolean validateOnly) {
    Permissions.require(actor, "putHealthTest");
    submits.check(actor, draft.project(), draft.job().named("", draft.job().queue()));
    HealthTest test = draft.by(actor, clock.instant());
    changed(
        validateOnly,
        () -> {
          ConfigDocument<HealthTest> old = document(test.name()).orElse(null);
          if (old == null && documents.count(HealthTest.DOCUMENTS) >= HealthTest.MOST) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "Fairlead has %d health tests, the maximum. Delete one first."
                    .formatted(HealthTest.MOST));
          }
          ConfigDocument<HealthTest> next = old == null ? test.document() : old.with(test);
          changes.put(actor, "putHealthTest", old, next, new TreeMap<>());
        });
    return view(test);
  }

  /**
   * Deletes a test. Its runs remain. Runs that have not ended continue, and their results do not
   * affect their nodes.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH when another request changed the test at
   *     the same time
   */
  public void delete(Actor actor, String name, boolean validateOnly) {
    Permissions.require(actor, "deleteHealthTest");
    changed(
        validateOnly,
        () ->
            changes.remove(
                actor,
                "deleteHealthTest",
                document(name).orElseThrow(() -> missing(name)),
                new TreeMap<>()));
  }

  private void changed(boolean validateOnly, Runnable change) {
    try {
      transactions.runOrTry(validateOnly, change);
    } catch (Conflict raced) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH,
          "Another request changed health test \"%s\" at the same time. Read it again and repeat."
              .formatted(raced.subject()));
    }
  }

  private Optional<ConfigDocument<HealthTest>> document(String name) {
    return documents.find(HealthTest.DOCUMENTS, null, name);
  }

  /**
   * Tests a node in the next pass of the loop, whether it is due or not.
   *
   * @param text id or name of the node
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes,
   *     ILLEGAL_STATE when the test does not cover the node, or the node accepts no jobs or is
   *     being tested
   */
  public HealthTestRunView run(Actor actor, String name, String text, boolean validateOnly) {
    Permissions.require(actor, "runHealthTest");
    HealthTest test = found(name);
    Node node = FleetNames.node(inventory, text);
    Cluster cluster = inventory.cluster(node.cluster()).orElseThrow();
    if (!test.covers(node, cluster)) {
      throw illegal(
          "Test %s does not cover node %s: see the GPU model, clusters, pools, capacity and node labels of its job, and the backend of the cluster."
              .formatted(name, node.name()));
    }
    if (node.state() != NodeState.ACTIVE) {
      throw illegal(
          "Node %s is %s and accepts no jobs, including tests."
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
    return HealthTestRunView.of(run, cluster.name());
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
   * Lists runs, newest first.
   *
   * @param test null for all tests. May be a deleted one
   * @param node id or name, null for all nodes
   * @throws Refusal NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public List<HealthTestRunView> runs(
      @Nullable String test, @Nullable String node, @Nullable HealthTestRunId before, int limit) {
    NodeId only = node == null ? null : FleetNames.node(inventory, node).id();
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return tests.runs(test, only, before, limit).stream()
        .map(run ->
            HealthTestRunView.of(
                run,
                names.computeIfAbsent(
                    run.cluster(), id -> inventory.nameOf(id).orElseGet(id::text))))
        .toList();
  }

  private HealthTest found(String name) {
    return tests.test(name).orElseThrow(() -> missing(name));
  }

  private static Refusal missing(String name) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "There is no health test \"" + name + "\". GET /api/v1/health-tests lists them.");
  }

  @Override
  public ConfigType<HealthTest> type() {
    return HealthTest.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<HealthTest>> stored(Actor actor, String name) {
    Permissions.require(actor, "listHealthTests");
    return document(name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<HealthTest> document) {
    HealthTestView _ = put(actor, document.value(), false);
  }
}
