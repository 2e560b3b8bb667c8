package dev.fairlead.care.supply.service;

import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.care.supply.SupplyRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A supply with its requests.
 *
 * @param pool name of its pool
 * @param cluster name of its cluster
 * @param offer nodes that it can provide now
 * @param requests newest first
 * @param signingKey key that signs the calls, in hexadecimal, null for callers with read access
 *     only
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
