package dev.fairlead.work.publisher.service;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lifecycle.TransitionTable;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceExporter;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobLifecycle;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.publisher.JobTrace;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Builds the spans of attempts and jobs that started or ended, from their current rows. Without an
 * exporter it reads nothing.
 */
@Component
class JobTraces {
  private static final Logger LOG = LoggerFactory.getLogger(JobTraces.class);
  private static final String RUNNING = EventTypes.of("Attempt", AttemptState.RUNNING);
  private static final Set<String> ATTEMPT_ENDS = ends("Attempt", AttemptLifecycle.TABLE);
  private static final Set<String> JOB_ENDS = ends("Job", JobLifecycle.TABLE);

  private final JobStore jobs;
  private final Transactions transactions;
  private final TraceExporter exporter;
  private final MeterRegistry metrics;

  JobTraces(
      JobStore jobs, Transactions transactions, TraceExporter exporter, MeterRegistry metrics) {
    this.jobs = jobs;
    this.transactions = transactions;
    this.exporter = exporter;
    this.metrics = metrics;
  }

  private static <S extends Enum<S>, E extends Enum<E>> Set<String> ends(
      String subject, TransitionTable<S, E> table) {
    return Arrays.stream(table.states())
        .filter(table::terminal)
        .map(state -> EventTypes.of(subject, state))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Exports the spans of a batch of events with two reads. A failure is counted and not thrown,
   * because it is not a failure of the caller.
   */
  void tell(List<EventRecord> events) {
    if (!exporter.on()) {
      return;
    }
    Told told = Told.by(events);
    if (told.jobs().isEmpty()) {
      return;
    }
    try {
      exporter.send(transactions.forAllTenants(() -> spans(told)));
    } catch (RuntimeException e) {
      metrics.counter(Metric.SPANS.meter(), Metric.SPANS.tags("untold")).increment(events.size());
      LOG.warn("{} events could not be added to a trace: {}", events.size(), String.valueOf(e));
    }
  }

  private List<JobSpan> spans(Told told) {
    Map<JobId, JobTrace> traces = new HashMap<>();
    List<JobSpan> spans = new ArrayList<>();
    for (Job job : jobs.findAll(told.jobs())) {
      JobTrace trace = new JobTrace(job, exporter.ratio());
      traces.put(job.id(), trace);
      if (told.endedJobs().contains(job.id())) {
        spans.addAll(trace.ended());
      }
    }
    for (Attempt attempt : jobs.attempts(told.attempts())) {
      JobTrace trace = traces.get(attempt.job());
      if (trace != null && told.running().contains(attempt.id())) {
        spans.addAll(trace.running(attempt));
      }
      if (trace != null && told.ended().contains(attempt.id())) {
        spans.addAll(trace.ended(attempt));
      }
    }
    return spans;
  }

  /** Jobs and attempts of the events. */
  private record Told(
      Set<JobId> jobs, Set<JobId> endedJobs, Set<AttemptId> running, Set<AttemptId> ended) {
    static Told by(List<EventRecord> events) {
      Told told =
          new Told(
              new LinkedHashSet<>(),
              new LinkedHashSet<>(),
              new LinkedHashSet<>(),
              new LinkedHashSet<>());
      for (EventRecord event : events) {
        if (event.subject() == IdKind.JOB) {
          told.add(new JobId(event.subjectId()), event.fact());
        }
      }
      return told;
    }

    private void add(JobId job, Fact fact) {
      boolean runs = fact.type().equals(RUNNING);
      if (runs || ATTEMPT_ENDS.contains(fact.type())) {
        Object id = fact.data().get("attempt");
        jobs.add(job);
        IdText.decode(IdKind.ATTEMPT, String.valueOf(id))
            .ifPresent(value -> (runs ? running : ended).add(new AttemptId(value)));
      } else if (JOB_ENDS.contains(fact.type())) {
        jobs.add(job);
        endedJobs.add(job);
      }
    }

    Set<AttemptId> attempts() {
      Set<AttemptId> all = new LinkedHashSet<>(running);
      all.addAll(ended);
      return all;
    }
  }
}
