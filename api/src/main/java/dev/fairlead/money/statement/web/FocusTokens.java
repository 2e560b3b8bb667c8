package dev.fairlead.money.statement.web;

import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.TokenLine;
import java.util.Map;
import java.util.TreeMap;

/**
 * Use of a key of a model service as a row of FOCUS: the service is the resource, with its
 * consumption in tokens. The row has cost 0, because the GPU rows include its cost. A custom column
 * shows the cost. Other columns are empty.
 */
final class FocusTokens {
  /** A custom column, named as FOCUS requires. */
  static final String INCLUDED = "x_IncludedCost";

  private static final String UNIT = "Tokens";
  private static final String NOTHING = "0.000000";

  private FocusTokens() {}

  static Map<String, String> row(Statement statement, TokenLine line) {
    Map<String, String> row = new TreeMap<>();
    FocusCsv.ofAccount(statement, row);
    ofService(line, row);
    ofMoney(line, row);
    String tokens = String.valueOf(line.use().tokens());
    row.put("ChargePeriodStart", Statement.begin(statement.month()).toString());
    row.put("ChargePeriodEnd", Statement.end(statement.month()).toString());
    row.put("ConsumedQuantity", tokens);
    row.put("ConsumedUnit", UNIT);
    row.put("PricingQuantity", tokens);
    row.put("PricingUnit", UNIT);
    row.put("SubAccountId", line.project().text());
    row.put("SubAccountName", line.names().project());
    row.put("SubAccountType", "Project");
    row.put("Tags", tags(line));
    return row;
  }

  private static void ofService(TokenLine line, Map<String, String> row) {
    row.put("ServiceCategory", "AI and Machine Learning");
    row.put("ServiceName", "Model services");
    row.put("ServiceSubcategory", "Machine Learning");
    row.put("ResourceId", line.service().text());
    row.put("ResourceName", line.names().service());
    row.put("ResourceType", "Model service");
    row.put("SkuId", "tokens");
    row.put("SkuMeter", UNIT);
  }

  private static void ofMoney(TokenLine line, Map<String, String> row) {
    TokenLine.Share share = line.share();
    String currency = share == null ? FocusCsv.NO_CURRENCY : share.currency();
    for (String cost : FocusCsv.AMOUNTS) {
      row.put(cost, NOTHING);
    }
    row.put("BillingCurrency", currency);
    row.put("PricingCurrency", currency);
    row.put("PricingCategory", "Other");
    row.put("ChargeCategory", "Usage");
    row.put(
        "ChargeDescription",
        "Tokens of key %s of model service %s, which GPU compute includes"
            .formatted(line.key().name(), line.names().service()));
    row.put("ChargeFrequency", "Usage-Based");
    if (share != null) {
      row.put(INCLUDED, StatementLines.amount(share.micros()).toPlainString());
    }
  }

  /** Names of keys are DNS labels and cost centres are equally plain: neither needs an escape. */
  private static String tags(TokenLine line) {
    String centre = line.names().costCentre();
    return "{\"completionTokens\":\"%d\",%s\"key\":\"%s\",\"promptTokens\":\"%d\",\"requests\":\"%d\",\"unmeteredRequests\":\"%d\"}"
        .formatted(
            line.use().completionTokens(),
            centre == null ? "" : "\"costCentre\":\"" + centre + "\",",
            line.key().name(),
            line.use().promptTokens(),
            line.use().requests(),
            line.use().unmetered());
  }
}
