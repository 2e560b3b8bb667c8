package dev.fairlead.statement.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.statement.Statement;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The export as FOCUS, by the example of the API's document, and documents that are read back. */
class FocusCsvTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("fairlead.root", ".."))
          .resolve("api/src/main/resources/openapi-examples");
  private static final StatementJson JSON = new StatementJson(JsonMapper.builder().build());

  /** Columns that FOCUS 1.0 requires of every charge, and those whose condition we meet. */
  private static final List<String> REQUIRED =
      List.of(
          "BilledCost",
          "BillingAccountId",
          "BillingAccountName",
          "BillingCurrency",
          "BillingPeriodEnd",
          "BillingPeriodStart",
          "ChargeCategory",
          "ChargeClass",
          "ChargeDescription",
          "ChargePeriodEnd",
          "ChargePeriodStart",
          "ContractedCost",
          "EffectiveCost",
          "InvoiceIssuerName",
          "ListCost",
          "PricingQuantity",
          "PricingUnit",
          "ProviderName",
          "PublisherName",
          "ServiceCategory",
          "ServiceName");

  private static String example(String name) throws IOException {
    return Files.readString(EXAMPLES.resolve(name));
  }

  /**
   * Fails when a required column is missing, or the shown export is not that of the shown lines.
   */
  @Test
  void theExampleOfTheExportIsThatOfTheStatement() throws IOException {
    String csv = FocusCsv.of(JSON.read(example("getStatement.response.json")));
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(EXAMPLES.resolve("exportStatement.response.txt"), csv);
    }

    assertThat(csv).isEqualTo(example("exportStatement.response.txt"));
    assertThat(List.of(csv.lines().findFirst().orElseThrow().split(",")))
        .hasSize(44)
        .isSorted()
        .containsAll(REQUIRED);
  }

  /** Fails when a row of a month that is not over does not say so, or one of another month does. */
  @Test
  void everyRowOfAnUnfinishedMonthIsMarked() throws IOException {
    Statement over = JSON.read(example("getStatement.response.json"));
    Statement open =
        new Statement(
            over.tenant(), over.tenantName(), over.month(), true, null, over.lines(), over.idle());

    assertThat(FocusCsv.of(over).lines().skip(1)).isNotEmpty().allMatch(r -> r.endsWith(",false"));
    assertThat(FocusCsv.of(open).lines().skip(1)).isNotEmpty().allMatch(r -> r.endsWith(",true"));
    assertThat(FocusCsv.of(open)).startsWith("AvailabilityZone,").contains(",x_Preliminary\n");
  }

  /** Fails when a document that was signed once cannot be read in every detail. */
  @Test
  void whatIsReadIsWrittenAgainAsItWas() throws IOException {
    Statement signed = JSON.read(example("signStatement.response.json"));
    String document = JSON.write(signed);

    assertThat(JSON.read(document)).isEqualTo(signed);
    assertThat(JSON.write(JSON.read(document))).isEqualTo(document);
    assertThat(signed.totals().micros()).containsEntry("EUR", BigInteger.valueOf(31_125_000));
  }
}
