package dev.fairlead.workload.service;

import dev.fairlead.handle.OpenHandles;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptRange;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.Member;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Output of members, read through from their cluster. */
@Service
public class JobLogs {
  private static final int MOST_ATTEMPTS = 1_000;

  /** Outputs that a process passes on at once; each holds a connection to a cluster. */
  private static final int MOST_OPEN = 1_000;

  private final OpenHandles open = new OpenHandles(MOST_OPEN, "outputs");
  private final Transactions transactions;
  private final JobStore jobs;
  private final TenantStore tenants;
  private final ClusterOutput output;

  public JobLogs(
      Transactions transactions, JobStore jobs, TenantStore tenants, ClusterOutput output) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.tenants = tenants;
    this.output = output;
  }

  /**
   * Which output.
   *
   * @param attempt number, null for the newest
   * @param member {@code role-index}, null for the first
   * @param element of an array, 0 otherwise
   */
  public record Request(
      @Nullable Integer attempt,
      @Nullable String member,
      int element,
      @Nullable Integer tail,
      @Nullable Instant since,
      boolean follow) {}

  /** A member whose output was asked for, and what of it, and the caller. */
  public record Source(
      Actor actor, Project project, Attempt attempt, Member member, Request request) {}

  /**
   * @throws Refusal NOT_FOUND for a job, attempt or member that is not there
   */
  public Source source(Actor actor, JobId id, Request request) {
    return transactions.read(() -> find(actor, id, request));
  }

  /**
   * Reads no database, and may wait for the cluster.
   *
   * @throws Refusal UNAVAILABLE; RATE_LIMITED when very many are open here
   */
  public InputStream open(Source source) {
    OpenHandles.Handle held = open.enter(source.actor());
    try {
      InputStream lines =
          output.open(source.project(), source.attempt(), source.member(), source.request());
      return new Counted(lines, held);
    } catch (RuntimeException e) {
      held.close();
      throw e;
    }
  }

  /** Counts as open until it is closed. */
  private static final class Counted extends FilterInputStream {
    private final OpenHandles.Handle held;

    Counted(InputStream lines, OpenHandles.Handle held) {
      super(lines);
      this.held = held;
    }

    @Override
    public void close() throws IOException {
      held.close();
      super.close();
    }
  }

  private Source find(Actor actor, JobId id, Request request) {
    Job job =
        jobs.find(actor.tenant(), id)
            .orElseThrow(() -> missing("There is no job " + id.text() + "."));
    Attempt attempt =
        attempts(job, request).stream()
            .reduce((a, b) -> b)
            .orElseThrow(() -> missing("Job " + job.name() + " has no such attempt yet."));
    if (attempt.retiredAt() != null) {
      throw missing(
          "The output of attempt " + attempt.number() + " went with its pods when it had ended.");
    }
    Member member =
        attempt.everyMember().stream()
            .filter(m -> request.member() == null || m.key().equals(request.member()))
            .findFirst()
            .orElseThrow(() -> missing(noMember(attempt)));
    Project project = tenants.project(actor.tenant(), job.project()).orElseThrow();
    return new Source(actor, project, attempt, member, request);
  }

  /** The last of them is the one: only of an array's element the newest has to be looked for. */
  private List<Attempt> attempts(Job job, Request request) {
    int element = request.element();
    Integer number = request.attempt();
    if (number != null) {
      return jobs.attempts(job.id(), new AttemptRange(element, element, number - 1, 1)).stream()
          .filter(attempt -> attempt.number() == number)
          .toList();
    }
    return job.array() == null && element == 0
        ? jobs.latestAttempts(job.tenant(), List.of(job.id()))
        : jobs.attempts(job.id(), AttemptRange.of(element, MOST_ATTEMPTS));
  }

  private static String noMember(Attempt attempt) {
    List<String> keys = attempt.everyMember().stream().map(Member::key).limit(8).toList();
    return "There is no such member. Members: " + String.join(", ", keys) + ".";
  }

  private static Refusal missing(String detail) {
    return new Refusal(ProblemCode.NOT_FOUND, detail);
  }
}
