package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.VolumeLine;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;

/**
 * A line of a volume as a row of FOCUS: the volume is the resource, with its consumption in
 * GiB-hours and its price in GiB-months. Other columns are empty.
 */
final class FocusVolume {
  private static final BigDecimal HOUR = BigDecimal.valueOf(3_600_000);
  private static final int DIGITS = 12;
  private static final String SKU = "storage";

  private FocusVolume() {}

  static Map<String, String> row(Statement statement, VolumeLine line) {
    Map<String, String> row = new TreeMap<>();
    FocusCsv.ofAccount(statement, row);
    ofService(line, row);
    ofTime(line, row);
    ofMoney(line, row);
    String gibHours = quantity(line, HOUR);
    long month =
        Duration.between(Statement.begin(statement.month()), Statement.end(statement.month()))
            .toMillis();
    row.put("ConsumedQuantity", gibHours);
    row.put("ConsumedUnit", "GiB-Hours");
    row.put("PricingQuantity", quantity(line, BigDecimal.valueOf(month)));
    row.put("PricingUnit", "GiB-Months");
    row.put("RegionId", line.key().cluster().text());
    row.put("RegionName", line.names().cluster());
    row.put("ResourceId", line.key().volume().text());
    row.put("ResourceName", line.names().volume());
    row.put("ResourceType", "Volume");
    row.put("SubAccountId", line.key().project().text());
    row.put("SubAccountName", line.names().project());
    row.put("SubAccountType", "Project");
    row.put("Tags", tags(line));
    return row;
  }

  private static void ofService(VolumeLine line, Map<String, String> row) {
    String storageClass = line.key().storageClass();
    row.put("ServiceCategory", "Storage");
    row.put("ServiceName", "Volumes");
    row.put("ServiceSubcategory", "Other (Storage)");
    row.put("SkuId", storageClass == null ? SKU : SKU + "/" + storageClass);
    row.put("SkuMeter", "Storage held");
    if (storageClass != null && line.charge() != null) {
      row.put("SkuPriceDetails", "{\"StorageClass\":\"%s\"}".formatted(storageClass));
    }
  }

  /**
   * FOCUS uses whole seconds, so the interval is widened to whole seconds around the time of the
   * line.
   */
  private static void ofTime(VolumeLine line, Map<String, String> row) {
    Instant end = line.to().truncatedTo(ChronoUnit.SECONDS);
    row.put("ChargePeriodStart", line.from().truncatedTo(ChronoUnit.SECONDS).toString());
    row.put("ChargePeriodEnd", (end.equals(line.to()) ? end : end.plusSeconds(1)).toString());
  }

  private static void ofMoney(VolumeLine line, Map<String, String> row) {
    VolumeLine.Charge charge = line.charge();
    String cost =
        StatementLines.amount(charge == null ? BigInteger.ZERO : charge.micros()).toPlainString();
    String unitPrice =
        (charge == null
                ? StatementLines.amount(BigInteger.ZERO)
                : StatementLines.amount(charge.perGibMonth()))
            .toPlainString();
    String currency = charge == null ? FocusCsv.NO_CURRENCY : charge.perGibMonth().currency();
    row.put("BilledCost", cost);
    row.put("BillingCurrency", currency);
    row.put("ChargeCategory", "Usage");
    row.put(
        "ChargeDescription",
        "GiB-hours of a volume of %d GiB%s"
            .formatted(line.key().sizeGib(), charge == null ? " without a price" : ""));
    row.put("ChargeFrequency", "Usage-Based");
    row.put("ContractedCost", cost);
    row.put("ContractedUnitPrice", unitPrice);
    row.put("EffectiveCost", cost);
    row.put("ListCost", cost);
    row.put("ListUnitPrice", unitPrice);
    row.put("PricingCategory", "Standard");
    row.put("PricingCurrency", currency);
    row.put("PricingCurrencyContractedUnitPrice", unitPrice);
    row.put("PricingCurrencyEffectiveCost", cost);
    row.put("PricingCurrencyListUnitPrice", unitPrice);
    row.put("SkuPriceId", charge == null ? "" : charge.price().text());
  }

  private static String quantity(VolumeLine line, BigDecimal unit) {
    return new BigDecimal(line.gibMillis())
        .divide(unit, DIGITS, RoundingMode.HALF_EVEN)
        .toPlainString();
  }

  /**
   * Storage classes are Kubernetes names, and cost centres are equally plain: neither needs an
   * escape.
   */
  private static String tags(VolumeLine line) {
    String centre = line.names().costCentre();
    String storageClass = line.key().storageClass();
    return "{%s\"sizeGib\":\"%d\"%s}"
        .formatted(
            centre == null ? "" : "\"costCentre\":\"" + centre + "\",",
            line.key().sizeGib(),
            storageClass == null ? "" : ",\"storageClass\":\"" + storageClass + "\"");
  }
}
