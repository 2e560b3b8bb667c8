package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.Statement;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A tenant's share of the cost of idle capacity as a row of FOCUS: an adjustment of the whole
 * account, without a project, a resource or a quantity. Other columns are empty.
 */
final class FocusIdle {
  private FocusIdle() {}

  static Map<String, String> row(Statement statement, IdleLine share) {
    IdleLine.Key key = share.key();
    String amount = StatementLines.amount(share.micros()).toPlainString();
    Map<String, String> row = new TreeMap<>();
    FocusCsv.ofAccount(statement, row);
    row.put("BilledCost", amount);
    row.put(
        "BillingCurrency",
        Objects.requireNonNull(key.perGpuHour(), "a share has a price").currency());
    row.put("ChargeCategory", "Adjustment");
    row.put(
        "ChargeDescription",
        "%s of %s of capacity that no job used: %s, %s"
            .formatted(
                key.owner() == null ? "Share" : "All",
                key.flavor().text(),
                key.bucket(),
                key.rule()));
    row.put("ChargeFrequency", "Recurring");
    row.put("ChargePeriodEnd", Statement.end(statement.month()).toString());
    row.put("ChargePeriodStart", Statement.begin(statement.month()).toString());
    row.put("ContractedCost", amount);
    row.put("PricingCurrency", Objects.requireNonNull(key.perGpuHour()).currency());
    row.put("PricingCurrencyEffectiveCost", amount);
    row.put("EffectiveCost", amount);
    row.put("ListCost", amount);
    row.put(
        "Tags",
        "{\"bucket\":\"%s\",\"capacity\":\"%s\",\"gpuHours\":\"%s\",\"model\":\"%s\",\"rule\":\"%s\"}"
            .formatted(
                key.bucket(),
                key.flavor().capacity(),
                FocusCsv.gpuHours(new BigDecimal(share.milliMillis())),
                key.flavor().model(),
                key.rule()));
    return row;
  }
}
