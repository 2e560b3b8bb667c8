package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.submit.BatchResult;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.RayPoolJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads pipelines, and submits their failed parts again. */
@Service
public class Pipelines {
  private static final int PAGE = 500;

  /** A page without jobs has read thousands of jobs of the project, if very many have the label. */
  private static final int MOST_EMPTY = 50;

  private final Transactions transactions;
  private final JobStore jobs;
  private final JobQueries queries;
  private final JobCommands commands;

  public Pipelines(
      Transactions transactions, JobStore jobs, JobQueries queries, JobCommands commands) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.queries = queries;
    this.commands = commands;
  }

  /**
   * Pipelines of the project by name, with the number of their jobs in each state. Earlier runs
   * count too.
   *
   * @param after name before the first, empty for the first page
   * @param most at least 1
   * @throws Refusal NOT_FOUND (project)
   */
  public SortedMap<String, SortedMap<JobState, Integer>> list(
      Actor actor, String project, String after, int most) {
    ProjectId id = queries.projectNamed(actor, project);
    return transactions.read(() -> jobs.pipelines(actor.tenant(), id, after, most));
  }

  /**
   * Returns the pipeline, with only the parts of specs that decisions read: the commands of 2,000
   * jobs could fill the memory.
   *
   * @throws Refusal NOT_FOUND (project, or no job with the label), LIMIT_EXCEEDED for more than
   *     {@link Pipeline#MOST} jobs, or a label of very many other jobs
   */
  public Pipeline pipeline(Actor actor, String project, String name) {
    return read(actor, project, name, job -> job.seenAs(job.spec().decided()));
  }

  private Pipeline read(Actor actor, String project, String name, UnaryOperator<Job> seen) {
    ProjectId id = queries.projectNamed(actor, project);
    List<Job> found = transactions.read(() -> all(actor, id, name, seen));
    if (found.isEmpty()) {
      throw new Refusal(
          ProblemCode.NOT_FOUND,
          "Project \"%s\" has no job with the label %s=%s."
              .formatted(project, Pipeline.LABEL, name));
    }
    return new Pipeline(found);
  }

  private List<Job> all(Actor actor, ProjectId project, String name, UnaryOperator<Job> seen) {
    SortedMap<String, String> label = new TreeMap<>();
    label.put(Pipeline.LABEL, name);
    List<Job> found = new ArrayList<>();
    int empty = 0;
    JobFilter next = JobFilter.newest(actor.tenant(), List.of(project), null, PAGE).labelled(label);
    while (next != null) {
      JobSlice page = jobs.list(next);
      page.jobs().stream().filter(job -> !job.spec().ofService()).map(seen).forEach(found::add);
      empty += page.jobs().isEmpty() ? 1 : 0;
      if (found.size() > Pipeline.MOST) {
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            "Pipeline %s has more than %d jobs. Use a different name for each run."
                .formatted(name, Pipeline.MOST));
      }
      if (empty > MOST_EMPTY) {
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            "Too many jobs have the label %s=%s. Use a different name for each run."
                .formatted(Pipeline.LABEL, name));
      }
      next = page.next() == null ? null : next.behind(page.next());
    }
    return found;
  }

  /**
   * Submits {@link Pipeline#unfinished} again in one transaction, with dependencies on the new jobs
   * of the retry and on the jobs of earlier runs that succeeded.
   *
   * @param limited adds the refusal by a limit of the project
   * @return the new jobs, each after its dependencies
   * @throws Refusal NOT_FOUND, ILLEGAL_STATE when no job is to be repeated, or one of them has not
   *     ended or has a deadline in the past, and as {@link JobCommands#submitAll} for the first job
   *     that is refused
   */
  public List<Submitted> retry(
      Actor actor,
      String project,
      String name,
      UnaryOperator<NewJob> limited,
      @Nullable RequestKey key,
      boolean validateOnly) {
    RequestKey effective = validateOnly ? null : key;
    Optional<List<BatchResult>> earlier =
        effective == null ? Optional.empty() : commands.repeatedAll(actor, effective);
    List<BatchResult> results =
        earlier.orElseGet(() -> {
          List<NewJob> wanted =
              again(read(actor, project, name, UnaryOperator.identity()), name, jobs.now()).stream()
                  .map(limited)
                  .toList();
          return commands.submitAll(actor, project, wanted, true, effective, validateOnly);
        });
    return results.stream().map(Pipelines::accepted).toList();
  }

  private static Submitted accepted(BatchResult result) {
    return switch (result) {
      case BatchResult.Accepted accepted -> accepted.submitted();
      case BatchResult.Refused refused -> throw refused.refusal();
    };
  }

  private static List<NewJob> again(Pipeline pipeline, String name, Instant now) {
    List<Job> unfinished = pipeline.unfinished();
    if (unfinished.isEmpty()) {
      throw illegal("No job of pipeline %s has failed or was cancelled.".formatted(name));
    }
    Set<String> repeated = new TreeSet<>();
    List<NewJob> wanted = new ArrayList<>();
    for (Job job : unfinished) {
      Instant deadline = job.spec().deadline();
      if (!job.run().ended()) {
        throw illegal(
            "Job %s depends on a job that failed and is %s. Cancel it before the retry."
                .formatted(job.name(), job.state()));
      }
      if (deadline != null && !now.isBefore(deadline)) {
        throw illegal(
            "The deadline of job %s has passed. Submit it with another deadline."
                .formatted(job.name()));
      }
      repeated.add(job.name());
      wanted.add(again(pipeline, job, repeated));
    }
    return wanted;
  }

  private static NewJob again(Pipeline pipeline, Job job, Set<String> repeated) {
    List<Dependency> kept = new ArrayList<>();
    List<NewJob.Named> named = new ArrayList<>();
    int index = 0;
    for (Dependency dependency : job.spec().dependsOn()) {
      JobId id = pipeline.dependency(job, dependency.job());
      Job other = pipeline.present(id);
      if (other != null && other.id().equals(id) && repeated.contains(other.name())) {
        named.add(
            new NewJob.Named(index, other.name(), dependency.condition(), dependency.perElement()));
      } else {
        kept.add(new Dependency(id, dependency.condition(), dependency.perElement()));
      }
      index++;
    }
    JobSpec spec = RayPoolJob.unassigned(job.spec());
    return new NewJob(untraced(spec).needing(kept), named, null);
  }

  /** The spec without the trace of the request that submitted it. */
  private static JobSpec untraced(JobSpec spec) {
    SortedMap<String, String> annotations = new TreeMap<>(spec.annotations());
    annotations.remove(TraceContext.REQUEST);
    return spec.replica(spec.name(), spec.preemption(), spec.labels(), annotations);
  }

  private static Refusal illegal(String detail) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, detail);
  }
}
