package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontPlan;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.FrontStep;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Runs the due step of one Job of a front cluster. Each step may be interrupted anywhere and is
 * then repeated: a Job has its row and is held before its submit, and the submit uses its UID as
 * key.
 */
@Component
class FrontSteps {
  private static final Logger LOG = LoggerFactory.getLogger(FrontSteps.class);

  /** Maximum number of parallel calls of one front cluster. */
  static final int CALLS = 4;

  private final FrontStore fronts;
  private final FrontSubmits submits;
  private final JobStore jobs;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private final InstantSource clock;
  private final MeterRegistry metrics;
  private final FrontReads reads;
  private final FrontTakeUps takeUps;

  FrontSteps(
      FrontStore fronts,
      FrontSubmits submits,
      JobStore jobs,
      InventoryStore inventory,
      Transactions transactions,
      InstantSource clock,
      MeterRegistry metrics) {
    this.fronts = fronts;
    this.submits = submits;
    this.jobs = jobs;
    this.inventory = inventory;
    this.transactions = transactions;
    this.clock = clock;
    this.metrics = metrics;
    this.reads = new FrontReads(metrics);
    this.takeUps = new FrontTakeUps(fronts, submits, jobs, transactions, clock);
  }

  /** The cluster of a step and the lease that it runs under. */
  record Place(HeldLease lease, FrontGateway gateway, Cluster of, FrontFan fan) {
    ClusterId cluster() {
      return of.id();
    }

    @Override
    public String toString() {
      return of.name();
    }
  }

  /** A Job, the facts about it, and the due step. */
  record Due(String uid, FrontPlan.Known known, FrontStep step) {
    /** Namespace and name, for messages. */
    String text() {
      SeenJob seen = known.seen();
      FrontJob row = known.row();
      return seen != null ? seen.text() : row != null ? row.text() : uid;
    }
  }

  @FunctionalInterface
  interface Part {
    /** The result of the step, null when the step continues with the next part. */
    @Nullable Result done();
  }

  /** The follow-up of a step. */
  enum Result {
    /** Does nothing until the Job or its job changes. */
    DONE,
    /** The next step immediately. */
    MORE,
    /** The step is due again after a pause. */
    LATER,
    /** The cluster does not answer. */
    AWAY
  }

  /** The jobs of these Jobs, by id, including archived ones. */
  SortedMap<JobId, Job> jobs(Collection<FrontJob> rows) {
    SortedMap<JobId, Job> found = new TreeMap<>();
    List<JobId> ids = rows.stream().map(FrontJob::job).filter(Objects::nonNull).toList();
    transactions
        .readForAllTenants(() -> jobs.findAll(ids))
        .forEach(job -> found.put(job.id(), job));
    for (FrontJob row : rows) {
      JobId id = row.job();
      if (id != null && !found.containsKey(id)) {
        jobs.find(row.tenant(), id).ifPresent(job -> found.put(id, job));
      }
    }
    return found;
  }

  /** Stores the versions that the cluster shows. */
  void shown(HeldLease lease, ClusterId cluster, SortedMap<String, Long> versions) {
    if (!versions.isEmpty()) {
      transactions.runFenced(lease, () -> fronts.shown(cluster, versions));
    }
  }

  FrontReads reads() {
    return reads;
  }

  /** The name of the cluster for the log, or its id after its removal and without a database. */
  String name(ClusterId cluster) {
    try {
      return inventory.nameOf(cluster).orElse(cluster.text());
    } catch (RuntimeException unread) {
      return cluster.text();
    }
  }

  /** Stores the obstacle that affects all its Jobs. */
  void tell(HeldLease lease, ClusterId cluster, @Nullable String trouble) {
    transactions.runFenced(lease, () -> fronts.tell(cluster, trouble));
  }

  /** The cluster, empty after its removal. */
  Optional<Cluster> cluster(ClusterId id) {
    return inventory.cluster(id);
  }

  /** Marks the missing Jobs, and clears the mark of all others. */
  void mark(HeldLease lease, ClusterId cluster, Collection<String> missing) {
    transactions.runFenced(lease, () -> fronts.mark(cluster, missing, jobs.now()));
  }

