package dev.fairlead.front.service;

import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontJobBuilder;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontRequest.Inexpressible;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.ServiceProblem;
import dev.fairlead.front.service.spi.JobDocuments;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Submits one job for each Job of a front cluster. */
@Component
class FrontSubmits {
  /** A name has 40 characters: up to 31 of the Job's name, and 8 that make it unique. */
  private static final int OF_NAME = 31;

  private static final int OF_UID = 8;

  /**
   * Idempotency keys are retained for a day. After half of this time the job is searched by its
   * name.
   */
  private static final Duration KEY_HOLDS = Duration.ofHours(12);

  /** Errors of the document itself, which are permanent. */
  private static final Set<ProblemCode> FOR_GOOD =
      new TreeSet<>(
          Set.of(
              ProblemCode.MALFORMED_BODY,
              ProblemCode.INVALID_FIELD,
              ProblemCode.UNKNOWN_FIELD,
              ProblemCode.CONFLICTING_FIELDS,
              ProblemCode.RESERVED_NAME));

  static final ServiceProblem PROJECT_GONE =
      new ServiceProblem("ProjectGone", "The project of its namespace no longer exists", false);

  private final JobDocuments documents;
  private final JobSubmits commands;
  private final JobStore jobs;
  private final TenantStore tenants;

  FrontSubmits(JobDocuments documents, JobSubmits commands, JobStore jobs, TenantStore tenants) {
    this.documents = documents;
    this.commands = commands;
    this.jobs = jobs;
    this.tenants = tenants;
  }

  /** A Job and the project of its namespace, empty after the removal of the project. */
  record Wish(SeenJob seen, FrontNamespace namespace, Optional<Project> project) {}

  /** A Job to submit for the project of its namespace. */
  record Order(Actor actor, Wish wish, String json) {
    /** Row of the Job before the submit. */
    FrontJob row(ClusterId cluster, Instant now) {
      SeenJob seen = wish.seen();
      FrontNamespace namespace = wish.namespace();
      return FrontJobBuilder.builder()
          .cluster(cluster)
          .uid(seen.uid())
          .namespace(seen.namespace())
          .name(seen.name())
          .tenant(namespace.tenant())
          .project(namespace.project())
          .job(null)
          .suspended(false)
          .takenAt(now)
          .build();
    }
  }

  /** Unique, and equal in each try. */
  private static String name(String name, String uid) {
    String own =
        name.startsWith(SeenJob.WORKLOAD) ? name.substring(SeenJob.WORKLOAD.length()) : name;
    String cut = own.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
    String begin = cut.length() > OF_NAME ? cut.substring(0, OF_NAME) : cut;
    String end = uid.replaceAll("[^a-z0-9]", "");
    return begin + "-" + end.substring(0, Math.min(OF_UID, end.length()));
  }

  /** Result of reading a Job. */
  sealed interface Reading {}

  /** Result of a submit. */
  sealed interface Submission {}

  /** No job can express it. */
  record Never(Inexpressible what) implements Reading {}

  /** The Job must wait. */
  record NotNow(String reason, String why) implements Reading, Submission {}

  record Ready(Project project, JobSpec spec) implements Reading {}

  record Done(JobId job) implements Submission {}

  /** The project of the namespace, empty after its removal. */
  Optional<Project> project(FrontNamespace namespace) {
    return tenants.project(namespace.tenant(), namespace.project());
  }

  Reading read(Order order) {
    SeenJob seen = order.wish().seen();
    Optional<Project> project = order.wish().project();
    if (project.isEmpty()) {
      return new NotNow(PROJECT_GONE.reason(), PROJECT_GONE.message());
    }
    try {
      JobSpec spec = documents.read(order.actor(), project.get().name(), order.json());
      String name = name(seen.name(), seen.uid());
      JobSpec named = spec.named(name, spec.queue());
      return new Ready(
          project.get(),
          seen.inPlace()
              ? named.annotated(SeenJob.IN_PLACE, seen.text() + "/" + seen.uid())
              : named);
    } catch (Refusal refused) {
      String why = String.valueOf(refused.getMessage());
      return FOR_GOOD.contains(refused.code())
          ? new Never(seen.workload() ? problem(refused) : new Inexpressible("as a job", why))
          : notNow(order, refused);
    }
  }

