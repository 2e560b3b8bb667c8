package dev.fairlead.placement.service;

import dev.fairlead.identity.IdSource;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.JobTransitions;
import dev.fairlead.job.JobWriter;
import dev.fairlead.job.Reservation;
import dev.fairlead.job.Transition;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.Plan;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.transaction.Transactions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Writes what the engine decided, under the scheduler's fence: job versions unchanged, quota, nodes
 * and GPUs still enough, or the decision is dropped, counted and planned again. A batch that meets
 * a conflict is repeated one decision at a time.
 */
@Component
public class PlanApplier {
  private static final Logger LOG = LoggerFactory.getLogger(PlanApplier.class);
  private static final int BATCH = 100;
  private static final String ACTOR = "scheduler";
  private static final String RESERVED = "RESERVED";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Evictor evictor;
  private final Resizer resizer;
  private final IdSource ids;
  private final MeterRegistry metrics;

  public PlanApplier(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      Evictor evictor,
      Resizer resizer,
      IdSource ids,
      MeterRegistry metrics) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.evictor = evictor;
    this.resizer = resizer;
    this.ids = ids;
    this.metrics = metrics;
  }

  /**
   * Applies the plan: what is kept and no longer kept, then the placements in order, then the
   * evictions, each with its reservation in one transaction, then what runs grows and shrinks, then
   * the jobs that fail at their deadline.
   *
   * @return how many were dropped
   * @throws dev.fairlead.transaction.FenceLost when another scheduler acts
   */
  public int apply(HeldLease lease, Plan plan) {
    List<Decision.Place> places = new ArrayList<>();
    List<Decision.Preempt> preempts = new ArrayList<>();
    List<Decision> resizes = new ArrayList<>();
    List<Reservation> reserved = new ArrayList<>();
    List<Reservation.Key> released = new ArrayList<>();
    List<Decision.Expire> expired = new ArrayList<>();
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> places.add(place);
        case Decision.Preempt preempt -> preempts.add(preempt);
        case Decision.Reserve reserve -> reserved.add(reserve.reservation());
        case Decision.Release r -> released.add(new Reservation.Key(r.job(), r.element()));
        case Decision.Grow grow -> resizes.add(grow);
        case Decision.Shrink shrink -> resizes.add(shrink);
        case Decision.Expire expire -> expired.add(expire);
        case Decision.Hold hold -> {}
      }
    }
    if (!released.isEmpty() || !reserved.isEmpty()) {
      transactions.runFenced(lease, () -> evictor.keep(reserved, released));
    }
    int dropped = 0;
    for (int from = 0; from < places.size(); from += BATCH) {
      dropped += batch(lease, places.subList(from, Math.min(from + BATCH, places.size())));
    }
    for (Decision.Preempt preempt : preempts) {
      dropped += alone(lease, () -> evictor.preempt(preempt));
    }
    for (Decision resize : resizes) {
      dropped += alone(lease, () -> resizer.resize(resize));
    }
    for (int from = 0; from < expired.size(); from += BATCH) {
      List<Decision.Expire> batch = expired.subList(from, Math.min(from + BATCH, expired.size()));
      dropped += transactions.callFenced(lease, () -> expire(batch));
    }
    return dropped;
  }

  private int expire(List<Decision.Expire> expired) {
    Map<JobId, Long> planned = new TreeMap<>();
    expired.forEach(decision -> planned.put(decision.job(), decision.jobVersion()));
    List<Transition> transitions = new ArrayList<>();
    Instant now = jobs.now();
    for (Job job : jobs.lock(planned.keySet())) {
      if (planned.getOrDefault(job.id(), -1L) == job.version()) {
        JobTransitions.expire(job, !jobs.liveAttempts(job.id()).isEmpty(), now, ACTOR)
            .ifPresent(transitions::add);
      }
    }
    writer.write(transitions);
    return expired.size() - transitions.size();
  }

  private int alone(HeldLease lease, Supplier<Boolean> change) {
    try {
      boolean done = transactions.callFenced(lease, change);
      if (!done) {
        drop(Conflict.Guard.VERSION.name());
      }
      return done ? 0 : 1;
    } catch (Conflict conflict) {
      drop(conflict.guard().name());
      return 1;
    }
  }

  private int batch(HeldLease lease, List<Decision.Place> places) {
    try {
      return transactions.callFenced(lease, () -> write(lease, places));
    } catch (Conflict conflict) {
      if (places.size() == 1) {
        drop(conflict.guard().name());
        return 1;
      }
      return oneByOne(lease, places);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException failed) {
      if (places.size() == 1) {
        throw failed;
      }
      LOG.warn("a batch of {} placements failed, each is tried alone", places.size(), failed);
      return oneByOne(lease, places);
    }
  }

  /**
   * One that always fails keeps none of the others waiting.
   *
   * @throws RuntimeException what the last one threw when every one failed: then it is not their
   *     fault
   */
  private int oneByOne(HeldLease lease, List<Decision.Place> places) {
    int dropped = 0;
    int failures = 0;
    RuntimeException last = null;
    for (Decision.Place place : places) {
      try {
        dropped += batch(lease, List.of(place));
      } catch (FenceLost deposed) {
        throw deposed;
      } catch (RuntimeException failed) {
        LOG.warn("the placement of job {} failed: {}", place.job().text(), failed.toString());
        last = failed;
        failures++;
      }
    }
    if (last != null && failures == places.size()) {
      throw last;
    }
    return dropped + failures;
  }

  private int write(HeldLease lease, List<Decision.Place> places) {
    Map<JobId, Long> planned = new TreeMap<>();
    places.forEach(place -> planned.put(place.job(), place.jobVersion()));
    Map<JobId, Job> current = new TreeMap<>();
    for (Job job : jobs.lock(planned.keySet())) {
      if (planned.getOrDefault(job.id(), -1L) == job.version()) {
        current.put(job.id(), job);
      }
    }
    List<Transition> transitions = new ArrayList<>();
    List<Reservation.Key> served = new ArrayList<>();
    KeptGpus kept = evictor.kept();
    Instant now = jobs.now();
    for (Decision.Place place : places) {
      Job job = current.get(place.job());
      Transition transition = job == null ? null : admit(lease, place, job, now);
      if (transition == null) {
        drop(Conflict.Guard.VERSION.name());
      } else if (kept.keepsOut(place)) {
        drop(RESERVED);
      } else {
        transitions.add(transition);
        current.put(transition.job().id(), transition.job());
        if (kept.serve(place)) {
          served.add(KeptGpus.key(place));
        }
      }
    }
    writer.write(transitions);
    evictor.keep(List.of(), served);
    return places.size() - transitions.size();
  }

  private @Nullable Transition admit(HeldLease lease, Decision.Place place, Job job, Instant now) {
    JobElement element =
        job.array() == null ? null : jobs.element(job.id(), place.element()).orElse(null);
    int made =
        job.array() == null ? job.run().attempts() : element == null ? 0 : element.run().attempts();
    Attempt attempt =
        new Attempt(
            new AttemptId(ids.next()),
            job.id(),
            place.element(),
            made + 1,
            AttemptState.PLANNED,
            place.cluster(),
            lease.term(),
            now,
            null,
            null,
            null,
            null,
            null,
            place.members());
    return JobTransitions.admit(job, element, attempt, now, ACTOR).orElse(null);
  }

  private void drop(String guard) {
    metrics.counter("fairlead.plan.dropped", "guard", guard).increment();
  }
}