  /** The project of the namespace, empty after its removal. */
  Optional<Project> project(FrontNamespace namespace) {
    return submits.project(namespace);
  }

  Instant now() {
    return clock.instant();
  }

  /** The due step of a Job. */
  FrontStep planned(FrontPlan.Known known) {
    return FrontPlan.next(known, clock.instant());
  }

  /** Adopts Jobs like {@link FrontFan#each}, all of them in each transaction. */
  List<Result> takeUp(Place place, List<Due> due) {
    return counted(place, takeUps.all(place, due));
  }

  /**
   * Runs one step of each Job, as {@link FrontFan#each}. One transaction removes the rows of all
   * released Jobs.
   */
  List<Result> each(Place place, List<Due> due) {
    Queue<FrontJob> released = new ConcurrentLinkedQueue<>();
    List<Result> results =
        place
            .fan()
            .each(
                CALLS,
                due,
                one ->
                    Objects.requireNonNull(guarded(place, one, () -> step(place, one, released))),
                Result.AWAY::equals);
    return counted(place, removed(place, List.copyOf(released)) ? results : later(due, results));
  }

  /** Returns whether the rows are removed. */
  private boolean removed(Place place, List<FrontJob> released) {
    if (!released.isEmpty()) {
      try {
        transactions.runFenced(place.lease(), () -> fronts.remove(released));
      } catch (FenceLost deposed) {
        throw deposed;
      } catch (RuntimeException failed) {
        LOG.warn(
            "cluster {}: the rows of {} released Jobs could not be removed",
            place,
            released.size(),
            failed);
        return false;
      }
    }
    return true;
  }

