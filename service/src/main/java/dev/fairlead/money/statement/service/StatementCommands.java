package dev.fairlead.money.statement.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.statement.StatementTotals;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

@Service
public class StatementCommands {
  private static final String SIGN = "signStatement";

  private final Statements queries;
  private final StatementStore statements;
  private final StatementDocuments documents;
  private final UseLedger ledger;
  private final Transactions transactions;
  private final AuditLog audit;

  public StatementCommands(
      Statements queries,
      StatementStore statements,
      StatementDocuments documents,
      UseLedger ledger,
      Transactions transactions,
      AuditLog audit) {
    this.queries = queries;
    this.statements = statements;
    this.documents = documents;
    this.ledger = ledger;
    this.transactions = transactions;
    this.audit = audit;
  }

  /**
   * Signs the current statement of a month. A signed statement does not change, and is returned
   * again.
   *
   * @return the document. For a dry run of a month that is not signed, the document without a
   *     signature
   * @throws Refusal FORBIDDEN, ILLEGAL_STATE until all hours of the month are closed, with the time
   *     at which they can be, LIMIT_EXCEEDED (too many lines)
   */
  public String sign(Actor actor, YearMonth month, boolean validateOnly) {
    Permissions.require(actor, SIGN);
    return transactions.callOrTry(validateOnly, () -> signed(actor, month, validateOnly));
  }

  private String signed(Actor actor, YearMonth month, boolean trial) {
    return statements.signed(actor.tenant(), month).orElseGet(() -> signedNow(actor, month, trial));
  }

  private String signedNow(Actor actor, YearMonth month, boolean trial) {
    Instant now = Instant.ofEpochMilli(ledger.now());
    Statement statement = queries.reckoned(actor, month);
    if (statement.preliminary()) {
      throw open(month, now);
    }
    String document = documents.write(statement.signed(new Statement.Signature(actor.name(), now)));
    if (!statements.sign(actor.tenant(), month, document)) {
      return signed(actor, month, trial); // another signature was committed first
    }
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put(
        "lines", statement.lines().size() + statement.volumes().size() + statement.tokens().size());
    detail.put("amounts", amounts(statement.totals()));
    audit.append(
        new AuditRecord(actor, SIGN, month.toString(), true, detail).changed(null, document));
    return trial ? documents.write(statement) : document;
  }

  /** Formats amounts for messages, such as {@code 4.100000 EUR, 1.000000 USD}. */
  private static String amounts(StatementTotals totals) {
    return totals.micros().entrySet().stream()
        .map(sum ->
            new BigDecimal(sum.getValue(), Money.MICRO_DIGITS).toPlainString() + " " + sum.getKey())
        .collect(Collectors.joining(", "));
  }

  private Refusal open(YearMonth month, Instant now) {
    Instant signable = Statement.end(month).plusMillis(HourBook.SETTLING_MILLIS);
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("signableFrom", signable.toString());
    String when =
        now.isBefore(signable)
            ? "It can be signed from %s on.".formatted(signable)
            : "Hours since %s are still open, because the loop usage is late. The statement can be signed when the loop has closed them."
                .formatted(Instant.ofEpochMilli(ledger.open()));
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Hours of %s are not closed. %s".formatted(month, when),
        List.of(),
        numbers);
  }
}
