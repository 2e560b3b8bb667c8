package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.service.FleetQuotaView;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.resources.Quantity;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Fleet quota of a tenant, or of all tenants together.
 *
 * @param tenant name of the tenant, null for all tenants together
 * @param weight weight among tenants. A tenant with weight 0 comes last
 * @param limits limits of the platform, empty for no limit. Otherwise a flavor without an entry has
 *     no quota
 * @param usage usage of each resource that is limited or in use, empty if the platform sets no
 *     limits
 */
record FleetQuotaResponse(
    @Nullable String tenant,
    BigDecimal weight,
    List<QuotaResponse.LimitResponse> limits,
    List<FleetUsage> usage,
    long version) {
  /**
   * Usage of one flavor and resource.
   *
   * @param nonPreemptible usage by jobs that are never evicted
   * @param borrowed usage beyond the tenant's own quota
   */
  record FleetUsage(
      String flavor,
      String resource,
      @Schema(types = {"number", "string"}) Object used,
      @Schema(types = {"number", "string"}) Object nonPreemptible,
      @Schema(types = {"number", "string"}) Object borrowed) {
    static FleetUsage of(FleetQuotaView.Usage usage) {
      String resource = usage.cell().resource();
      return new FleetUsage(
          usage.cell().flavor().text(),
          resource,
          QuotaAmounts.write(usage.used(), resource),
          QuotaAmounts.write(usage.nonPreemptible(), resource),
          QuotaAmounts.write(usage.borrowed(), resource));
    }
  }

  /** The changed fields. A value replaces the current one, and null removes it. */
  @Schema(name = "PatchFleetQuotaRequest")
  record Patch(
      @Schema(
              implementation = BigDecimal.class,
              description = "Weight among tenants, 0 to 1000",
              minimum = "0",
              maximum = "1000",
              multipleOf = 0.001)
          @JsonDeserialize(using = QuotaRequest.Weight.class)
          @Nullable Long weight,
      @Schema(description = "Limits of the platform. An empty list sets no limit")
          @Size(max = LimitRequest.MOST)
          @Nullable List<LimitRequest> limits)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      LimitRequest.checkDistinct(given, limits);
    }

    /** In thousandths. */
    long milli() {
      return Objects.requireNonNullElse(weight, QuotaRequest.WEIGHT_ONE);
    }
  }

  static FleetQuotaResponse of(FleetQuotaView view) {
    QuotaNode node = view.node();
    return new FleetQuotaResponse(
        view.tenant(),
        new BigDecimal(Quantity.ofMilli(node.weight())),
        node.limits().stream().map(QuotaResponse.LimitResponse::of).toList(),
        view.usage().stream().map(FleetUsage::of).toList(),
        node.version());
  }

  /** The writable fields, to which a patch is applied. */
  SortedMap<String, Object> toRequest() {
    return new TreeMap<>(Map.of("weight", weight, "limits", limits));
  }
}