  /**
   * The refusal of a ModelService. A wrong spec and the service of another owner need a change by a
   * user.
   */
  static ServiceProblem serviceProblem(Refusal refused) {
    boolean wrong = FOR_GOOD.contains(refused.code());
    String message = String.valueOf(refused.getMessage());
    if (wrong || !refused.problems().isEmpty()) {
      Inexpressible what = problem(refused);
      message = what.field() + ": " + what.why();
    }
    return new ServiceProblem(
        wrong ? "InvalidSpec" : reason(refused.code()),
        message,
        wrong || refused.code() == ProblemCode.NAME_IN_USE);
  }

  /** Lists every field, because the spec of a Workload has the fields of a job. */
  private static Inexpressible problem(Refusal refused) {
    List<FieldProblem> problems = refused.below("/spec").problems();
    if (problems.isEmpty()) {
      return new Inexpressible("/spec", String.valueOf(refused.getMessage()));
    }
    String others =
        problems.stream()
            .skip(1)
            .map(one -> " " + one.pointer() + ": " + one.detail())
            .collect(Collectors.joining());
    return new Inexpressible(problems.getFirst().pointer(), problems.getFirst().detail() + others);
  }

  /**
   * Reason why the project does not accept the job of a Workload now, empty if it does. The spec of
   * a Workload is immutable from its adoption, so one with a wrong queue or secret is not adopted.
   */
  Optional<NotNow> obstacle(Order order, Ready ready) {
    try {
      commands.check(order.actor(), ready.project().name(), ready.spec());
      return Optional.empty();
    } catch (Refusal refused) {
      return Optional.of(notNow(order, refused));
    }
  }

  Submission submit(Order order, FrontJob row, Ready ready, Instant now) {
    Optional<JobId> earlier =
        now.isBefore(row.takenAt().plus(KEY_HOLDS)) ? Optional.empty() : earlier(row);
    if (earlier.isPresent()) {
      return new Done(earlier.get());
    }
    String key = "front/" + row.cluster().bare() + "/" + row.uid();
    try {
      return new Done(commands.submit(order.actor(), ready.project().name(), ready.spec(), key));
    } catch (Refusal refused) {
      return notNow(order, refused);
    }
  }

  private static NotNow notNow(Order order, Refusal refused) {
    String why = String.valueOf(refused.getMessage());
    if (order.wish().seen().workload() && !refused.problems().isEmpty()) {
      Inexpressible what = problem(refused);
      why = what.field() + ": " + what.why();
    }
    return new NotNow(reason(refused.code()), why);
  }

  /**
   * Cancels the job of a Job, unless it has ended.
   *
   * @throws Refusal for a different reason than its end
   */
  void cancel(Actor actor, JobId job) {
    try {
      commands.cancel(actor, job);
    } catch (Refusal refused) {
      refuseUnlessOver(refused);
    }
  }

  /** Suspends or resumes the job of a Job, unless it has ended or its owner did the same. */
  void hold(Actor actor, JobId job, boolean back) {
    try {
      commands.suspend(actor, job, back);
    } catch (Refusal refused) {
      refuseUnlessOver(refused);
    }
  }

  private static void refuseUnlessOver(Refusal refused) {
    if (refused.code() != ProblemCode.ILLEGAL_STATE && refused.code() != ProblemCode.NOT_FOUND) {
      throw refused;
    }
  }

  /** Finds a job whose submit was not recorded because the process was interrupted. */
  Optional<JobId> earlier(FrontJob row) {
    String name = name(row.name(), row.uid());
    return jobs.named(row.tenant(), row.project(), List.of(name)).stream()
        .map(NamedJob::id)
        .filter(id -> jobs.find(row.tenant(), id).filter(job -> of(row, job)).isPresent())
        .findFirst();
  }

  /** Returns whether the job belongs to the row, and is not a user's job of the same name. */
  private static boolean of(FrontJob row, Job job) {
    return OwnActor.isFront(job.user(), row.namespace());
  }

  /** Formats a code as the reason of a condition: {@code LimitExceeded}. */
  private static String reason(ProblemCode code) {
    StringBuilder reason = new StringBuilder();
    boolean begins = true;
    for (char letter : code.name().toCharArray()) {
      if (letter != '_') {
        reason.append(begins ? letter : Character.toLowerCase(letter));
      }
      begins = letter == '_';
    }
    return reason.toString();
  }
}
