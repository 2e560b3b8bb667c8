package dev.fairlead.money.price.web;

import dev.fairlead.kernel.body.AmountFields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Commitment;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A price of GPUs, of storage or of a commitment. */
record CreatePriceRequest(
    @Schema(description = "Id or name of the cluster. Any cluster when absent")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String cluster,
    @Schema(description = "Name of the pool. Any pool when absent")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Nullable String pool,
    @Schema(description = "GPU model. Any model when absent")
        @Size(min = 1, max = Names.LONGEST_LABEL)
        @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
        @Nullable String model,
    @Schema(
            description =
                "Capacity type. Any type when absent. RESERVED capacity is paid for its whole"
                    + " period, used or not")
        @Nullable CapacityType capacityType,
    @Schema(
            description =
                "Price of one whole GPU for one hour, in units of the currency: 0 to"
                    + " 1000000 with at most 6 decimals. Required unless commitment or"
                    + " pricePerGibMonth is given")
        @Min(0)
        @Max(1_000_000)
        @Nullable BigDecimal pricePerGpuHour,
    @Schema(
            description =
                "Price of one GiB of a volume for a calendar month in UTC, in units of the"
                    + " currency: 0 to 1000000 with at most 6 decimals. May be combined with"
                    + " cluster and storageClass only")
        @Min(0)
        @Max(1_000_000)
        @Nullable BigDecimal pricePerGibMonth,
    @Schema(description = "Storage class of a storage price. Any class when absent")
        @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String storageClass,
    @Schema(description = "Currency code of three letters (ISO 4217), such as EUR")
        @Pattern(regexp = "^[A-Z]{3}$", message = "must be three letters of ISO 4217 such as EUR")
        String currency,
    @Schema(description = "Start of the price. It cannot be in the past. Default: now")
        @Nullable Instant from,
    @Schema(description = "End of the price, exclusive. No end when absent") @Nullable Instant to,
    @Schema(
            description =
                "Id of the price that ends at the start of this one. It must have the same"
                    + " cluster, pool, model, capacity type or storage")
        @Nullable String replaces,
    @Schema(
            description =
                "Number of GPUs that are paid for until the end of the price, used or not. Excludes"
                    + " pricePerGpuHour")
        @Valid
        @Nullable Committed commitment)
    implements RequestRules {
  private static final List<String> OF_GPUS =
      List.of("pool", "model", "capacityType", "pricePerGpuHour", "commitment");

  /** The price of a GPU-hour is the amount divided by GPUs and hours. */
  @Schema(name = "CommitmentRequest")
  record Committed(
      @Schema(description = "Number of whole GPUs, 1 to 1000000") @Min(1) @Max(1_000_000)
          Integer gpus,
      @Schema(
              description =
                  "Cost of all these GPUs until the end of the price, in units of the"
                      + " currency: 0 to 1000000000 with at most 6 decimals")
          @Min(0)
          @Max(1_000_000_000)
          BigDecimal amount) {}

  @Override
  public SortedMap<String, String> conflicts(SortedSet<String> given) {
    SortedMap<String, String> conflicts = new TreeMap<>();
    if (replaces != null && replaced().isEmpty()) {
      conflicts.put("replaces", "must be the id of a price, such as pri_...");
    }
    if (given.contains("pricePerGibMonth")) {
      OF_GPUS.stream()
          .filter(name -> given.contains(name))
          .forEach(name ->
              conflicts.put(
                  name,
                  "applies to GPU prices, and pricePerGibMonth to storage prices: remove one"));
    } else if (given.contains("storageClass")) {
      conflicts.put("storageClass", "applies to storage prices: set pricePerGibMonth too");
    } else if (given.contains("commitment")) {
      ofCommitment(given, conflicts);
    } else if (!given.contains("pricePerGpuHour")) {
      conflicts.put(
          "pricePerGpuHour",
          "is missing: set the price of one GPU for an hour, for example 2.49. For storage, give"
              + " pricePerGibMonth");
    }
    return conflicts;
  }

  private void ofCommitment(SortedSet<String> given, SortedMap<String, String> conflicts) {
    if (given.contains("pricePerGpuHour")) {
      conflicts.put("pricePerGpuHour", "follows from the commitment: give one of the two");
    }
    if (capacityType != null && capacityType != CapacityType.RESERVED) {
      conflicts.put("capacityType", "must be RESERVED or absent for a commitment");
    }
    if (!given.contains("to")) {
      conflicts.put("to", "is missing: the end of the commitment");
    }
  }

  private Optional<PriceId> replaced() {
    return Optional.ofNullable(replaces)
        .flatMap(text -> IdText.decode(IdKind.PRICE, text))
        .map(PriceId::new);
  }

  /**
   * @param in id of the cluster, or null for all clusters
   * @param now start of a price whose request sets none
   */
  Price price(PriceId id, @Nullable ClusterId in, Instant now) {
    Validity validity =
        new Validity(from == null ? now : exact(from), to == null ? null : exact(to));
    Commitment committed =
        commitment == null
            ? null
            : new Commitment(commitment.gpus(), AmountFields.micros(commitment.amount()));
    return new Price(
        id,
        scope(in),
        committed == null ? perUnit() : committed.perGpuHour(validity, currency),
        validity,
        replaced().orElse(null),
        committed,
        now);
  }

  private PriceScope scope(@Nullable ClusterId in) {
    return pricePerGibMonth != null
        ? PriceScope.of(in, new PriceScope.Storage(storageClass))
        : new PriceScope(
            in, pool, model, commitment == null ? capacityType : CapacityType.RESERVED);
  }

  private Money perUnit() {
    BigDecimal amount = pricePerGibMonth == null ? pricePerGpuHour : pricePerGibMonth;
    return new Money(AmountFields.micros(Objects.requireNonNull(amount, "a price")), currency);
  }

  /** Microseconds, the resolution of the database's time. */
  private static Instant exact(Instant at) {
    return at.truncatedTo(ChronoUnit.MICROS);
  }
}
