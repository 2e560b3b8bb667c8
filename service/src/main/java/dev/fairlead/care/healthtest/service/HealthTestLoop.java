package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.health.service.spi.TestFaults;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestPlan;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Runs health tests as jobs: tests that operators requested, and due tests of idle nodes. {@link
 * HealthTestPlan} makes the decisions.
 */
@Component
public class HealthTestLoop extends LeasedLoop {
  /** Actor that submits their jobs. */
  public static final String ACTOR = OwnActor.HEALTH_TESTS.text();

  private static final Logger LOG = LoggerFactory.getLogger(HealthTestLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);

  /** Refusals unrelated to the test: its queue or tenant has many jobs, or Fairlead is busy. */
  private static final Set<ProblemCode> BUSY =
      EnumSet.of(ProblemCode.UNAVAILABLE, ProblemCode.RATE_LIMITED, ProblemCode.LIMIT_EXCEEDED);

  private static final Duration LOOK_EVERY = Duration.ofSeconds(30);
  private static final Duration FORGET_EVERY = Duration.ofMinutes(10);
  private static final Duration KEPT_FOR = Duration.ofDays(366);
  private static final int MOST_FORGOTTEN = 1000;
  private static final int NEWEST = 50;

  private final HealthTestStore tests;
  private final InventoryStore inventory;
  private final JobStore jobs;
  private final JobSubmits submits;
  private final TestFaults faults;
  private final PreflightRuns preflights;
  private final Transactions transactions;
  private final IdSource ids;
  private final GaugeRows doubted;
  private final Recurring look;
  private final Recurring forget;
  private final SortedMap<NodeId, Instant> idleSince = new TreeMap<>();

