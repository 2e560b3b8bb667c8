package dev.fairlead.money.price.web;

import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A price as it is written. */
record CreatePriceRequest(
    @Schema(description = "Id or name; any when absent") @Nullable String cluster,
    @Schema(description = "Name of a pool; any when absent") @Nullable String pool,
    @Schema(description = "GPU model; any when absent") @Nullable String model,
    @Schema(
            description =
                "Any when absent; RESERVED is paid for its whole time, whether it is used or not")
        @Nullable CapacityType capacityType,
    @Schema(
            description =
                "Of one whole GPU, in units of the currency: 0 to 1000000 with at most 6 decimals;"
                    + " without it, give commitment or pricePerGibMonth")
        @Nullable BigDecimal pricePerGpuHour,
    @Schema(
            description =
                "Of storage: one GiB of a volume for a month of the calendar in UTC, in units of"
                    + " the currency, as pricePerGpuHour; with cluster and storageClass alone")
        @Nullable BigDecimal pricePerGibMonth,
    @Schema(description = "Of a price of storage; any when absent") @Nullable String storageClass,
    @Schema(description = "Three letters of ISO 4217, such as EUR") String currency,
    @Schema(description = "First instant at which it applies, not in the past; now when absent")
        @Nullable Instant from,
    @Schema(description = "First instant at which it no longer applies; never ends when absent")
        @Nullable Instant to,
    @Schema(
            description =
                "Id of a price for the same cluster, pool, model, capacity type or storage that"
                    + " ends where this one begins")
        @Nullable String replaces,
    @Schema(
            description =
                "GPUs that are paid for until to, used or not, in place of pricePerGpuHour")
        @Nullable Committed commitment) {
  /** The price of a GPU-hour is the amount by GPUs and hours. */
  @Schema(name = "CommitmentRequest")
  record Committed(
      @Schema(description = "Whole GPUs, 1 to 1000000") Integer gpus,
      @Schema(
              description =
                  "What all of them cost until to, in units of the currency: 0 to 1000000000 with"
                      + " at most 6 decimals")
          BigDecimal amount) {}
}
