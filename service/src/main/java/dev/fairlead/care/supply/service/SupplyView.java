package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A supply with what was asked of it.
 *
 * @param pool its name
 * @param cluster its name
 * @param offer what it could give now
 * @param requests the newest first
 * @param signingKey of the calls, in hexadecimal digits; null for those who only read
 */
public record SupplyView(
    Supply supply,
    String pool,
    String cluster,
    SupplyOffer offer,
    List<SupplyRequest> requests,
    @Nullable String signingKey) {
  public SupplyView {
    requests = List.copyOf(requests);
  }
}
