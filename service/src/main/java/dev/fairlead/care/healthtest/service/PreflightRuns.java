package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestPlan;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRun.Demand;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.spec.PreflightSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Selects the tests that begin for jobs with a reservation, and tests that end with the
 * reservation.
 */
@Component
public class PreflightRuns {
  private static final int NEWEST = 50;
  private final HealthTestStore tests;
  private final ReservationStore reservations;
  private final InventoryStore inventory;
  private final JobStore jobs;
  private final HealthStore health;
  private final Transactions transactions;
  private final IdSource ids;

  public PreflightRuns(
      HealthTestStore tests,
      ReservationStore reservations,
      InventoryStore inventory,
      JobStore jobs,
      HealthStore health,
      Transactions transactions,
      IdSource ids) {
    this.tests = tests;
    this.reservations = reservations;
    this.inventory = inventory;
    this.jobs = jobs;
    this.health = health;
    this.transactions = transactions;
    this.ids = ids;
  }

  /** A reservation of nodes under test, with its job. */
  record Place(Reservation reservation, Job job, PreflightSpec spec) {
    Instant until() {
      return reservation.createdAt().plus(spec.timeout());
    }
  }

  /** Returns the nodes of all reservations for preflight tests, by job and element. */
  SortedMap<Reservation.Key, Place> places() {
    List<Reservation> kept =
        reservations.all().stream()
            .filter(each -> each.kind() == Reservation.Kind.PREFLIGHT)
            .toList();
    SortedMap<Reservation.Key, Place> places = new TreeMap<>();
    if (kept.isEmpty()) {
      return places;
    }
    List<JobId> of = kept.stream().map(Reservation::job).distinct().toList();
    Map<JobId, Job> byId =
        transactions.readForAllTenants(() -> jobs.findAll(of)).stream()
            .collect(Collectors.toMap(Job::id, job -> job));
    for (Reservation each : kept) {
      Job job = byId.get(each.job());
      PreflightSpec spec = job == null ? null : job.spec().preflight();
      if (job != null && spec != null) {
        places.put(each.key(), new Place(each, job, spec));
      }
    }
    return places;
  }

  /** Their nodes, which scheduled tests skip. */
  static Set<NodeId> nodes(Collection<Place> places) {
    return places.stream()
        .flatMap(place -> place.reservation().members().stream())
        .map(Member::node)
        .collect(Collectors.toSet());
  }

  /**
   * Runs to begin. A run of a node that cannot be tested has already ended.
   *
   * @param now time of the database, the clock of the reservations
   */
  List<HealthTestRun> due(Collection<Place> places, Instant now) {
    if (places.isEmpty()) {
      return List.of();
    }
    Instant after = now.minus(PreflightProgress.REMEMBERED);
    List<Preflight> known =
        Preflight.sinceRelease(tests.preflights(after), failed -> health.released(failed, after));
    List<HealthTestRun> due = new ArrayList<>();
    for (Place place : places) {
      PreflightProgress progress =
          PreflightProgress.of(place.reservation(), place.spec(), known, now);
      if (now.isBefore(progress.until()) && !progress.missing().isEmpty()) {
        due.addAll(runs(place, progress, now));
      }
    }
    return due;
  }

  private List<HealthTestRun> runs(Place place, PreflightProgress progress, Instant now) {
    HealthTest test = tests.test(place.spec().test()).orElse(null);
    String doubt =
        test == null
            ? "the test was deleted"
            : HealthTestPlan.doubt(test, tests.runs(test.name(), null, null, NEWEST));
    Optional<Cluster> cluster = inventory.cluster(place.reservation().cluster());
    List<HealthTestRun> runs = new ArrayList<>();
    for (Node node : inventory.inService(progress.missing())) {
      HealthTestRun run = run(place, node, now);
      boolean covered = test != null && cluster.filter(c -> test.covers(node, c)).isPresent();
      String wrong = doubt.isEmpty() && !covered ? "the test does not cover the node" : doubt;
      runs.add(wrong.isEmpty() ? run : run.ended(HealthTestOutcome.BROKEN, wrong, now));
    }
    return runs;
  }

  private HealthTestRun run(Place place, Node node, Instant now) {
    Reservation kept = place.reservation();
    Demand wanted =
        new Demand(kept.job(), kept.element(), kept.createdAt(), gpus(kept, node.id()), false);
    return HealthTestRun.of(new HealthTestRunId(ids.next()), place.spec().test(), node, null, now)
        .of(wanted);
  }

  private static int gpus(Reservation kept, NodeId node) {
    return (int)
        kept.members().stream()
            .filter(member -> member.node().equals(node))
            .map(Member::gpus)
            .mapToLong(Collection::size)
            .sum();
  }

  /**
   * Why a run ends, empty while it continues.
   *
   * @param places current reservations
   */
  static String stops(HealthTestRun run, Map<Reservation.Key, Place> places, Instant now) {
    Demand wanted = run.wanted();
    if (wanted == null) {
      return "";
    }
    Place place = keptFor(wanted, places);
    if (place == null) {
      return "its job no longer waits for it";
    }
    return now.isBefore(place.until())
        ? ""
        : "it did not end within the %s that its job waits for it"
            .formatted(DurationText.of(place.spec().timeout()));
  }

  /** Returns whether the job that requested the run has released its reservation. */
  static boolean left(HealthTestRun run, Map<Reservation.Key, Place> places) {
    Demand wanted = run.wanted();
    return wanted != null && keptFor(wanted, places) == null;
  }

  private static @Nullable Place keptFor(Demand wanted, Map<Reservation.Key, Place> places) {
    Place place = places.get(wanted.key());
    return place != null && place.reservation().createdAt().equals(wanted.since()) ? place : null;
  }
}
