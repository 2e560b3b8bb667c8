package dev.fairlead.front.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontMirror;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontPlan;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.FrontStep;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobSubmits;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.metric.Metric;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.OwnActor;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Does what is due for one Job of a front cluster. Each step may be cut off anywhere and is then
 * done again: the Job has its row and is held before it is submitted, and it is submitted by its
 * UID.
 */
@Component
class FrontSteps {
  private static final Logger LOG = LoggerFactory.getLogger(FrontSteps.class);
  private final FrontStore fronts;
  private final FrontSubmits submits;
  private final JobSubmits commands;
  private final JobStore jobs;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private final InstantSource clock;
  private final MeterRegistry metrics;
  private final FrontReads reads;

  FrontSteps(
      FrontStore fronts,
      FrontSubmits submits,
      JobSubmits commands,
      JobStore jobs,
      InventoryStore inventory,
      Transactions transactions,
      InstantSource clock,
      MeterRegistry metrics) {
    this.fronts = fronts;
    this.submits = submits;
    this.commands = commands;
    this.jobs = jobs;
    this.inventory = inventory;
    this.transactions = transactions;
    this.clock = clock;
    this.metrics = metrics;
    this.reads = new FrontReads(metrics);
  }

  /** Where a step is done, and under what. */
  record Place(HeldLease lease, FrontGateway gateway, Cluster of) {
    ClusterId cluster() {
      return of.id();
    }

    @Override
    public String toString() {
      return of.name();
    }
  }

  /** What comes after a step. */
  enum Result {
    /** Nothing until the Job or its job changes. */
    DONE,
    /** The next step at once. */
    MORE,
    /** The same after a pause. */
    LATER,
    /** The cluster does not answer. */
    AWAY
  }

  /** What runs these, by id; archived ones too. */
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

  /** Notes which versions the cluster shows. */
  void shown(HeldLease lease, ClusterId cluster, SortedMap<String, Long> versions) {
    if (!versions.isEmpty()) {
      transactions.runFenced(lease, () -> fronts.shown(cluster, versions));
    }
  }

  FrontReads reads() {
    return reads;
  }

  /** Its name; its id once it is removed. */
  String name(ClusterId cluster) {
    return inventory.nameOf(cluster).orElse(cluster.text());
  }

  /** Notes what is in the way of all its Jobs. */
  void tell(HeldLease lease, ClusterId cluster, @Nullable String trouble) {
    transactions.runFenced(lease, () -> fronts.tell(cluster, trouble));
  }

  /** The cluster; empty once it is removed. */
  Optional<Cluster> cluster(ClusterId id) {
    return inventory.cluster(id);
  }

  /** Does the next step of one Job. */
  Result take(Place place, FrontPlan.Known known) {
    Result result = step(place, known);
    metrics
        .counter(
            Metric.FRONT_JOBS.meter(),
            Metric.FRONT_JOBS.tags(place.of().name(), result.name().toLowerCase(Locale.ROOT)))
        .increment();
    return result;
  }

