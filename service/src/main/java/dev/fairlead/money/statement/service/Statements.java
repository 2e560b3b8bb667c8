package dev.fairlead.money.statement.service;

import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.statement.Corrections;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.LineSums;
import dev.fairlead.money.statement.MonthTotals;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementBuilder;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.statement.StatementSums;
import dev.fairlead.money.statement.StatementTotals;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.statement.VolumeLine;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Monthly statements of the current tenant: the signed document of a signed month, otherwise the
 * result of the current hours and price book. The whole price book applies, even for pools that the
 * tenant can no longer read.
 */
@Service
public class Statements {
  /** Maximum number of months of one list. */
  public static final int MOST_MONTHS = 36;

  private static final Duration DEVICES_KEPT = Ages.DEFAULT.of(RetentionStore.Kind.USAGE);

  private final StatementStore statements;
  private final StatementDocuments documents;
  private final UseLedger ledger;
  private final IdleCostQueries idle;
  private final VolumeCosts volumes;
  private final TokenCosts tokens;
  private final PriceStore prices;
  private final TenantStore tenants;
  private final Transactions transactions;

  public Statements(
      StatementStore statements,
      StatementDocuments documents,
      UseLedger ledger,
      IdleCostQueries idle,
      VolumeCosts volumes,
      TokenCosts tokens,
      PriceStore prices,
      TenantStore tenants,
      Transactions transactions) {
    this.statements = statements;
    this.documents = documents;
    this.ledger = ledger;
    this.idle = idle;
    this.volumes = volumes;
    this.tokens = tokens;
    this.prices = prices;
    this.tenants = tenants;
    this.transactions = transactions;
  }

  /**
   * The served text.
   *
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED (too many lines)
   */
  public String document(Actor actor, YearMonth month) {
    Permissions.require(actor, "getStatement");
    return transactions.read(() ->
        statements
            .signed(actor.tenant(), month)
            .orElseGet(() -> documents.write(reckoned(actor, month))));
  }

  /**
   * Totals of the statements of the months, in order. Each may have any number of lines. No line is
   * held in memory.
   *
   * @param to last month
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED (more than {@link #MOST_MONTHS} months)
   */
  public List<MonthTotals> list(Actor actor, YearMonth from, YearMonth to) {
    Permissions.require(actor, "listStatements");
    if (from.plusMonths(MOST_MONTHS).compareTo(to) <= 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%s to %s is more than %d months. Request fewer months."
              .formatted(from, to, MOST_MONTHS));
    }
    List<MonthTotals> all = new ArrayList<>();
    for (YearMonth month = from; month.compareTo(to) <= 0; month = month.plusMonths(1)) {
      YearMonth each = month;
      all.add(transactions.read(() -> totals(actor, each)));
    }
    return all;
  }

  private MonthTotals totals(Actor actor, YearMonth month) {
    return statements
        .signed(actor.tenant(), month)
        .map(document -> MonthTotals.of(documents.read(document)))
        .orElseGet(() -> reckonedTotals(actor, month));
  }

  private MonthTotals reckonedTotals(Actor actor, YearMonth month) {
    PriceSpans spans = spans(month);
    boolean preliminary = ledger.open() < spans.endMillis();
    StatementTotals.Sum sum = new StatementTotals.Sum();
    LineSums lines = new LineSums(spans, sum::add);
    StatementUse.each(ledger, actor.tenant(), spans, lines::add);
    lines.end();
    volumes.lines(actor.tenant(), month, spans, now(), sum::add);
    idle.shares(actor.tenant(), month, spans).forEach(sum::add);
    return new MonthTotals(month, preliminary, null, sum.totals());
  }

  private Instant now() {
    return Instant.ofEpochMilli(ledger.now());
  }

  private PriceSpans spans(YearMonth month) {
    return new PriceSpans(prices.book(), Statement.begin(month), Statement.end(month));
  }

  /**
   * The content of the document.
   *
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED (too many lines)
   */
  public Statement statement(Actor actor, YearMonth month) {
    Permissions.require(actor, "exportStatement");
    return read(actor, month);
  }

  private Statement read(Actor actor, YearMonth month) {
    return transactions.read(() ->
        statements
            .signed(actor.tenant(), month)
            .map(documents::read)
            .orElseGet(() -> reckoned(actor, month)));
  }

  /**
   * Returns the use of the month by device, until now in the current month.
   *
   * @param after last key of the page before, null for the first page
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED for a month without stored intervals of use
   */
  public List<DeviceUse> devices(
      Actor actor, YearMonth month, DeviceUse.@Nullable Key after, int limit) {
    Permissions.require(actor, "listStatementDevices");
    Instant from = Statement.begin(month);
    Instant now = now();
    if (from.isBefore(now.minus(DEVICES_KEPT))) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Use by device is stored for %d days, which do not cover all of %s. Request a later month."
              .formatted(DEVICES_KEPT.toDays(), month));
    }
    Instant end = Statement.end(month);
    Instant to = end.isAfter(now) ? now : end;
    return from.isBefore(to)
        ? statements.devices(actor.tenant(), from, to, after, limit)
        : List.of();
  }

  /** Rows to add to a signed statement. */
  public record CorrectionLines(
      List<StatementLine> lines, List<VolumeLine> volumes, List<IdleLine> idle) {}

  /**
   * Differences between a signed month and its current result, as rows to add to the month.
   *
   * @throws Refusal FORBIDDEN, ILLEGAL_STATE while it is not signed
   */
  public CorrectionLines corrections(Actor actor, YearMonth month) {
    Permissions.require(actor, "getStatementCorrections");
    return transactions.read(() -> {
      String signed =
          statements
              .signed(actor.tenant(), month)
              .orElseThrow(() ->
                  new Refusal(
                      ProblemCode.ILLEGAL_STATE,
                      ("The statement of %s is not signed: it shows the current state of its"
                              + " hours and has no corrections.")
                          .formatted(month)));
      Statement was = documents.read(signed);
      Statement now = reckoned(actor, month);
      return new CorrectionLines(
          Corrections.between(was.lines(), now.lines()),
          volumesAreKnown(month) ? Corrections.ofVolumes(was.volumes(), now.volumes()) : List.of(),
          Corrections.ofIdle(was.idle(), now.idle()));
    });
  }

  /** Returns whether all volumes that ended in the month are still stored. */
  private boolean volumesAreKnown(YearMonth month) {
    return Statement.begin(month).isAfter(now().minus(VolumeStay.KEPT_FOR));
  }

  /** Computes the statement by the current hours and prices, in the open transaction. */
  Statement reckoned(Actor actor, YearMonth month) {
    PriceSpans spans = spans(month);
    boolean preliminary = ledger.open() < spans.endMillis();
    StatementSums sums = new StatementSums(spans);
    StatementUse.each(ledger, actor.tenant(), spans, sums::add);
    volumes.lines(actor.tenant(), month, spans, now(), sums::add);
    tokens.lines(actor.tenant(), month, sums::add);
    String tenant =
        tenants.tenant(actor.tenant()).map(Tenant::name).orElseGet(() -> actor.tenant().text());
    return StatementBuilder.builder()
        .tenant(actor.tenant())
        .tenantName(tenant)
        .month(month)
        .preliminary(preliminary)
        .signed(null)
        .lines(sums.lines())
        .volumes(sums.volumes())
        .tokens(sums.tokens())
        .idle(idle.shares(actor.tenant(), month, spans))
        .build();
  }
}
