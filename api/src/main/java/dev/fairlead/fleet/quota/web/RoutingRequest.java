package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.web.spi.PriceCap;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** A new policy. */
@Schema(name = "RoutingRequest")
record RoutingRequest(
    @Schema(
            description =
                "Tiers in order, at most 8, which name at most 64 pools and clusters."
                    + " Without tiers, all nodes are available immediately")
        @Size(max = MOST_TIERS)
        List<Tier> tiers,
    @Schema(
            description =
                "Rules for returning preemptible jobs from more expensive capacity to"
                    + " reserved capacity that becomes free. Running jobs do not move back when absent")
        @Nullable MoveBack moveBack)
    implements RequestRules {
  private static final int MOST_TIERS = 8;

  /**
   * Maximum number of pools and clusters in all tiers together: each cycle reads the whole policy.
   */
  private static final int MOST_NAMES = 64;

  private static final int MOST_MOVES = 1000;
  private static final int MOST_TYPES = 3;

  @Override
  public void check(Fields given) {
    @Nullable List<Tier> all = tiers;
    if (all == null) {
      return;
    }
    List<Value> items = given.get("tiers").map(v -> v.items(MOST_TIERS)).orElse(List.of());
    for (int i = 1; i < items.size(); i++) {
      if (all.get(i).opens().compareTo(all.get(i - 1).opens()) < 0) {
        items
            .get(i)
            .fields()
            .ifPresent(tier ->
                tier.refuse(
                    "after",
                    ProblemCode.INVALID_FIELD,
                    "A tier cannot open earlier than the previous tier. Set a longer wait, or"
                        + " change the order of the tiers.",
                    null));
      }
    }
    int names = all.stream().mapToInt(Tier::names).sum();
    if (names > MOST_NAMES) {
      given.refuse(
          "tiers",
          ProblemCode.INVALID_FIELD,
          ("The tiers name %d pools and clusters, at most %d in all. Remove names that a tier"
                  + " does not need, or create a pool for those nodes.")
              .formatted(names, MOST_NAMES),
          null);
    }
  }

  RoutingPolicy policy() {
    return new RoutingPolicy(
        tiers.stream().map(Tier::tier).toList(), moveBack == null ? null : moveBack.rule());
  }

  /** New rules for returning running jobs to reserved capacity. */
  @Schema(name = "RoutingMoveBackRequest")
  record MoveBack(
      @Schema(
              description =
                  "Maximum number of moves of the queue in any hour, 1 to 1000. Default: 6")
          @Min(1)
          @Max(MOST_MOVES)
          @Nullable Integer perHour,
      @Schema(
              implementation = String.class,
              description =
                  "Minimum run time of an attempt before it is moved, 1m to 7d. Default: 10m")
          @DurationMin(minutes = 1)
          @DurationMax(days = 7)
          @Nullable Duration rest) {
    private RoutingPolicy.MoveBack rule() {
      RoutingPolicy.MoveBack absent = RoutingPolicy.MoveBack.DEFAULT;
      return new RoutingPolicy.MoveBack(
          Objects.requireNonNullElse(perHour, absent.perHour()),
          Objects.requireNonNullElse(rest, absent.rest()));
    }
  }

  /** One tier of a new policy. An absent field selects all. */
  @Schema(name = "RoutingTierRequest")
  record Tier(
      @Size(max = MOST_TYPES) @Nullable List<CapacityType> capacityTypes,
      @Size(max = MOST_NAMES) @Nullable List<@DnsLabel String> pools,
      @Size(max = MOST_NAMES) @Nullable List<@DnsLabel String> clusters,
      @Schema(
              implementation = String.class,
              description =
                  "Waiting time of a job after which the tier opens. Immediately when absent")
          @DurationMax(days = 365)
          @Nullable Duration after,
      @Schema(description = "Maximum price of a GPU-hour in the price book. Requires currency")
          @Max(PriceCap.MOST)
          @Nullable BigDecimal maxPricePerGpuHour,
      @Schema(description = "Currency of maxPricePerGpuHour (ISO 4217)")
          @Pattern(regexp = PriceCap.CURRENCY, message = PriceCap.CURRENCY_RULE)
          @Nullable String currency,
      @Schema(description = "Order of the nodes. CHEAPEST uses the price book. Default: FIXED")
          RoutingPolicy.@Nullable Order order)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      PriceCap.check(given, List.of("maxPricePerGpuHour"));
    }

    private Duration opens() {
      return Objects.requireNonNullElse(after, Duration.ZERO);
    }

    private int names() {
      return size(pools) + size(clusters);
    }

    private static int size(@Nullable List<String> names) {
      return names == null ? 0 : names.size();
    }

    private RoutingPolicy.Tier tier() {
      Money cap = PriceCap.of(maxPricePerGpuHour, currency);
      return new RoutingPolicy.Tier(
          Objects.requireNonNullElse(capacityTypes, List.of()),
          Objects.requireNonNullElse(pools, List.of()),
          Objects.requireNonNullElse(clusters, List.of()),
          opens(),
          cap,
          Objects.requireNonNullElse(order, RoutingPolicy.Order.FIXED));
    }
  }
}