  private Result step(Place place, FrontPlan.Known known) {
    SeenJob seen = known.seen();
    FrontJob row = known.row();
    FrontStep step = FrontPlan.next(known, clock.instant());
    if (step instanceof FrontStep.Ask && row != null) {
      return ask(place, row, known.job());
    }
    if (seen == null) {
      return Result.DONE;
    }
    return switch (step) {
      case FrontStep.Nothing nothing -> Result.DONE;
      case FrontStep.Ask ask -> Result.DONE;
      case FrontStep.LetGo letGo -> letGo(place, seen, row, known.job());
      case FrontStep.Withdraw withdraw -> row == null ? Result.DONE : withdraw(place, seen, row);
      case FrontStep.TakeUp(FrontNamespace namespace) -> takeUp(place, seen, row, namespace);
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

  private Result ask(Place place, FrontJob row, @Nullable Job job) {
    return switch (place.gateway().read(row.namespace(), row.name(), row.uid())) {
      case FrontAnswer.Gone gone -> {
        LOG.info("cluster {}: Job {} is gone", place, row.text());
        cancel(place, row, job);
        transactions.runFenced(place.lease(), () -> fronts.remove(row));
        yield Result.DONE;
      }
      case FrontAnswer.Read read -> Result.LATER; // the watch shows it soon
      case FrontAnswer.Done done -> Result.LATER;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Refused refused -> later(place, row.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  /** Cancelled first: a Job that is gone asks for nothing any more. */
  private Result letGo(Place place, SeenJob seen, @Nullable FrontJob row, @Nullable Job job) {
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
      transactions.runFenced(place.lease(), () -> fronts.remove(row));
      LOG.info("cluster {}: Job {} is let go", place, row.text());
    }
    return Result.DONE;
  }

  private Result withdraw(Place place, SeenJob seen, FrontJob row) {
    Optional<JobId> submitted = submits.earlier(row);
    if (submitted.isPresent()) {
      note(place, actor(place, row.tenant(), row.namespace()), row.submitted(submitted.get()));
      return Result.MORE;
    }
    Result released =
        seen.held() ? result(place, seen, place.gateway().release(seen)) : Result.DONE;
    if (released != Result.DONE) {
      return released;
    }
    transactions.runFenced(place.lease(), () -> fronts.remove(row));
    LOG.info("cluster {}: Job {} is not submitted: its namespace is not mapped", place, row.text());
    return Result.MORE;
  }

  private void cancel(Place place, FrontJob row, @Nullable Job job) {
    Optional<JobId> running =
        row.job() == null
            ? submits.earlier(row)
            : Optional.ofNullable(job).filter(its -> !its.run().ended()).map(Job::id);
    running.ifPresent(id -> cancel(actor(place, row.tenant(), row.namespace()), id));
  }

  private void cancel(Actor actor, JobId job) {
    try {
      commands.cancel(actor, job);
    } catch (Refusal refused) {
      refuseUnlessOver(refused);
    }
  }

  private static void refuseUnlessOver(Refusal refused) {
    if (refused.code() != ProblemCode.ILLEGAL_STATE && refused.code() != ProblemCode.NOT_FOUND) {
      throw refused;
    }
  }

  private Result hold(Place place, FrontJob row, boolean back) {
    JobId job = Objects.requireNonNull(row.job(), "it is submitted");
    try {
      commands.suspend(actor(place, row.tenant(), row.namespace()), job, back);
    } catch (Refusal refused) {
      refuseUnlessOver(refused); // its owner was faster, or it has ended
    }
    boolean _ = transactions.callFenced(place.lease(), () -> fronts.update(row.suspended(back)));
    return Result.MORE;
  }

  private Result takeUp(
      Place place, SeenJob seen, @Nullable FrontJob row, FrontNamespace namespace) {
    return switch (place.gateway().read(seen.namespace(), seen.name(), seen.uid())) {
      case FrontAnswer.Read(SeenJob now, FrontRequest request) ->
          submitted(place, now, row, namespace, request);
      case FrontAnswer.Done done -> Result.LATER;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Gone gone -> Result.LATER;
      case FrontAnswer.Refused refused -> later(place, seen.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  private Result submitted(
      Place place,
      SeenJob now,
      @Nullable FrontJob row,
      FrontNamespace namespace,
      FrontRequest request) {
    if (now.deleting() || now.suspended() || now.foreign() || now.status().finished()) {
      return Result.LATER; // the watch shows it soon
    }
    Actor actor = actor(place, namespace.tenant(), now.namespace());
    return switch (request) {
      case FrontRequest.Inexpressible not ->
          show(place, now, FrontMirror.inexpressible(now.status(), not, clock.instant()));
      case FrontRequest.Document(String json) -> {
        FrontSubmits.Order order = new FrontSubmits.Order(actor, namespace, now, json);
        yield switch (submits.read(order)) {
          case FrontSubmits.Never never ->
              show(
                  place,
                  now,
                  FrontMirror.inexpressible(now.status(), never.what(), clock.instant()));
          case FrontSubmits.NotNow not -> waits(place, now, not);
          case FrontSubmits.Ready ready -> held(place, order, row, ready);
        };
      }
    };
  }

  /** Noted, held, submitted, and noted again: what is held has a row, by which it is released. */
  private Result held(
      Place place, FrontSubmits.Order order, @Nullable FrontJob row, FrontSubmits.Ready ready) {
    SeenJob now = order.seen();
    FrontJob noted = row == null ? order.row(place.cluster(), jobs.now()) : row;
    if (row == null) {
      transactions.runFenced(place.lease(), () -> fronts.insert(noted));
    }
    if (!now.held()) {
      Result held = result(place, now, place.gateway().hold(now));
      if (held != Result.DONE) {
        return held;
      }
    }
    return switch (submits.submit(order, noted, ready)) {
      case FrontSubmits.Done(JobId job) -> {
        note(place, order.actor(), noted.submitted(job));
        LOG.info("cluster {}: Job {} runs as job {}", place, now.text(), job.text());
        yield Result.MORE;
      }
      case FrontSubmits.NotNow not ->
          place
              .gateway()
              .job(now.uid())
              .map(shown -> waits(place, shown, not))
              .orElse(Result.LATER);
    };
  }

  /** A process that took over may have let it go meanwhile, and known of no job. */
  private void note(Place place, Actor actor, FrontJob row) {
    JobId job = Objects.requireNonNull(row.job(), "it is submitted");
    try {
      if (!transactions.callFenced(place.lease(), () -> fronts.update(row))) {
        cancel(actor, job);
      }
    } catch (FenceLost deposed) {
      if (fronts.find(row.cluster(), List.of(row.uid())).isEmpty()) {
        cancel(actor, job);
      }
      throw deposed;
    }
  }

  private Result waits(Place place, SeenJob now, FrontSubmits.NotNow not) {
    FrontStatus status =
        FrontMirror.waiting(now.status(), not.reason(), not.why(), clock.instant());
    return show(place, now, status) == Result.AWAY ? Result.AWAY : Result.LATER;
  }

  private Result show(Place place, SeenJob seen, FrontStatus status) {
    return status.equals(seen.status())
        ? Result.DONE
        : result(place, seen, place.gateway().show(seen, status));
  }

  private static Result result(Place place, SeenJob seen, FrontAnswer answer) {
    return switch (answer) {
      case FrontAnswer.Done done -> Result.DONE;
      case FrontAnswer.Read read -> Result.DONE;
      case FrontAnswer.Changed changed -> Result.LATER;
      case FrontAnswer.Gone gone -> Result.DONE;
      case FrontAnswer.Refused refused -> later(place, seen.text(), refused);
      case FrontAnswer.Away away -> Result.AWAY;
    };
  }

  private static Result later(Place place, String job, FrontAnswer.Refused refused) {
    LOG.warn("cluster {}: Job {}: {}", place, job, refused.message());
    return Result.LATER;
  }

  private static Actor actor(Place place, TenantId tenant, String namespace) {
    return new Actor(tenant, OwnActor.front(place.of().name(), namespace), Role.TENANT_MEMBER);
  }
}
