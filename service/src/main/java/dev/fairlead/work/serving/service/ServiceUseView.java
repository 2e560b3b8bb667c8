package dev.fairlead.work.serving.service;

import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.KeyHour;
import dev.fairlead.work.serving.key.KeyUse;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Use of a key of a model service in a period, as the API returns it. */
@RecordBuilder
@Schema(name = "ServiceUseResponse")
public record ServiceUseView(
    @Schema(description = "Start of the period") Instant begin,
    @Schema(description = "Name of the key") String key,
    @Schema(description = "Requests that reached a replica") long requests,
    @Schema(description = "Prompt tokens that the usage objects of responses report")
        long promptTokens,
    @Schema(description = "Completion tokens that the usage objects of responses report")
        long completionTokens,
    @Schema(
            description =
                "POST requests with a status below 400 and without a usage object, so their tokens"
                    + " are unknown")
        long unmeteredRequests,
    @Schema(
            description =
                "Share of the key in the cost of the replicas in the period, by tokens, in units of"
                    + " the currency. Null if it is unknown")
        @Nullable BigDecimal cost,
    @Schema(
            description =
                "Cost of the replicas in the period for 1,000 tokens of all keys. Null if it is"
                    + " unknown")
        @Nullable BigDecimal costPerThousandTokens,
    @Schema(description = "Currency of both amounts (ISO 4217), null if neither is known")
        @Nullable String currency,
    @Schema(
            description =
                "Reason why both amounts are unknown, or null: NO_GPU_TIME if no replica held a"
                    + " GPU, NO_PRICE if a GPU has no price, CURRENCIES if prices have different"
                    + " currencies, or NO_TOKENS if no response reported tokens")
        ServiceCost.@Nullable Unknown costUnknown) {
  /**
   * @param cost cost of the replicas in the period
   * @param all tokens of all keys in the period
   */
  static ServiceUseView of(KeyHour used, ServiceCost cost, long all) {
    KeyUse use = used.use();
    ServiceCost.Unknown unknown = cost.unknown(all).orElse(null);
    return ServiceUseViewBuilder.builder()
        .begin(used.hour())
        .key(used.key().name())
        .requests(use.requests())
        .promptTokens(use.promptTokens())
        .completionTokens(use.completionTokens())
        .unmeteredRequests(use.unmetered())
        .cost(cost.share(use.tokens(), all).orElse(null))
        .costPerThousandTokens(cost.perThousand(all).orElse(null))
        .currency(unknown == null ? cost.currency() : null)
        .costUnknown(unknown)
        .build();
  }
}
