package dev.fairlead.trace.service;

import dev.fairlead.event.EventRecord;
import dev.fairlead.identity.IdKind;
import dev.fairlead.identity.IdText;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.AttemptLifecycle;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.EventTypes;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobStore;
import dev.fairlead.trace.JobSpan;
import dev.fairlead.trace.JobTrace;
import dev.fairlead.trace.TraceExporter;
import dev.fairlead.transaction.Transactions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Makes the spans of attempts that began to run or ended, from their rows as they are now. With no
 * exporter it reads nothing.
 */
@Component
public class JobTraces {
  private static final String RUNNING = EventTypes.of("Attempt", AttemptState.RUNNING);

  private static final Set<String> ENDS =
      Arrays.stream(AttemptState.values())
          .filter(AttemptLifecycle.TABLE::terminal)
          .map(state -> EventTypes.of("Attempt", state))
          .collect(Collectors.toUnmodifiableSet());

  private final JobStore jobs;
  private final Transactions transactions;
  private final TraceExporter exporter;

  public JobTraces(JobStore jobs, Transactions transactions, TraceExporter exporter) {
    this.jobs = jobs;
    this.transactions = transactions;
    this.exporter = exporter;
  }

  /** Sends what the events of a batch tell; two reads for all of them. */
  public void tell(List<EventRecord> events) {
    if (exporter.ratio() <= 0) {
      return;
    }
    Set<AttemptId> running = attempts(events, RUNNING::equals);
    Set<AttemptId> ended = attempts(events, ENDS::contains);
    Set<AttemptId> told = new LinkedHashSet<>(running);
    told.addAll(ended);
    if (!told.isEmpty()) {
      exporter.send(transactions.forAllTenants(() -> spans(told, running, ended)));
    }
  }

  private static Set<AttemptId> attempts(List<EventRecord> events, Predicate<String> type) {
    Set<AttemptId> told = new LinkedHashSet<>();
    for (EventRecord event : events) {
      if (type.test(event.fact().type())
          && event.fact().data().get("attempt") instanceof String id) {
        IdText.decode(IdKind.ATTEMPT, id).ifPresent(value -> told.add(new AttemptId(value)));
      }
    }
    return told;
  }

  private List<JobSpan> spans(Set<AttemptId> told, Set<AttemptId> running, Set<AttemptId> ended) {
    List<Attempt> attempts = jobs.attempts(told);
    Map<JobId, Job> owners = new HashMap<>();
    Set<JobId> ids = attempts.stream().map(Attempt::job).collect(Collectors.toSet());
    jobs.findAll(ids).forEach(job -> owners.put(job.id(), job));
    List<JobSpan> spans = new ArrayList<>();
    for (Attempt attempt : attempts) {
      Job job = owners.get(attempt.job());
      if (job == null) {
        continue;
      }
      if (running.contains(attempt.id())) {
        spans.addAll(JobTrace.beginning(job, attempt, exporter.ratio()));
      }
      if (ended.contains(attempt.id())) {
        spans.addAll(JobTrace.ending(job, attempt, exporter.ratio()));
      }
    }
    return spans;
  }
}