  public HealthTestLoop(
      Leases leases,
      HealthTestStore tests,
      InventoryStore inventory,
      JobStore jobs,
      JobSubmits submits,
      TestFaults faults,
      PreflightRuns preflights,
      Transactions transactions,
      IdSource ids,
      MeterRegistry metrics) {
    super("health-tests", "supervisor", IDLE, leases);
    this.tests = tests;
    this.inventory = inventory;
    this.jobs = jobs;
    this.submits = submits;
    this.faults = faults;
    this.preflights = preflights;
    this.transactions = transactions;
    this.ids = ids;
    this.doubted = new GaugeRows(metrics, Metric.HEALTH_TESTS_DOUBTED);
    this.look = Recurring.fromNowOn(leases.clock(), LOOK_EVERY);
    this.forget = Recurring.fromNowOn(leases.clock(), FORGET_EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    SortedMap<Reservation.Key, PreflightRuns.Place> places = preflights.places();
    preflights.due(places.values(), jobs.now()).forEach(run -> begin(lease, run));
    List<HealthTestRun> open = tests.open();
    if (!open.isEmpty()) {
      follow(lease, open, places);
    }
    if (forget.due()) {
      Instant before = jobs.now().minus(KEPT_FOR);
      int forgotten = transactions.callFenced(lease, () -> tests.forget(before, MOST_FORGOTTEN));
      if (forgotten < MOST_FORGOTTEN) {
        forget.done();
      }
    }
    if (look.due()) {
      begin(lease, PreflightRuns.nodes(places.values()));
      look.done();
    }
    return false;
  }

  @Override
  protected void forget() {
    idleSince.clear();
    doubted.show(Map.of());
  }

  /** Begins a run. Its job is submitted in the next step. */
  private void begin(HeldLease lease, HealthTestRun run) {
    guarded(
        "health test of " + run.nodeName(),
        () -> transactions.runFenced(lease, () -> tests.insert(run)));
  }

  private void follow(
      HeldLease lease,
      List<HealthTestRun> open,
      SortedMap<Reservation.Key, PreflightRuns.Place> places) {
    Instant now = jobs.now();
    Map<NodeId, Node> nodes =
        inventory
            .inService(open.stream().map(HealthTestRun::node).collect(Collectors.toSet()))
            .stream()
            .collect(Collectors.toMap(Node::id, node -> node));
    List<JobId> ofRuns = open.stream().map(HealthTestRun::job).filter(Objects::nonNull).toList();
    Map<JobId, Job> known =
        transactions.readForAllTenants(() -> jobs.findAll(ofRuns)).stream()
            .collect(Collectors.toMap(Job::id, job -> job));
    for (HealthTestRun each : open) {
      HealthTestRun run = PreflightRuns.left(each, places) ? each.unwanted() : each;
      String stops = PreflightRuns.stops(each, places, now);
      guarded(
          "health test of " + run.nodeName(),
          () -> follow(lease, run, stops, Optional.ofNullable(nodes.get(run.node())), known));
    }
  }

  /**
   * @param stops why the run ends, empty while it continues
   */
  private void follow(
      HeldLease lease,
      HealthTestRun run,
      String stops,
      Optional<Node> node,
      Map<JobId, Job> known) {
    HealthTest test = tests.test(run.test()).orElse(null);
    JobId id = run.job();
    if (id == null) {
      if (!stops.isEmpty()) {
        interrupted(lease, run, stops);
      } else if (test == null || node.isEmpty()) {
        interrupted(lease, run, test == null ? "the test was deleted" : "the node is gone");
      } else {
        submit(lease, test, run, node.get());
      }
      return;
    }
    Job job = known.get(id);
    if (job == null) {
      interrupted(lease, run, "its job is archived");
      return;
    }
    boolean usable = node.filter(n -> n.state() == NodeState.ACTIVE).isPresent();
    HealthTestPlan.end(run, job.run(), usable, jobs.now())
        .or(() ->
            stops.isEmpty() ? Optional.empty() : Optional.of(HealthTestPlan.End.givenUp(stops)))
        .ifPresent(end -> end(lease, run, job, test, end));
  }

  private void end(
      HeldLease lease,
      HealthTestRun run,
      Job job,
      @Nullable HealthTest test,
      HealthTestPlan.End end) {
    if (end.cancel()) {
      submits.cancel(actor(job.tenant()), job.id());
    }
    Instant now = jobs.now();
    transactions.runFenced(
        lease,
        () -> {
          String done =
              end.isolates() && test != null ? "; " + isolated(test, run, end.message(), now) : "";
          tests.update(run.ended(end.outcome(), end.message() + done, now));
        });
    LOG.info(
        "health-test={} node={} job={} outcome={} {}",
        run.test(),
        run.nodeName(),
        job.id().text(),
        end.outcome(),
        end.message());
  }

  private String isolated(HealthTest test, HealthTestRun run, String why, Instant now) {
    String cause = HealthTestPlan.cause(test, why);
    return faults.take(
        new TestFaults.Failed(
            run.cluster(),
            run.node(),
            run.id().text(),
            cause,
            test.step(),
            run.startedAt(),
            HealthTestPlan.gpus(test, run)),
        now);
  }

  private void interrupted(HeldLease lease, HealthTestRun run, String why) {
    transactions.runFenced(
        lease, () -> tests.update(run.ended(HealthTestOutcome.INTERRUPTED, why, jobs.now())));
  }

  /**
   * Submits the job. The key ensures that it is submitted only once, even if this is called
   * repeatedly.
   */
  private void submit(HeldLease lease, HealthTest test, HealthTestRun run, Node node) {
    Cluster cluster = inventory.cluster(node.cluster()).orElseThrow();
    JobSpec spec = HealthTestPlan.job(test, run, node, cluster);
    String key = "health-test/" + run.id().text();
    try {
      JobId job = submits.submit(actor(test.tenant()), test.project(), spec, key);
      transactions.runFenced(lease, () -> tests.update(run.running(job)));
    } catch (Refusal refused) {
      boolean busy = BUSY.contains(refused.code());
      if (busy && jobs.now().isBefore(run.startedAt().plus(HealthTestPlan.WAITS))) {
        return; // in a separate pass later, as after a lost database
      }
      transactions.runFenced(
          lease,
          () ->
              tests.update(
                  run.ended(
                      busy ? HealthTestOutcome.INTERRUPTED : HealthTestOutcome.BROKEN,
                      "its job was refused: " + refused.getMessage(),
                      jobs.now())));
    }
  }

  private static Actor actor(TenantId tenant) {
    return new Actor(tenant, ACTOR, Role.TENANT_MEMBER);
  }

  /**
   * @param kept nodes that are tested for waiting jobs
   */
  private void begin(HeldLease lease, Set<NodeId> kept) {
    List<HealthTest> clocked = tests.tests().stream().filter(test -> test.every() != null).toList();
    List<HealthTest> trusted = clocked.stream().filter(this::trusted).toList();
    int wrong = clocked.size() - trusted.size();
    doubted.show(Map.of(List.<String>of(), () -> wrong));
    if (clocked.isEmpty()) {
      idleSince.clear();
      return;
    }
    FleetSource.Fleet fleet = inventory.fleet();
    Instant now = jobs.now();
    List<Node> idle =
        fleet.nodes().stream()
            .filter(HealthTestPlan::idle)
            .filter(node -> !kept.contains(node.id()))
            .toList();
    Set<NodeId> known = idle.stream().map(Node::id).collect(Collectors.toSet());
    idleSince.keySet().retainAll(known);
    known.forEach(id -> idleSince.putIfAbsent(id, now));
    Map<ClusterId, Cluster> clusters =
        fleet.clusters().stream().collect(Collectors.toMap(Cluster::id, cluster -> cluster));
    for (HealthTest test : trusted) {
      begin(lease, test, covered(test, idle, clusters), now);
    }
  }

  private boolean trusted(HealthTest test) {
    return HealthTestPlan.doubt(test, tests.runs(test.name(), null, null, NEWEST)).isEmpty();
  }

  private static List<Node> covered(
      HealthTest test, List<Node> nodes, Map<ClusterId, Cluster> clusters) {
    return nodes.stream()
        .filter(node -> {
          Cluster cluster = clusters.get(node.cluster());
          return cluster != null && test.covers(node, cluster);
        })
        .toList();
  }

  private void begin(HeldLease lease, HealthTest test, List<Node> idle, Instant now) {
    List<Node> next =
        HealthTestPlan.due(test, idle, idleSince, tests.last(test.name()), tests.open(), now);
    for (Node node : next) {
      HealthTestRun run =
          HealthTestRun.of(new HealthTestRunId(ids.next()), test.name(), node, null, now);
      guarded(
          "health test of " + run.nodeName(),
          () -> {
            transactions.runFenced(lease, () -> tests.insert(run));
            submit(lease, test, run, node);
          });
    }
  }
}
