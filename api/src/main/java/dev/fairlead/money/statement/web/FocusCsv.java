package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.TokenLine;
import dev.fairlead.money.statement.VolumeLine;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A statement in the columns of the FinOps Open Cost and Usage Specification (FOCUS) 1.0 or 1.2
 * (https://focus.finops.org), one row for each line. A project is a sub-account, a cluster is a
 * region, and a queue, a volume or a model service is a resource. The cost of idle capacity is an
 * adjustment of the account. Use without a price costs 0 in the ISO 4217 code for no currency.
 */
final class FocusCsv {
  private static final BigDecimal GPU_HOUR = BigDecimal.valueOf(3_600_000_000L);
  private static final int QUANTITY_DIGITS = 12;
  private static final String UNIT = "GPU-Hours";
  private static final String ISSUER = "Fairlead";

  /** The code of ISO 4217 for transactions without a currency. */
  static final String NO_CURRENCY = "X".repeat(3);

  /** Columns with the cost of a row, and with its unit price. */
  static final List<String> AMOUNTS =
      List.of(
          "BilledCost",
          "ContractedCost",
          "ContractedUnitPrice",
          "EffectiveCost",
          "ListCost",
          "ListUnitPrice",
          "PricingCurrencyContractedUnitPrice",
          "PricingCurrencyEffectiveCost",
          "PricingCurrencyListUnitPrice");

  private static final String NOTHING = "";
  private static final String ACCOUNT = "Tenant";
  private static final String SUBCATEGORY = "Containers";

  /** A custom column, named as FOCUS requires. */
  private static final String PRELIMINARY = "x_Preliminary";

  private FocusCsv() {}

  private record Row(Statement statement, StatementLine line) {}

  private record Column(String name, FocusVersion since, Function<Row, String> of) {
    Column(String name, Function<Row, String> of) {
      this(name, FocusVersion.V1_0, of);
    }
  }

  /** A column of a version after 1.0. */
  private static Column later(String name, Function<Row, String> of) {
    return new Column(name, FocusVersion.V1_2, of);
  }

  private static final List<Column> COLUMNS =
      List.of(
          new Column("AvailabilityZone", row -> NOTHING),
          new Column("BilledCost", FocusCsv::cost),
          new Column("BillingAccountId", row -> row.statement.tenant().text()),
          new Column("BillingAccountName", row -> row.statement.tenantName()),
          later("BillingAccountType", row -> ACCOUNT),
          new Column("BillingCurrency", FocusCsv::currency),
          new Column("BillingPeriodEnd", row -> Statement.end(row.statement.month()).toString()),
          new Column(
              "BillingPeriodStart", row -> Statement.begin(row.statement.month()).toString()),
          later("CapacityReservationId", row -> NOTHING),
          later("CapacityReservationStatus", row -> NOTHING),
          new Column("ChargeCategory", row -> "Usage"),
          new Column("ChargeClass", row -> NOTHING),
          new Column("ChargeDescription", FocusCsv::description),
          new Column("ChargeFrequency", row -> "Usage-Based"),
          new Column("ChargePeriodEnd", row -> row.line.to().toString()),
          new Column("ChargePeriodStart", row -> row.line.from().toString()),
          new Column("CommitmentDiscountCategory", row -> NOTHING),
          new Column("CommitmentDiscountId", row -> NOTHING),
          new Column("CommitmentDiscountName", row -> NOTHING),
          later("CommitmentDiscountQuantity", row -> NOTHING),
          new Column("CommitmentDiscountStatus", row -> NOTHING),
          new Column("CommitmentDiscountType", row -> NOTHING),
          later("CommitmentDiscountUnit", row -> NOTHING),
          new Column("ConsumedQuantity", FocusCsv::quantity),
          new Column("ConsumedUnit", row -> UNIT),
          new Column("ContractedCost", FocusCsv::cost),
          new Column("ContractedUnitPrice", FocusCsv::unitPrice),
          new Column("EffectiveCost", FocusCsv::cost),
          later("InvoiceId", row -> invoice(row.statement)),
          new Column("InvoiceIssuerName", row -> ISSUER),
          new Column("ListCost", FocusCsv::cost),
          new Column("ListUnitPrice", FocusCsv::unitPrice),
          new Column("PricingCategory", FocusCsv::pricing),
          later("PricingCurrency", FocusCsv::currency),
          later("PricingCurrencyContractedUnitPrice", FocusCsv::unitPrice),
          later("PricingCurrencyEffectiveCost", FocusCsv::cost),
          later("PricingCurrencyListUnitPrice", FocusCsv::unitPrice),
          new Column("PricingQuantity", FocusCsv::quantity),
          new Column("PricingUnit", row -> UNIT),
          new Column("ProviderName", row -> ISSUER),
          new Column("PublisherName", row -> ISSUER),
          new Column("RegionId", row -> row.line.key().cluster().text()),
          new Column("RegionName", row -> row.line.names().cluster()),
          new Column("ResourceId", row -> row.line.key().queue().text()),
          new Column("ResourceName", row -> row.line.names().queue()),
          new Column("ResourceType", row -> "Queue"),
          new Column("ServiceCategory", row -> "Compute"),
          new Column("ServiceName", row -> "GPU compute"),
          later("ServiceSubcategory", row -> SUBCATEGORY),
          new Column("SkuId", row -> row.line.key().flavor().text()),
          later("SkuMeter", row -> "GPU time"),
          later("SkuPriceDetails", FocusCsv::priceDetails),
          new Column("SkuPriceId", FocusCsv::price),
          new Column("SubAccountId", row -> row.line.key().project().text()),
          new Column("SubAccountName", row -> row.line.names().project()),
          later("SubAccountType", row -> "Project"),
          new Column("Tags", FocusCsv::tags),
          new Column(FocusTokens.INCLUDED, row -> NOTHING),
          new Column(PRELIMINARY, row -> preliminary(row.statement)));

  /** Writes UTF-8 with line feeds, with the column names in the first line (RFC 4180). */
  static String of(Statement statement, FocusVersion version) {
    List<Column> columns = COLUMNS.stream().filter(column -> version.has(column.since())).toList();
    StringBuilder csv = new StringBuilder(joined(columns, Column::name));
    for (StatementLine line : statement.lines()) {
      Row row = new Row(statement, line);
      csv.append(joined(columns, column -> quoted(column.of().apply(row))));
    }
    for (VolumeLine line : statement.volumes()) {
      csv.append(cells(columns, FocusVolume.row(statement, line)));
    }
    for (TokenLine line : statement.tokens()) {
      csv.append(cells(columns, FocusTokens.row(statement, line)));
    }
    for (IdleLine share : statement.idle()) {
      csv.append(cells(columns, FocusIdle.row(statement, share)));
    }
    return csv.toString();
  }

  private static String cells(List<Column> columns, Map<String, String> row) {
    return joined(columns, column -> quoted(row.getOrDefault(column.name(), NOTHING)));
  }

  /** Columns of all rows of a statement. */
  static void ofAccount(Statement statement, Map<String, String> row) {
    row.put("BillingAccountId", statement.tenant().text());
    row.put("BillingAccountName", statement.tenantName());
    row.put("BillingAccountType", ACCOUNT);
    row.put("InvoiceId", invoice(statement));
    row.put("ServiceSubcategory", SUBCATEGORY);
    row.put("BillingPeriodEnd", Statement.end(statement.month()).toString());
    row.put("BillingPeriodStart", Statement.begin(statement.month()).toString());
    row.put("InvoiceIssuerName", ISSUER);
    row.put("ProviderName", ISSUER);
    row.put("PublisherName", ISSUER);
    row.put("ServiceCategory", "Compute");
    row.put("ServiceName", "GPU compute");
    row.put(PRELIMINARY, preliminary(statement));
  }

  private static String preliminary(Statement statement) {
    return String.valueOf(statement.preliminary());
  }

  private static String joined(List<Column> columns, Function<Column, String> cell) {
    return columns.stream().map(cell).collect(Collectors.joining(",", "", "\n"));
  }

  private static String quoted(String cell) {
    boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
  }

  /** A signed statement is an invoice. */
  private static String invoice(Statement statement) {
    return statement.signed() == null
        ? NOTHING
        : statement.tenant().text() + "/" + statement.month();
  }

  /** Properties outside the specification begin with x_. */
  private static String priceDetails(Row row) {
    return row.line.charge() == null
        ? NOTHING
        : "{\"GpuCount\":1,\"x_CapacityType\":\"%s\",\"x_GpuModel\":\"%s\"}"
            .formatted(row.line.key().flavor().capacity(), row.line.key().flavor().model());
  }

  private static String price(Row row) {
    StatementLine.Charge charge = row.line.charge();
    return charge == null ? NOTHING : charge.price().text();
  }

  private static String cost(Row row) {
    StatementLine.Charge charge = row.line.charge();
    return StatementLines.amount(charge == null ? BigInteger.ZERO : charge.micros())
        .toPlainString();
  }

  private static String unitPrice(Row row) {
    StatementLine.Charge charge = row.line.charge();
    return (charge == null
            ? StatementLines.amount(BigInteger.ZERO)
            : StatementLines.amount(charge.perGpuHour()))
        .toPlainString();
  }

  private static String currency(Row row) {
    StatementLine.Charge charge = row.line.charge();
    return charge == null ? NO_CURRENCY : charge.perGpuHour().currency();
  }

  private static String quantity(Row row) {
    return gpuHours(BigDecimal.valueOf(row.line.milliMillis()));
  }

  /** Writes all decimals of a quantity. */
  static String gpuHours(BigDecimal milliMillis) {
    return milliMillis.divide(GPU_HOUR, QUANTITY_DIGITS, RoundingMode.HALF_EVEN).toPlainString();
  }

  /**
   * Reserved capacity is paid whether it is used or not. Discounts of a provider are not shown
   * separately.
   */
  private static String pricing(Row row) {
    return switch (row.line.key().flavor().capacity()) {
      case ON_DEMAND -> "Standard";
      case SPOT -> "Dynamic";
      case RESERVED -> "Other";
    };
  }

  private static String description(Row row) {
    return "GPU-hours of %s%s"
        .formatted(
            row.line.key().flavor().text(), row.line.charge() == null ? " without a price" : "");
  }

  /**
   * Names of pools are Kubernetes labels, and cost centres are equally plain: neither needs an
   * escape.
   */
  private static String tags(Row row) {
    String centre = row.line.names().costCentre();
    return "{\"capacity\":\"%s\",%s\"model\":\"%s\",\"pool\":\"%s\"}"
        .formatted(
            row.line.key().flavor().capacity(),
            centre == null ? NOTHING : "\"costCentre\":\"" + centre + "\",",
            row.line.key().flavor().model(),
            row.line.key().pool());
  }
}