  /** The results after the rows were not removed: a Job with a row is released again. */
  private static List<Result> later(List<Due> due, List<Result> results) {
    List<Result> later = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      boolean again = due.get(i).known().row() != null && results.get(i) != Result.AWAY;
      later.add(again ? Result.LATER : results.get(i));
    }
    return later;
  }

  private List<Result> counted(Place place, List<Result> results) {
    for (Result result : results) {
      metrics
          .counter(
              Metric.FRONT_JOBS.meter(),
              Metric.FRONT_JOBS.tags(place.of().name(), result.name().toLowerCase(Locale.ROOT)))
          .increment();
    }
    return results;
  }

  /** Runs a part. A failure does not delay other Jobs. */
  static @Nullable Result guarded(Place place, Due due, Part part) {
    try {
      return part.done();
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      return Result.MORE;
    } catch (RuntimeException failed) {
      LOG.warn("cluster {}: Job {} could not be handled", place, due.text(), failed);
      return Result.LATER;
    }
  }

  private Result step(Place place, Due due, Queue<FrontJob> released) {
    FrontPlan.Known known = due.known();
    SeenJob seen = known.seen();
    FrontJob row = known.row();
    if (due.step() instanceof FrontStep.Ask && row != null) {
      return ask(place, row, known.job(), released);
    }
    if (seen == null) {
      return Result.DONE;
    }
    return switch (due.step()) {
      case FrontStep.Nothing nothing -> Result.DONE;
      case FrontStep.Ask ask -> Result.DONE;
      case FrontStep.TakeUp takeUp -> Result.MORE;
      case FrontStep.LetGo letGo -> letGo(place, seen, row, known.job(), released);
      case FrontStep.Withdraw withdraw ->
          row == null ? Result.DONE : withdraw(place, seen, row, released);
      case FrontStep.Hold(boolean back) -> row == null ? Result.DONE : hold(place, row, back);
      case FrontStep.EndEarly early -> {
        if (row != null) {
          cancel(place, row, known.job());
        }
        yield Result.MORE;
      }
      case FrontStep.Show(FrontStatus status) -> show(place, seen, status);
    };
  }

  private Result ask(Place place, FrontJob row, @Nullable Job job, Queue<FrontJob> released) {
    return switch (place.gateway().read(row.namespace(), row.name(), row.uid())) {
      case FrontAnswer.Gone gone -> {
        LOG.info("cluster {}: Job {} is gone", place, row.text());
        cancel(place, row, job);
        released.add(row);
        yield Result.DONE;
      }
      case FrontAnswer.Read(SeenJob now, FrontRequest request) ->
          now.deleting()
              ? letGo(place, now, row, job, released)
              : Result.LATER; // the watch shows it soon
      case FrontAnswer.Done done -> Result.LATER;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Refused refused -> later(place, row.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  /** Releases a Job. Its job is cancelled first, because a deleted Job triggers no more steps. */
  private Result letGo(
      Place place, SeenJob seen, @Nullable FrontJob row, @Nullable Job job, Queue<FrontJob> gone) {
    if (row != null) {
      cancel(place, row, job);
    }
    if (seen.held()) {
      Result released = result(place, seen, place.gateway().release(seen));
      if (released != Result.DONE) {
        return released;
      }
    }
    if (row != null) {
      gone.add(row);
      LOG.info("cluster {}: Job {} is released", place, row.text());
    }
    return Result.DONE;
  }

  private Result withdraw(Place place, SeenJob seen, FrontJob row, Queue<FrontJob> gone) {
    Optional<JobId> submitted = submits.earlier(row);
    if (submitted.isPresent()) {
      takeUps.note(place, List.of(row.submitted(submitted.get())));
      return Result.MORE;
    }
    Result released =
        seen.held() ? result(place, seen, place.gateway().release(seen)) : Result.DONE;
    if (released != Result.DONE) {
      return released;
    }
    gone.add(row);
    LOG.info("cluster {}: Job {} is not submitted: its namespace is not mapped", place, row.text());
    return Result.MORE;
  }

  private void cancel(Place place, FrontJob row, @Nullable Job job) {
    Optional<JobId> running =
        row.job() == null
            ? submits.earlier(row)
            : Optional.ofNullable(job).filter(its -> !its.run().ended()).map(Job::id);
    running.ifPresent(id -> submits.cancel(actor(place, row), id));
  }

  private Result hold(Place place, FrontJob row, boolean back) {
    JobId job = Objects.requireNonNull(row.job(), "it is submitted");
    submits.hold(actor(place, row), job, back);
    FrontJob now = row.suspended(back);
    SortedSet<String> _ = transactions.callFenced(place.lease(), () -> fronts.update(List.of(now)));
    return Result.MORE;
  }

  /** Shows the status. A finished Job is released next: the watch does not report this write. */
  static Result show(Place place, SeenJob seen, FrontStatus status) {
    if (status.equals(seen.status())) {
      return Result.DONE;
    }
    FrontAnswer answer = place.gateway().show(seen, status);
    if (!status.finished() || !(answer instanceof FrontAnswer.Done(SeenJob now))) {
      return result(place, seen, answer);
    }
    return now.status().finished() ? Result.MORE : notStored(place, seen);
  }

  /** The API server accepted a status and stored another one. */
  static Result notStored(Place place, SeenJob seen) {
    LOG.warn(
        "cluster {}: {}: its API server does not store each field of the status. Apply the"
            + " current deploy/crds, and look for webhooks that change the status",
        place,
        seen.text());
    return Result.LATER;
  }

  static Result result(Place place, SeenJob seen, FrontAnswer answer) {
    return switch (answer) {
      case FrontAnswer.Done done -> Result.DONE;
      case FrontAnswer.Read read -> Result.DONE;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Gone gone -> Result.DONE;
      case FrontAnswer.Refused refused -> later(place, seen.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  static Result later(Place place, String job, FrontAnswer.Refused refused) {
    LOG.warn("cluster {}: Job {}: {}", place, job, refused.message());
    return Result.LATER;
  }

  /** The actor that submitted a Job. */
  static Actor actor(Place place, FrontJob row) {
    return actor(place, row.namespace(), row.tenant(), row.project());
  }

  /** The actor that submits Jobs of the namespace. */
  static Actor actor(Place place, FrontNamespace to) {
    return actor(place, to.namespace(), to.tenant(), to.project());
  }

  /** Users of a namespace reach no other project of the tenant. */
  static Actor actor(Place place, String namespace, TenantId tenant, ProjectId project) {
    SortedSet<Role> role = new TreeSet<>(Set.of(Role.PROJECT_MEMBER));
    String name = OwnActor.front(place.of().name(), namespace);
    return new Actor(tenant, name, role, List.of(project), null, role);
  }
}
