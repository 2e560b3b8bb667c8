package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.work.workload.kubernetes.node.GpuResources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Amounts under the names that a ResourceQuota has for them
 * (https://kubernetes.io/docs/concepts/policy/resource-quotas): cores, bytes, and counts of pods
 * and devices.
 */
final class QuotaAmounts {
  static final String PODS = "pods";
  static final String CPU = "requests.cpu";
  static final String MEMORY = "requests.memory";
  static final String GPUS = "requests." + GpuResources.WHOLE;

  /** More than any namespace holds, and what a quota counts in 64 bits. */
  private static final BigDecimal OPEN = BigDecimal.valueOf(1_000_000_000L);

  private static final BigDecimal OPEN_BYTES = BigDecimal.valueOf(1_000_000_000_000_000_000L);

  private static final BigDecimal PODS_MORE = BigDecimal.valueOf(64);
  private static final BigDecimal CORES_MORE = BigDecimal.valueOf(512);
  private static final BigDecimal BYTES_MORE = BigDecimal.valueOf(4L << 40);
  private static final BigDecimal DEVICES_MORE = BigDecimal.valueOf(16);
  private static final BigDecimal TWO = BigDecimal.valueOf(2);

  private QuotaAmounts() {}

  /** What pods of ours, which have no init containers, count. */
  static SortedMap<String, BigDecimal> of(Collection<Pod> pods) {
    SortedMap<String, BigDecimal> sum = new TreeMap<>();
    sum.put(PODS, BigDecimal.valueOf(pods.size()));
    for (Pod pod : pods) {
      for (Container container : pod.getSpec().getContainers()) {
        container
            .getResources()
            .getRequests()
            .forEach((name, amount) ->
                sum.merge("requests." + name, amount.getNumericalAmount(), BigDecimal::add));
      }
    }
    return sum;
  }

  static SortedMap<String, BigDecimal> sum(
      Map<String, BigDecimal> some, Map<String, BigDecimal> others) {
    SortedMap<String, BigDecimal> sum = new TreeMap<>(some);
    others.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
    return sum;
  }

  static SortedMap<String, BigDecimal> less(
      Map<String, BigDecimal> some, Map<String, BigDecimal> others) {
    SortedMap<String, BigDecimal> left = new TreeMap<>(some);
    left.replaceAll((name, amount) -> amount.subtract(others.getOrDefault(name, BigDecimal.ZERO)));
    return left;
  }

  /** Whether there is room for all that is bounded. */
  static boolean fits(Map<String, BigDecimal> asked, Map<String, BigDecimal> left) {
    return asked.entrySet().stream()
        .allMatch(of -> {
          BigDecimal room = left.get(of.getKey());
          return room == null || of.getValue().compareTo(room) <= 0;
        });
  }

  static boolean same(Map<String, BigDecimal> some, Map<String, BigDecimal> others) {
    return some.keySet().equals(others.keySet())
        && some.entrySet().stream()
            .allMatch(of -> of.getValue().compareTo(others.get(of.getKey())) == 0);
  }

  /** What a name is bounded by while it is not known how much of it lives there. */
  static BigDecimal open(String name) {
    return name.equals(MEMORY) ? OPEN_BYTES : OPEN;
  }

  /** So much, and room for as much again as is launched before the next look. */
  static BigDecimal roomy(String name, BigDecimal held) {
    return held.add(more(name, held));
  }

  /** Whether it is neither so near to what is held, nor so far from it, that it has to change. */
  static boolean near(String name, BigDecimal bound, BigDecimal held) {
    BigDecimal more = more(name, held);
    BigDecimal over = bound.subtract(held);
    return over.multiply(TWO).compareTo(more) >= 0 && over.compareTo(more.multiply(TWO)) <= 0;
  }

  private static BigDecimal more(String name, BigDecimal held) {
    BigDecimal least =
        switch (name) {
          case PODS -> PODS_MORE;
          case CPU -> CORES_MORE;
          case MEMORY -> BYTES_MORE;
          default -> DEVICES_MORE;
        };
    return least.max(held.divideToIntegralValue(TWO));
  }

  /** What it is to bound by. */
  static SortedMap<String, BigDecimal> bounds(ResourceQuota quota) {
    return amounts(quota.getSpec() == null ? null : quota.getSpec().getHard());
  }

  /** What it bounds by now; a controller follows its spec. */
  static SortedMap<String, BigDecimal> inForce(ResourceQuota quota) {
    return amounts(quota.getStatus() == null ? null : quota.getStatus().getHard());
  }

  /**
   * What lives in its namespace, never less: what comes is added before it is admitted, and what
   * has gone is taken off later.
   */
  static SortedMap<String, BigDecimal> used(ResourceQuota quota) {
    return amounts(quota.getStatus() == null ? null : quota.getStatus().getUsed());
  }

  private static SortedMap<String, BigDecimal> amounts(@Nullable Map<String, Quantity> of) {
    SortedMap<String, BigDecimal> amounts = new TreeMap<>();
    if (of != null) {
      of.forEach((name, amount) -> amounts.put(name, amount.getNumericalAmount()));
    }
    return Collections.unmodifiableSortedMap(amounts);
  }

  static SortedMap<String, Quantity> written(Map<String, BigDecimal> amounts) {
    SortedMap<String, Quantity> written = new TreeMap<>();
    amounts.forEach((name, amount) -> written.put(name, new Quantity(amount.toPlainString())));
    return written;
  }
}
