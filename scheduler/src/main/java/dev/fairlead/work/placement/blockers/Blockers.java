package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.cluster.Window;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.window.Opening;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Preflight.Verdict;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.placement.backoff.Refusals;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.world.PendingJob;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Blockers with a text that depends only on the arguments. */
public final class Blockers {
  private static final Scope JOB = new Scope(Scope.Kind.JOB, "");

  public static final Scope FLEET = new Scope(Scope.Kind.FLEET, "");

  private Blockers() {}

  public static Scope cluster(String name) {
    return new Scope(Scope.Kind.CLUSTER, name);
  }

  public static Scope queue(String name) {
    return new Scope(Scope.Kind.QUEUE, name);
  }

  public static Blocker of(Reason reason, Scope scope, String message, @Nullable String action) {
    return new Blocker(reason, scope, message, Collections.emptySortedMap(), action);
  }

  public static Blocker misconfigured(String message, String action) {
    return of(Reason.MISCONFIGURED, JOB, message, action);
  }

  /** Creates a blocker with the two numbers that most texts have. */
  public static Blocker counted(
      Reason reason, Scope scope, String message, String name, long needed, long there) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("needed", needed);
    numbers.put(name, there);
    return new Blocker(reason, scope, message, numbers, null);
  }

  public static Blocker unknownQueue() {
    return misconfigured("its queue does not exist", "move the job to another queue");
  }

  public static Blocker brokenQueue(String queue, String trouble) {
    return of(
        Reason.QUEUE_STOPPED,
        queue(queue),
        "the limits of queue '" + queue + "' are unknown: " + trouble,
        "an administrator repairs the quota tree");
  }

  public static Blocker heldQueue(String queue) {
    return of(
        Reason.QUEUE_STOPPED,
        queue(queue),
        "queue '" + queue + "' is held and starts no jobs",
        "ask an administrator to set the queue to ACTIVE");
  }

  public static Blocker notBefore(Instant time) {
    return of(Reason.NOT_BEFORE, JOB, "not to start before " + time, null);
  }

  /** Explains that the job is about to fail. */
  public static Blocker deadline(String why) {
    return misconfigured(why, "set a later deadline or a shorter maxRuntime");
  }

  /**
   * Explains that the window of a cluster is too short for a job that would start at {@code asOf}.
   */
  private static Blocker windowClosed(String cluster, Window window, Instant asOf) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    Instant from = window.from();
    Instant until = window.until();
    String text = "cluster " + cluster + " may no longer be used since " + until;
    if (from != null && asOf.isBefore(from)) {
      numbers.put(OpeningTiers.OPENS_AT, from.getEpochSecond());
      text = "cluster " + cluster + " may be used from " + from + " on";
    } else if (until != null && asOf.isBefore(until)) {
      numbers.put("closesAtEpochSeconds", until.getEpochSecond());
      text =
          "cluster %s can be used until %s: only jobs whose maxRuntime ends before then start there"
              .formatted(cluster, until);
    }
    return new Blocker(Reason.WINDOW_CLOSED, cluster(cluster), text, numbers, null);
  }

  /** Explains that the windows of a pool do not let the job start at {@code asOf}. */
  private static Blocker poolClosed(NodePool pool, Instant asOf) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    String text = "the windows of pool %s never open again".formatted(pool.name());
    Opening open = pool.windows().current(asOf);
    Opening next = pool.windows().next(asOf);
    if (open != null) {
      numbers.put("closesAtEpochSeconds", open.end().getEpochSecond());
      text =
          "the window of pool %s closes at %s: only jobs that end %s start there"
              .formatted(
                  pool.name(), Wording.time(open.end(), open.zone()), inTime(pool.windows()));
    } else if (next != null) {
      numbers.put(OpeningTiers.OPENS_AT, next.start().getEpochSecond());
      text =
          "waits for the window of pool %s, which opens at %s"
              .formatted(pool.name(), Wording.time(next.start(), next.zone()));
    }
    return new Blocker(Reason.WINDOW_CLOSED, FLEET, text, numbers, null);
  }

  private static String inTime(PoolWindows windows) {
    return switch (windows.leftoverPolicy()) {
      case EVICT -> "by then, or can be preempted by then,";
      case EXTEND_UP_TO -> {
        String later = DurationText.of(windows.extension());
        yield "by then or %s later, or can be preempted by then,".formatted(later);
      }
      case FINISH -> "by then";
    };
  }

  /**
   * Returns the windows and refusals that close a cluster part to a gang that would start at {@code
   * asOf}.
   *
   * @param refused clusters that refuse its job
   */
  public static List<Blocker> closed(
      GangShape gang,
      ClusterCapacity cluster,
      SortedMap<String, Refusals.Refused> refused,
      Instant asOf) {
    List<Blocker> blockers = new ArrayList<>();
    NodePool pool = cluster.pool();
    if (pool != null && gang.closed().contains(GangShape.closedPool(pool))) {
      blockers.add(poolClosed(pool, asOf));
    }
    if (gang.closed().contains(cluster.name())) {
      Refusals.Refused refusal = refused.get(cluster.name());
      Window window = cluster.cluster().settings().window();
      if (refusal != null) {
        blockers.add(refuses(refusal, asOf));
      } else if (!window.always() || !gang.missesClaims()) {
        blockers.add(windowClosed(cluster.name(), window, asOf));
      }
    }
    return blockers;
  }

  /** Explains that the job is bound to the cluster of its volumes. */
  public static Optional<Blocker> drawn(GangShape gang) {
    return gang.volumes().isEmpty()
        ? Optional.empty()
        : Optional.of(
            of(
                Reason.STORAGE,
                JOB,
                "it runs where its data are: " + String.join(", ", gang.volumes()),
                gang.missesClaims()
                    ? "wait until the cluster shows the claim again, or until an operator confirms its loss"
                    : null));
  }

  /** Explains that a cluster refused pods of the job or of its project. */
  private static Blocker refuses(Refusals.Refused refused, Instant asOf) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put(
        "seconds", Duration.between(asOf, refused.until()).plusNanos(999_999_999).toSeconds());
    boolean storage = refused.kind() == ClusterRefusal.STORAGE;
    String text =
        "cluster %s %s: %s. The next attempt there is at %s"
            .formatted(
                refused.cluster(),
                storage ? "lacks a volume" : "refuses its pods",
                refused.message(),
                refused.until());
    return new Blocker(
        storage ? Reason.STORAGE : Reason.CLUSTER_UNAVAILABLE,
        cluster(refused.cluster()),
        text,
        numbers,
        storage ? "follow the message there, or wait for a cluster with enough capacity" : null);
  }

  /**
   * @param fails whether the job ends with the next plan
   */
  public static Blocker deadDependency(PendingJob.FailedDependency dead, boolean fails) {
    return misconfigured(
        dead.text(),
        fails
            ? "the job %s with the cause %s. Submit it again %s"
                .formatted(
                    dead.skips() ? "is cancelled" : "fails",
                    dead.cause(),
                    dead.missing() == null
                        ? "with onDependencyFailure: WAIT or without this dependency"
                        : "after " + dead.job() + " has reported the output")
            : "cancel the job and submit it again without this dependency");
  }

  /**
   * @param jobs names of the required jobs, at least one
   */
  public static Blocker dependency(List<String> jobs) {
    String names = String.join(", ", jobs.stream().sorted().distinct().toList());
    return of(Reason.DEPENDENCY, JOB, "waits for " + names, null);
  }

  /**
   * @param check name of a check that does not permit the next attempt of the job
   */
  public static Blocker admissionCheck(String check, Job job) {
    String text =
        job.checks().stream()
            .filter(each -> each.name().equals(check) && job.current(each))
            .map(Blockers::state)
            .findFirst()
            .orElse("is requested next");
    return of(Reason.ADMISSION_CHECK, JOB, "admission check '" + check + "' " + text, null);
  }

  private static String state(JobCheck check) {
    Instant at = second(check.changedAt());
    Instant retry = check.retryAt();
    String text =
        switch (check.state()) {
          case PENDING -> "is pending since " + at;
          case READY -> "was ready at " + at;
          case RETRY ->
              "refused at "
                  + at
                  + " and is requested again at "
                  + second(retry == null ? at : retry);
          case REJECTED -> "rejected the job at " + at;
        };
    return check.message() == null ? text : text + ": " + check.message();
  }

  /**
   * @param attempts made so far
   * @param most attempts that the job's retry policy allows
   */
  public static Blocker backingOff(int attempts, int most, Instant until) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("attempts", (long) attempts);
    return new Blocker(
        Reason.BACKING_OFF,
        JOB,
        "retry at %s (attempt %d%s)"
            .formatted(second(until), attempts + 1, attempts < most ? " of " + most : ""),
        numbers,
        null);
  }

  /** Explains that the reserved nodes of a job are free but avoided after recent failures. */
  public static Blocker keptButAvoided(String cluster, Instant until) {
    return of(
        Reason.BACKING_OFF,
        cluster(cluster),
        "its reserved capacity is free (%s), but avoided after failed attempts until %s"
            .formatted(cluster, second(until)),
        null);
  }

  public static Blocker behindHead(String queue) {
    return of(
        Reason.RESERVATION_CONFLICT,
        queue(queue),
        "queue '" + queue + "' is STRICT_FIFO: jobs behind its first waiting job do not pass it",
        null);
  }

  /**
   * @param jobs number of jobs that still must leave
   * @param shrinking number of victims that continue with fewer members
   * @param gpuMilli thousandths of GPUs that are freed
   */
  public static Blocker waitingForVictims(
      String cluster, long jobs, long shrinking, long gpuMilli) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("jobs", jobs);
    numbers.put("gpuMilli", gpuMilli);
    numbers.put("shrinking", shrinking);
    String gpus = Wording.amount(ResourceNames.GPU, gpuMilli);
    String who = jobs + " preemptible " + (jobs == 1 ? "job" : "jobs");
    String what =
        shrinking == jobs && jobs > 0
            ? who + " to give up " + gpus + " GPUs"
            : who
                + " with "
                + gpus
                + " GPUs to leave"
                + (shrinking == 0 ? "" : ", " + shrinking + " of them in part");
    String text = "waits for %s (%s); the capacity is reserved for it".formatted(what, cluster);
    return new Blocker(Reason.WAITING_FOR_VICTIMS, cluster(cluster), text, numbers, null);
  }

  /**
   * @param jobs number of jobs still running on its nodes
   * @param gpuMilli thousandths of GPUs that they hold
   */
  public static Blocker drained(String cluster, long jobs, long gpuMilli) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("jobs", jobs);
    numbers.put("gpuMilli", gpuMilli);
    String text =
        "nodes are reserved for it (%s); %d %s with %s GPUs still run there"
            .formatted(
                cluster,
                jobs,
                jobs == 1 ? "job" : "jobs",
                Wording.amount(ResourceNames.GPU, gpuMilli));
    return new Blocker(Reason.CAPACITY, cluster(cluster), text, numbers, null);
  }

  /**
   * @param left members on healthy nodes
   * @param spares empty nodes of the cluster that are reserved as spares
   */
  public static Blocker keptAfterFault(
      String cluster, long left, long members, long spares, Instant until) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("kept", left);
    numbers.put("members", members);
    numbers.put("spares", spares);
    String text =
        "lost a node to a fault: %d of its %d node assignments are reserved until %s, no capacity for the rest (%s, %d %s free)"
            .formatted(
                left, members, second(until), cluster, spares, spares == 1 ? "spare" : "spares");
    return new Blocker(Reason.CAPACITY, cluster(cluster), text, numbers, null);
  }

  /**
   * Explains that the nodes of a job are tested before it starts.
   *
   * @param leaving whether the tests are over but their jobs have not left yet
   */
  public static Blocker preflight(String cluster, PreflightProgress tests, boolean leaving) {
    int nodes = tests.verdicts().size();
    int passed = tests.count(Verdict.PASSED);
    int untested = tests.count(Verdict.UNTESTED);
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("nodes", (long) nodes);
    numbers.put("passed", (long) passed);
    numbers.put("untested", (long) untested);
    String so =
        "%d of its %d %s (%s) %s passed test %s%s"
            .formatted(
                passed,
                nodes,
                nodes == 1 ? "node" : "nodes",
                cluster,
                passed == 1 ? "has" : "have",
                tests.spec().test(),
                untested == 0 ? "" : ", %d could not be tested".formatted(untested));
    String next =
        leaving
            ? "it starts when the tests on them have ended"
            : "the job waits for the others until %s, and then %s"
                .formatted(
                    second(tests.until()),
                    switch (tests.spec().onUntested()) {
                      case START -> "starts there anyway";
                      case WAIT -> "waits for other nodes";
                    });
    return new Blocker(Reason.PREFLIGHT, cluster(cluster), so + "; " + next, numbers, null);
  }

  public static Blocker notEvaluated() {
    return of(
        Reason.NOT_EVALUATED,
        FLEET,
        "the cycle's work budget was spent before this job. It is first in the next cycle",
        null);
  }

  /** Rounds up to full seconds, because people read the text. */
  private static Instant second(Instant time) {
    return time.plusNanos(999_999_999).truncatedTo(ChronoUnit.SECONDS);
  }

  /** Sorts by rank of the reasons and removes duplicates. Equal ranks retain their order. */
  public static List<Blocker> ranked(List<Blocker> all) {
    return all.stream().distinct().sorted(Comparator.comparing(Blocker::reason)).toList();
  }
}
