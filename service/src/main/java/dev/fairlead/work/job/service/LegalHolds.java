package dev.fairlead.work.job.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.legalhold.LegalHold;
import dev.fairlead.people.legalhold.LegalHoldBuilder;
import dev.fairlead.people.legalhold.LegalHoldStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.store.JobStore;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** The legal holds of the actor's current tenant. */
@Service
public class LegalHolds {
  private final Transactions transactions;
  private final LegalHoldStore holds;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final AuditLog audit;

  public LegalHolds(
      Transactions transactions,
      LegalHoldStore holds,
      TenantStore tenants,
      JobStore jobs,
      AuditLog audit) {
    this.transactions = transactions;
    this.holds = holds;
    this.tenants = tenants;
    this.jobs = jobs;
    this.audit = audit;
  }

  /**
   * Holds by name.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<LegalHoldView> all(Actor actor) {
    Permissions.require(actor, "listLegalHolds");
    return transactions.read(
        () -> holds.all(actor.tenant()).stream().map(hold -> view(actor, hold)).toList());
  }

  /**
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public LegalHoldView one(Actor actor, String name) {
    Permissions.require(actor, "getLegalHold");
    return transactions.read(
        () -> view(actor, named(holds.all(actor.tenant()), name).orElseThrow(() -> none(name))));
  }

  /**
   * Adds a hold, or replaces the hold of its name.
   *
   * @param wanted hold without its project and time of change
   * @param project name of the only protected project, null for all
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED beyond the limit, INVALID_FIELD for an unknown
   *     project or job
   */
  public LegalHoldView put(
      Actor actor, LegalHold wanted, @Nullable String project, boolean validateOnly) {
    Permissions.require(actor, "putLegalHold");
    return transactions.callOrTry(
        validateOnly,
        () -> {
          List<LegalHold> others = holds.locked(actor.tenant());
          Optional<LegalHold> old = named(others, wanted.name());
          if (old.isEmpty() && others.size() >= LegalHold.MOST) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "The tenant has %d legal holds, the maximum. Delete one first."
                    .formatted(LegalHold.MOST));
          }
          LegalHold next = hold(actor, wanted, project(actor, project));
          holds.put(next);
          audit(actor, "putLegalHold", old.orElse(null), next);
          return LegalHoldView.of(next, project);
        });
  }

  /**
   * Deletes a hold. Its jobs can be deleted, and retention removes them after their age.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public void delete(Actor actor, String name, boolean validateOnly) {
    Permissions.require(actor, "deleteLegalHold");
    transactions.runOrTry(
        validateOnly,
        () -> {
          LegalHold old = named(holds.locked(actor.tenant()), name).orElseThrow(() -> none(name));
          holds.remove(old);
          audit(actor, "deleteLegalHold", old, null);
        });
  }

  private LegalHold hold(Actor actor, LegalHold wanted, @Nullable ProjectId project) {
    JobId job = wanted.job();
    if (job != null && jobs.find(actor.tenant(), job).isEmpty()) {
      throw Refusal.field("/job", "There is no job " + job.text() + ".");
    }
    return LegalHoldBuilder.builder(wanted)
        .tenant(actor.tenant())
        .project(project)
        .job(job)
        .changed(new LegalHold.Change(jobs.now(), actor.name()))
        .build();
  }

  private @Nullable ProjectId project(Actor actor, @Nullable String name) {
    return name == null
        ? null
        : tenants
            .projectNamed(actor.tenant(), name)
            .map(Project::id)
            .orElseThrow(() -> Refusal.field("/project", "There is no project \"" + name + "\"."));
  }

  private LegalHoldView view(Actor actor, LegalHold hold) {
    ProjectId project = hold.project();
    return LegalHoldView.of(
        hold,
        project == null
            ? null
            : tenants.project(actor.tenant(), project).map(Project::name).orElseThrow());
  }

  private static Optional<LegalHold> named(List<LegalHold> among, String name) {
    return among.stream().filter(hold -> hold.name().equals(name)).findFirst();
  }

  private static Refusal none(String name) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "There is no legal hold \"" + name + "\". GET /api/v1/legal-holds lists them.");
  }

  private void audit(
      Actor actor, String operation, @Nullable LegalHold before, @Nullable LegalHold after) {
    LegalHold hold = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("hold", hold.name());
    if (after != null) {
      detail.put(AuditRecord.REASON, after.reason());
    }
    audit.append(
        new AuditRecord(actor, operation, hold.name(), true, detail)
            .changed("legal-hold/" + hold.name(), before, after));
  }
}
