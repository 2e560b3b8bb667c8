package dev.fairlead.work.job.service;

import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobFilter;
import dev.fairlead.work.job.JobSlice;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStore;
import dev.fairlead.work.job.Pipeline;
import dev.fairlead.work.spec.JobSpec.Dependency;
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
    return transactions.read(() -> jobs.labelled(actor.tenant(), id, Pipeline.LABEL, after, most));
  }

  /**
   * @throws Refusal NOT_FOUND (project, or no job with the label), LIMIT_EXCEEDED for more than
   *     {@link Pipeline#MOST} jobs
   */
  public Pipeline pipeline(Actor actor, String project, String name) {
    ProjectId id = queries.projectNamed(actor, project);
    List<Job> found = transactions.read(() -> all(actor, id, name));
    if (found.isEmpty()) {
      throw new Refusal(
          ProblemCode.NOT_FOUND,
          "Project \"%s\" has no job with the label %s=%s."
              .formatted(project, Pipeline.LABEL, name));
    }
    return new Pipeline(found);
  }

  private List<Job> all(Actor actor, ProjectId project, String name) {
    SortedMap<String, String> label = new TreeMap<>();
    label.put(Pipeline.LABEL, name);
    List<Job> found = new ArrayList<>();
    JobFilter next = JobFilter.newest(actor.tenant(), List.of(project), null, PAGE).labelled(label);
    while (next != null) {
      JobSlice page = jobs.list(next);
      found.addAll(page.jobs());
      if (found.size() > Pipeline.MOST) {
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            "Pipeline %s has more than %d jobs. Use another name for each run."
                .formatted(name, Pipeline.MOST));
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
              again(pipeline(actor, project, name), name, jobs.now()).stream()
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
      Job other = pipeline.present(dependency.job());
      if (other != null && repeated.contains(other.name())) {
        named.add(new NewJob.Named(index, other.name(), dependency.condition()));
      } else {
        kept.add(other == null ? dependency : new Dependency(other.id(), dependency.condition()));
      }
      index++;
    }
    return new NewJob(job.spec().needing(kept), named, null);
  }

  private static Refusal illegal(String detail) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, detail);
  }
}
