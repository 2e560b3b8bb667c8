package dev.fairlead.statement.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.statement.Statement;
import dev.fairlead.statement.StatementStore;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.usage.HourBook;
import dev.fairlead.usage.UsageStore;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.stereotype.Service;

/** Signs statements. */
@Service
public class StatementCommands {
  private static final String SIGN = "signStatement";

  private final Statements queries;
  private final StatementStore statements;
  private final StatementDocuments documents;
  private final UsageStore usage;
  private final Transactions transactions;
  private final AuditLog audit;

  public StatementCommands(
      Statements queries,
      StatementStore statements,
      StatementDocuments documents,
      UsageStore usage,
      Transactions transactions,
      AuditLog audit) {
    this.queries = queries;
    this.statements = statements;
    this.documents = documents;
    this.usage = usage;
    this.transactions = transactions;
    this.audit = audit;
  }

  /**
   * Keeps the statement of a month as it is now; a signed one stays as it was signed, and is
   * answered again.
   *
   * @return the document
   * @throws Refusal FORBIDDEN, ILLEGAL_STATE until all hours of the month are closed, with the time
   *     at which they can be, LIMIT_EXCEEDED (too many lines)
   */
  public String sign(Actor actor, YearMonth month, boolean validateOnly) {
    Permissions.require(actor, SIGN);
    AtomicReference<String> document = new AtomicReference<>();
    transactions.runOrTry(validateOnly, () -> document.set(signed(actor, month)));
    return Objects.requireNonNull(document.get(), "the work was done");
  }

  private String signed(Actor actor, YearMonth month) {
    return statements.signed(actor.tenant(), month).orElseGet(() -> signedNow(actor, month));
  }

  private String signedNow(Actor actor, YearMonth month) {
    Instant now = Instant.ofEpochMilli(usage.now());
    Statement statement = queries.reckoned(actor, month);
    if (statement.preliminary()) {
      throw open(month, now);
    }
    String document = documents.write(statement.signed(new Statement.Signature(actor.name(), now)));
    if (!statements.sign(actor.tenant(), month, document)) {
      return signed(actor, month); // another was first, and is committed: the insert waited for it
    }
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("lines", statement.lines().size());
    statement.totals().micros().forEach((currency, micros) -> detail.put(currency, micros));
    audit.append(new AuditRecord(actor, SIGN, month.toString(), true, detail));
    return document;
  }

  private Refusal open(YearMonth month, Instant now) {
    Instant signable = Statement.end(month).plusMillis(HourBook.SETTLING_MILLIS);
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("signableFrom", signable.toString());
    String when =
        now.isBefore(signable)
            ? "It can be signed from %s on.".formatted(signable)
            : "Hours from %s on are still open, since the loop usage is late: it can be signed when the loop has closed them."
                .formatted(Instant.ofEpochMilli(usage.open()));
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Hours of %s are not closed. %s".formatted(month, when),
        List.of(),
        numbers);
  }
}
