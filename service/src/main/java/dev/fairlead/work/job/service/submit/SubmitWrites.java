package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.WarmMembers;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Stores accepted jobs with their audit rows, and reads the jobs of earlier requests. */
public final class SubmitWrites {
  public static final String SUBMIT = "submitJob";
  private final JobStore jobs;
  private final JobWriter writer;
  private final SubmitRules rules;
  private final WarmMembers warm;
  private final AuditLog audit;

  public SubmitWrites(
      JobStore jobs, JobWriter writer, SubmitRules rules, WarmMembers warm, AuditLog audit) {
    this.warm = warm;
    this.jobs = jobs;
    this.writer = writer;
    this.rules = rules;
    this.audit = audit;
  }

  /**
   * An accepted job.
   *
   * @param actor with its request
   * @param transition stores the job
   */
  public record Accepted(Actor actor, Transition transition) {
    /** A new job. */
    public Accepted(Actor actor, Job job) {
      this(actor, JobTransitions.submit(job));
    }

    Job job() {
      return transition.job();
    }
  }

  /**
   * Accepted jobs of one transaction, some of which take a member of a warm pool instead of a
   * launch.
   */
  final class Accepting {
    private final Project project;
    private final boolean preview;
    private final Set<JobId> taken = new TreeSet<>();

    Accepting(Project project, boolean preview) {
      this.project = project;
      this.preview = preview;
    }

    /**
     * Accepts the job.
     *
     * @param warnings warnings of the project
     * @param then receives the job as it is stored, with its warnings
     */
    Accepted accept(Actor actor, Job job, List<String> warnings, Consumer<Submitted> then) {
      WarmMembers.Found found = warm.take(project, job, taken, preview);
      Transition take = found.transition();
      Transition transition = take == null ? JobTransitions.submit(job, found.missed()) : take;
      taken.add(transition.job().id());
      List<String> all = new ArrayList<>(warnings);
      if (found.missed() != null) {
        all.add("The session starts without a warm pool: " + found.missed() + ".");
      }
      then.accept(new Submitted(transition.job(), all, false));
      return new Accepted(actor, transition);
    }
  }

  /**
   * Stores the jobs in the open transaction.
   *
   * @throws Refusal INVALID_FIELD for code that was deleted since it was checked
   */
  public void store(List<Accepted> accepted) {
    List<Job> made = accepted.stream().map(Accepted::job).toList();
    writer.write(accepted.stream().map(Accepted::transition).toList());
    rules.claim(made);
    Map<Actor, List<Job>> requests = new LinkedHashMap<>();
    accepted.forEach(
        one -> requests.computeIfAbsent(one.actor(), actor -> new ArrayList<>()).add(one.job()));
    audit.append(
        requests.entrySet().stream().map(each -> row(each.getKey(), each.getValue())).toList());
  }

  /** One audit row for the jobs of a request. */
  private static AuditRecord row(Actor actor, List<Job> made) {
    return made.size() == 1
        ? AuditRecord.change(actor, SUBMIT, null, made.getFirst(), of -> of.id().text())
        : AuditRecord.ofJobs(actor, SUBMIT, made.stream().map(of -> of.id().text()).toList())
            .changed(AuditRecord.JOBS, null, made);
  }

  /** The result of an earlier request with the same key. */
  public Submitted replayed(Actor actor, String reference) {
    JobId id = new JobId(IdText.decode(IdKind.JOB, reference).orElseThrow());
    return new Submitted(
        jobs.find(actor.tenant(), id).orElseThrow(() -> JobQueries.notFound(id)), List.of(), true);
  }
}
