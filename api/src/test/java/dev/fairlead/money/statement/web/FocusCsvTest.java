package dev.fairlead.money.statement.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.money.statement.Statement;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The FOCUS export of the example in the API document, and documents that are read back. */
class FocusCsvTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("fairlead.root", ".."))
          .resolve("api/src/main/resources/openapi-examples");
  private static final StatementJson JSON = new StatementJson(JsonMapper.builder().build());

  /**
   * Columns that FOCUS 1.0 requires for every charge, and conditional columns whose condition
   * applies.
   */
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
   * Fails when a required column is missing, or the shown export does not match the shown lines.
   */
  @Test
  void exampleOfTheExportMatchesTheStatement() throws IOException {
    Statement statement = JSON.read(example("getStatement.response.json"));
    String csv = FocusCsv.of(statement, FocusVersion.V1_0);
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(EXAMPLES.resolve("exportStatement.response.txt"), csv);
    }

    assertThat(csv).isEqualTo(example("exportStatement.response.txt"));
    assertThat(List.of(csv.lines().findFirst().orElseThrow().split(",")))
        .hasSize(45)
        .isSorted()
        .containsAll(REQUIRED);
  }

  /** Fails when a row of an unfinished month is not marked, or a row of another month is marked. */
  @Test
  void everyRowOfAnUnfinishedMonthIsMarked() throws IOException {
    Statement over = JSON.read(example("getStatement.response.json"));
    Statement open = over.with().preliminary(true).signed(null).build();

    assertThat(FocusCsv.of(over, FocusVersion.V1_0).lines().skip(1))
        .isNotEmpty()
        .allMatch(r -> r.endsWith(",false"));
    assertThat(FocusCsv.of(open, FocusVersion.V1_0).lines().skip(1))
        .isNotEmpty()
        .allMatch(r -> r.endsWith(",true"));
    assertThat(FocusCsv.of(open, FocusVersion.V1_0))
        .startsWith("AvailabilityZone,")
        .contains(",x_Preliminary\n");
  }

  /** Columns of FOCUS 1.2 by name, and whether they may be null here. */
  private static final Path PINNED =
      Path.of(System.getProperty("fairlead.root", ".."))
          .resolve("api/src/test/resources/focus-1.2.csv");

  /** Fails when the later version lacks a column, has one more, or is empty where it may not be. */
  @Test
  void laterVersionHasThePinnedColumnsAndFillsTheNonNullOnes() throws IOException {
    Statement signed = JSON.read(example("signStatement.response.json"));
    List<List<String>> rows = table(FocusCsv.of(signed, FocusVersion.V1_2));
    List<List<String>> pinned = table(Files.readString(PINNED));

    assertThat(rows.getFirst())
        .containsExactlyElementsOf(pinned.stream().skip(1).map(List::getFirst).toList());
    for (List<String> column : pinned.subList(1, pinned.size())) {
      int at = rows.getFirst().indexOf(column.getFirst());
      for (List<String> row : rows.subList(1, rows.size())) {
        String cell = row.get(at);
        assertThat(cell).as(column.getFirst()).matches(column.get(1));
      }
    }
  }

  /** Fails when the later version changes the common columns. */
  @Test
  void bothVersionsAgreeInTheColumnsOfTheEarlier() throws IOException {
    Statement statement = JSON.read(example("getStatement.response.json"));
    List<List<String>> early = table(FocusCsv.of(statement, FocusVersion.V1_0));
    List<List<String>> late = table(FocusCsv.of(statement, FocusVersion.V1_2));
    List<String> names = late.getFirst();

    for (int row = 0; row < early.size(); row++) {
      List<String> cells = late.get(row);
      assertThat(early.getFirst().stream().map(name -> cells.get(names.indexOf(name))).toList())
          .isEqualTo(early.get(row));
    }
  }

  /** Fails when tokens are charged in addition to the GPUs of their service. */
  @Test
  void tokensHaveAQuantityAndNoSeparateCost() throws IOException {
    Statement statement = JSON.read(example("getStatement.response.json"));
    Statement without = statement.with().tokens(List.of()).build();
    List<List<String>> rows = table(FocusCsv.of(statement, FocusVersion.V1_2));
    List<List<String>> tokens =
        rows.stream().filter(row -> of(rows, row, "ConsumedUnit").equals("Tokens")).toList();

    assertThat(tokens)
        .extracting(
            row -> of(rows, row, "BilledCost"),
            row -> of(rows, row, "ConsumedQuantity"),
            row -> of(rows, row, "x_IncludedCost"),
            row -> of(rows, row, "BillingCurrency"))
        .containsExactly(
            tuple("0.000000", "11530060", "24.643521", "EUR"),
            tuple("0.000000", "120000", "0.256479", "EUR"));
    assertThat(statement.totals()).isEqualTo(without.totals());
    assertThat(rows)
        .filteredOn(row -> !tokens.contains(row))
        .isEqualTo(table(FocusCsv.of(without, FocusVersion.V1_2)));
  }

  private static String of(List<List<String>> rows, List<String> row, String column) {
    return row.get(rows.getFirst().indexOf(column));
  }

  /** Cells without quotes, with doubled quotes inside them reduced to one. */
  private static List<List<String>> table(String csv) {
    return csv.lines()
        .map(line ->
            Pattern.compile(",(?:\"((?:[^\"]|\"\")*)\"|([^,]*))")
                .matcher("," + line)
                .results()
                .map(cell ->
                    cell.group(1) == null ? cell.group(2) : cell.group(1).replace("\"\"", "\""))
                .toList())
        .toList();
  }

  /** Fails when a document that was signed once cannot be read in every detail. */
  @Test
  void csvRoundTripIsUnchanged() throws IOException {
    Statement signed = JSON.read(example("signStatement.response.json"));
    String document = JSON.write(signed);

    assertThat(JSON.read(document)).isEqualTo(signed);
    assertThat(JSON.write(JSON.read(document))).isEqualTo(document);
    assertThat(signed.totals().micros()).containsEntry("EUR", BigInteger.valueOf(71_125_000));
  }
}
