package dev.fairlead.work.placement.service;

import static java.util.stream.Collectors.toSet;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptBuilder;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Writes the decisions of the engine under the scheduler's fence. It checks again that the job
 * versions are unchanged, that quota, nodes and GPUs suffice, and that volumes are on no other
 * cluster. Otherwise the decision is dropped, counted and replanned.
 */
@Component
public class PlanApplier {
  private static final int BATCH = 100;
  private static final String ACTOR = OwnActor.SCHEDULER.text();
  private static final String RESERVED = "RESERVED";
  private static final String VOLUME = "VOLUME";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Evictor evictor;
  private final Resizer resizer;
  private final VolumeStore volumes;
  private final IdSource ids;
  private final MeterRegistry metrics;

  public PlanApplier(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      Evictor evictor,
      Resizer resizer,
      VolumeStore volumes,
      IdSource ids,
      MeterRegistry metrics) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.evictor = evictor;
    this.resizer = resizer;
    this.volumes = volumes;
    this.ids = ids;
    this.metrics = metrics;
  }

  /**
   * Applies the plan in this order: released reservations. Placements, and evictions, each in a
   * transaction with its reservation and the reservations that it replaces. Other reservations.
   * Moves back, growth and shrinking, and jobs that fail at their deadline. Requests of admission
   * checks are last.
   *
   * @param read volumes of the snapshot of the plan
   * @throws dev.fairlead.kernel.transaction.FenceLost when another scheduler acts
   */
  public Applied apply(HeldLease lease, Plan plan, List<Volume> read) {
    List<Decision.Release> releases = new ArrayList<>();
    List<Decision.Reserve> reserves = new ArrayList<>();
    List<Decision.Place> places = new ArrayList<>();
    List<Decision.Preempt> preempts = new ArrayList<>();
    List<Decision.MoveBack> movesBack = new ArrayList<>();
    List<Decision.Leftover> leftovers = new ArrayList<>();
    List<Decision> resizes = new ArrayList<>();
    List<Decision.Expire> expired = new ArrayList<>();
    List<Decision.Ask> asked = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> places.add(place);
        case Decision.Preempt preempt -> preempts.add(preempt);
        case Decision.Reserve reserve -> reserves.add(reserve);
        case Decision.Release release -> releases.add(release);
        case Decision.MoveBack moveBack -> movesBack.add(moveBack);
        case Decision.Leftover leftover -> leftovers.add(leftover);
        case Decision.Grow grow -> resizes.add(grow);
        case Decision.Shrink shrink -> resizes.add(shrink);
        case Decision.Expire expire -> expired.add(expire);
        case Decision.Ask ask -> asked.add(ask);
        case Decision.Hold hold -> {}
      }
    }
    IsolatedWrites writes = new IsolatedWrites(transactions, lease, metrics);
    writes.run(releases, Math.max(1, releases.size()), this::release);
    writes.run(places, BATCH, batch -> place(lease, batch, read, writes));
    writes.run(preempts, 1, one -> unless(evictor.preempt(one.getFirst()), writes));
    writes.run(reserves, Math.max(1, reserves.size()), batch -> reserve(batch, writes));
    writes.run(leftovers, 1, one -> unless(evictor.leftover(one.getFirst()), writes));
    writes.run(movesBack, 1, one -> unless(evictor.moveBack(one.getFirst()), writes));
    writes.run(resizes, 1, one -> unless(resizer.resize(one.getFirst()), writes));
    writes.run(expired, BATCH, this::expire);
    writes.run(asked, BATCH, this::ask);
    return writes.result();
  }

  /**
   * Returns volumes to CLAIMED that were placed for attempts that ended before a claim was created.
   *
   * @param read as the scheduler has read them
   * @return whether there were any
   */
  boolean unplaced(HeldLease lease, List<Volume> read) {
    return read.stream().anyMatch(volume -> volume.state() == VolumeState.PLACED)
        && transactions.callFenced(lease, volumes::unplace) > 0;
  }

  private int release(List<Decision.Release> releases) {
    evictor.keep(List.of(), releases.stream().map(Decision.Release::reservation).toList());
    return 0;
  }

  /**
   * Reserves nodes. If another job was about to take over the reservation of a gang, the gang waits
   * for a new one: if that job did not start, the old reservation remains.
   */
  private int reserve(List<Decision.Reserve> reserves, IsolatedWrites writes) {
    ReservedGpuCheck kept = evictor.kept();
    List<Reservation> reserved =
        reserves.stream()
            .map(Decision.Reserve::reservation)
            .filter(reservation -> !kept.afterFault(reservation.key()))
            .toList();
    int dropped = reserves.size() - reserved.size();
    for (int i = 0; i < dropped; i++) {
      writes.drop(RESERVED);
    }
    evictor.keep(reserved, List.of());
    return dropped;
  }

  private static int unless(boolean done, IsolatedWrites writes) {
    if (!done) {
      writes.drop(Conflict.Guard.VERSION.name());
    }
    return done ? 0 : 1;
  }

  private int expire(List<Decision.Expire> expired) {
    Map<JobId, Job> current = new TreeMap<>();
    jobs.lock(expired.stream().map(Decision.Expire::job).collect(toSet()))
        .forEach(job -> current.put(job.id(), job));
    List<Transition> transitions = new ArrayList<>();
    Instant now = jobs.now();
    for (Decision.Expire decision : expired) {
      Optional.ofNullable(current.get(decision.job()))
          .flatMap(job -> expired(decision, job, now))
          .ifPresent(ended -> {
            transitions.add(ended);
            current.put(ended.job().id(), ended.job());
          });
    }
    writer.write(transitions);
    return expired.size() - transitions.size();
  }

  /** The end of a dependency is final, so starts of other elements do not change a decision. */
  private Optional<Transition> expired(Decision.Expire decision, Job job, Instant now) {
    FailedDependency dead = decision.deadDependency();
    if (dead != null && !dead.elements().isEmpty()) {
      return elementsFailed(dead, job, now);
    }
    if (decision.jobVersion() != job.version()) {
      return Optional.empty();
    }
    boolean live = !jobs.liveAttempts(job.id()).isEmpty();
    return dead == null
        ? JobTransitions.expire(job, live, now, ACTOR)
        : JobTransitions.dependencyFailed(job, dead.cause(), dead.text(), live, now, ACTOR);
  }

  private Optional<Transition> elementsFailed(FailedDependency dead, Job job, Instant now) {
    SortedSet<Integer> indexes = new TreeSet<>(dead.elements());
    int first = indexes.first();
    int most = indexes.last() - first + 1; // other elements of a large array are not read
    jobs.elements(job.id(), first, most).forEach(row -> indexes.remove(row.index()));
    return indexes.isEmpty()
        ? Optional.empty()
        : JobTransitions.elementsFailed(job, dead.cause(), dead.text(), indexes, now, ACTOR);
  }

  private int ask(List<Decision.Ask> asked) {
    Map<JobId, Decision.Ask> planned = new TreeMap<>();
    asked.forEach(decision -> planned.put(decision.job(), decision));
    List<Transition> transitions = new ArrayList<>();
    Instant now = jobs.now();
    for (Job job : jobs.lock(planned.keySet())) {
      Decision.Ask decision = planned.get(job.id());
      if (decision != null && decision.jobVersion() == job.version()) {
        CheckTransitions.ask(job, decision.checks(), now, ACTOR).ifPresent(transitions::add);
      }
    }
    writer.write(transitions);
    return asked.size() - transitions.size();
  }

  private int place(
      HeldLease lease, List<Decision.Place> places, List<Volume> read, IsolatedWrites writes) {
    Map<JobId, Long> planned = new TreeMap<>();
    places.forEach(place -> planned.put(place.job(), place.jobVersion()));
    Map<JobId, Job> current = new TreeMap<>();
    for (Job job : jobs.lock(planned.keySet())) {
      if (planned.getOrDefault(job.id(), -1L) == job.version()) {
        current.put(job.id(), job);
      }
    }
    List<Transition> transitions = new ArrayList<>();
    List<Reservation> served = new ArrayList<>();
    PlacedRecords decided = new PlacedRecords(jobs);
    VolumePlacement on = VolumePlacement.of(volumes, current.values(), read);
    ReservedGpuCheck kept = evictor.kept();
    Instant now = jobs.now();
    for (Decision.Place place : places) {
      Job job = current.get(place.job());
      Transition transition = job == null ? null : admit(lease, place, job, now);
      if (job == null || transition == null) {
        writes.drop(Conflict.Guard.VERSION.name());
      } else if (kept.keepsOut(place)) {
        writes.drop(RESERVED);
      } else if (!on.place(job, place.cluster())) {
        writes.drop(VOLUME);
      } else {
        transitions.add(transition);
        current.put(transition.job().id(), transition.job());
        List<Reservation> its = kept.serve(place);
        served.addAll(its);
        decided.add(place, transition, its);
      }
    }
    on.placed().forEach(volumes::update);
    writer.write(transitions, decided.at(now));
    evictor.keep(List.of(), served);
    return places.size() - transitions.size();
  }

  private @Nullable Transition admit(HeldLease lease, Decision.Place place, Job job, Instant now) {
    JobElement element =
        job.array() == null ? null : jobs.element(job.id(), place.element()).orElse(null);
    int made =
        job.array() == null ? job.run().attempts() : element == null ? 0 : element.run().attempts();
    Attempt attempt =
        AttemptBuilder.builder()
            .id(new AttemptId(ids.next()))
            .job(job.id())
            .element(place.element())
            .number(made + 1)
            .cluster(place.cluster())
            .epoch(lease.epoch())
            .createdAt(now)
            .status(AttemptStatus.of(AttemptState.PLANNED))
            .members(place.members())
            .left(List.of())
            .build();
    return JobTransitions.admit(job, element, attempt, now, ACTOR).orElse(null);
  }
}
