package dev.fairlead.money.budget.postgres;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetPrices;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.price.PriceSpans;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Sums intervals of use in the unit of a budget, each span of hours at its price. */
@Component
class BudgetSums {
  private final BudgetReads reads;

  BudgetSums(BudgetReads reads) {
    this.reads = reads;
  }

  /**
   * Sums one period. Use that is recorded after its end counts at its last price.
   *
   * @param uses source with {@code froms} and {@code tos}, and one row for each place and span
   */
  BudgetSpent of(Budget budget, long beginMillis, JdbcClient.StatementSpec uses) {
    BudgetPrices prices = budget.unit().money() ? reads.prices() : BudgetPrices.NONE;
    long end = budget.period().end(beginMillis) - 1;
    PriceSpans spans = prices.spans(budget.unit(), beginMillis, end);
    List<Long> tos = new ArrayList<>(spans.begins().subList(1, spans.begins().size()));
    tos.add(Long.MAX_VALUE);
    List<BudgetSpent> sums =
        uses.param("froms", array(spans.begins()))
            .param("tos", array(tos))
            .query((row, n) ->
                BudgetPrices.spent(
                    budget.unit(),
                    spans,
                    row.getInt("span") - 1,
                    BudgetRows.place(row),
                    BudgetRows.exact(row, "milli_ms")))
            .list();
    return sums.stream().reduce(BudgetSpent.NOTHING, BudgetSpent::plus);
  }

  private static String array(List<Long> numbers) {
    return numbers.toString().replace('[', '{').replace(']', '}');
  }
}
