package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.workload.judgement.OperatorConfirmation;
import dev.fairlead.work.workload.judgement.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Accepts an operator's confirmation that members are dead. The proof, the audit row and all
 * effects are one transaction. It calls no cluster, because the cluster could not answer.
 */
@Service
public class DeathConfirmation {
  private static final String OPERATION = "confirmDead";
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final Idempotency idempotency;
  private final AuditLog audit;

  public DeathConfirmation(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      Idempotency idempotency,
      AuditLog audit) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.idempotency = idempotency;
    this.audit = audit;
  }

  /**
   * The confirmation.
   *
   * @param members {@code role-index} of each
   * @param reason the operator's evidence, for the audit
   */
  public record Word(SortedSet<String> members, String reason) {}

  /**
   * Confirms deaths and returns the changed attempt. Members that are already dead do not change.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_FIELD for a member that the attempt does not
   *     have, ILLEGAL_STATE for an attempt that is visible or has ended, IDEMPOTENCY_*
   */
  public Attempt confirm(
      Actor actor, AttemptId id, Word word, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, "confirmDead");
    RequestKey effective = validateOnly ? null : key;
    return transactions.call(() -> {
      if (idempotency.earlier(actor, OPERATION, effective).isPresent()) {
        return attempt(id);
      }
      JobId of = attempt(id).job();
      Job job = transactions.forAllTenants(() -> jobs.lock(List.of(of))).getFirst();
      Attempt now = attempt(id);
      refuseUnknown(now, word.members());
      Instant at = jobs.now();
      if (!OperatorConfirmation.heard(now, at)) {
        throw new Refusal(ProblemCode.ILLEGAL_STATE, notHeard(now));
      }
      Verdict verdict = OperatorConfirmation.on(now, job.spec(), word.members(), at);
      if (!validateOnly && verdict.changed()) {
        write(actor, job, now, verdict, word);
        idempotency.remember(actor, OPERATION, effective, id.text());
      }
      return verdict.attempt();
    });
  }

  private void write(Actor actor, Job job, Attempt before, Verdict verdict, Word word) {
    Attempt attempt = verdict.attempt();
    JobElement element =
        job.array() == null
            ? null
            : transactions
                .forAllTenants(() -> jobs.element(job.id(), attempt.element()))
                .orElse(null);
    writer.write(
        List.of(
            JobTransitions.observe(
                job,
                element,
                attempt,
                verdict.event(),
                verdict.facts(),
                jobs.now(),
                actor.name())));
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("members", List.copyOf(word.members()));
    detail.put("reason", word.reason());
    audit.appendFor(
        List.of(job.tenant()),
        new AuditRecord(actor, OPERATION, attempt.id().text(), true, detail)
            .changed(before, attempt));
  }

  private Attempt attempt(AttemptId id) {
    return transactions.forAllTenants(() -> jobs.attempts(List.of(id))).stream()
        .findFirst()
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no attempt " + id.text() + "."));
  }

  private static void refuseUnknown(Attempt attempt, SortedSet<String> members) {
    NavigableSet<String> unknown = new TreeSet<>(members);
    attempt.members().stream().map(Member::key).forEach(unknown::remove);
    if (unknown.isEmpty()) {
      return;
    }
    List<String> open =
        attempt.members().stream().filter(m -> !m.dead()).map(Member::key).limit(8).toList();
    throw Refusal.field(
        "/members",
        "The attempt has no member "
            + unknown.first()
            + ". Not proven dead: "
            + (open.isEmpty() ? "none" : String.join(", ", open))
            + ".");
  }

  private static String notHeard(Attempt attempt) {
    return attempt.live()
        ? "The attempt is "
            + attempt.state()
            + ": its cluster reports its processes, so cancel the job to end it."
        : "The attempt is " + attempt.state() + " already.";
  }
}
