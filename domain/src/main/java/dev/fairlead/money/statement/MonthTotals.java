package dev.fairlead.money.statement;

import java.time.YearMonth;
import org.jspecify.annotations.Nullable;

/**
 * A statement without its possibly numerous lines.
 *
 * @param preliminary whether an hour of the month may still change
 * @param signed null until it is
 */
public record MonthTotals(
    YearMonth month,
    boolean preliminary,
    Statement.@Nullable Signature signed,
    StatementTotals totals) {
  public static MonthTotals of(Statement statement) {
    return new MonthTotals(
        statement.month(), statement.preliminary(), statement.signed(), statement.totals());
  }
}
