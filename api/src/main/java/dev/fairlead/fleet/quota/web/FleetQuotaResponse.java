package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.service.FleetQuotaView;
import dev.fairlead.kernel.resources.Quantity;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the platform lets a tenant have, or all tenants together.
 *
 * @param tenant name; null for all tenants together
 * @param weight share among tenants; 0 comes last
 * @param limits none = not limited here; otherwise a flavor without an entry has none
 * @param usage of what is limited or used; empty while the platform limits nothing
 */
record FleetQuotaResponse(
    @Nullable String tenant,
    BigDecimal weight,
    List<QuotaResponse.LimitResponse> limits,
    List<FleetUsage> usage,
    long version) {
  /**
   * Use of one flavor and resource.
   *
   * @param nonPreemptible what jobs that are never evicted use
   * @param borrowed used beyond what the tenant is given
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

  /** What changes: what is given replaces, null removes. */
  @Schema(name = "PatchFleetQuotaRequest")
  record Patch(
      @Schema(description = "Share among tenants, 0 to 1000") @Nullable BigDecimal weight,
      @Schema(description = "None = not limited here")
          @Nullable List<QuotaResponse.LimitResponse> limits) {}

  static FleetQuotaResponse of(FleetQuotaView view) {
    QuotaNode node = view.node();
    return new FleetQuotaResponse(
        view.tenant(),
        new BigDecimal(Quantity.ofMilli(node.weight())),
        node.limits().stream().map(QuotaResponse.LimitResponse::of).toList(),
        view.usage().stream().map(FleetUsage::of).toList(),
        node.version());
  }

  /** What may be written: what a patch is applied to. */
  Patch toRequest() {
    return new Patch(weight, limits);
  }
}
