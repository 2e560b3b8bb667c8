package dev.fairlead.money.statement;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ServiceCost;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceUse;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Use of a key of a model service in a month. Its share is a part of the cost of lines of GPUs, so
 * it is in no total.
 *
 * @param share null if it is unknown
 * @param unknown reason why it is unknown, null if it is known
 */
public record TokenLine(
    ServiceKey.Name key,
    ProjectId project,
    Names names,
    KeyUse use,
    @Nullable Share share,
    ServiceCost.@Nullable Unknown unknown) {
  /**
   * Names of the objects when the line is created.
   *
   * @param project its id if it no longer exists
   * @param costCentre cost centre of the project, null if none
   */
  public record Names(String service, String project, @Nullable String costCentre) {}

  /**
   * Part of the key in the cost of the replicas of its service.
   *
   * @param micros millionths of a unit of the currency
   */
  public record Share(BigInteger micros, String currency) {}

  /** Identifies the service of the line. */
  public ModelServiceId service() {
    return key.service();
  }

  /**
   * Lines of one service. Their shares add up to its cost.
   *
   * @param keys keys of the service, in the order of their names
   * @param project its name
   */
  public static List<TokenLine> of(
      List<ServiceUse> keys, String project, @Nullable String costCentre, ServiceCost cost) {
    SortedMap<ServiceKey.Name, Long> tokens = new TreeMap<>();
    keys.forEach(each -> tokens.put(each.key(), each.use().tokens()));
    long all = tokens.values().stream().mapToLong(Long::longValue).sum();
    ServiceCost.Unknown unknown = cost.unknown(all).orElse(null);
    SortedMap<ServiceKey.Name, BigInteger> micros =
        Portions.of(cost.micros().orElse(BigInteger.ZERO), tokens);
    List<TokenLine> lines = new ArrayList<>();
    for (ServiceUse each : keys) {
      BigInteger part = micros.get(each.key());
      String currency = cost.currency();
      lines.add(
          new TokenLine(
              each.key(),
              each.project(),
              new Names(each.service(), project, costCentre),
              each.use(),
              unknown != null || part == null || currency == null
                  ? null
                  : new Share(part, currency),
              unknown));
    }
    return lines;
  }
}
