package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.work.workload.kubernetes.client.GpuResources;
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
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Amounts under the names of a ResourceQuota
 * (https://kubernetes.io/docs/concepts/policy/resource-quotas): cores, bytes, and counts of pods
 * and devices.
 */
final class ResourceQuotaAmounts {
  static final String PODS = "pods";
  static final String CPU = "requests.cpu";
  static final String MEMORY = "requests.memory";
  static final String GPUS = "requests." + GpuResources.WHOLE;

  /** More than any namespace uses, within the 64 bits of a quota's counters. */
  private static final BigDecimal OPEN = BigDecimal.valueOf(1_000_000_000L);

  private static final BigDecimal OPEN_BYTES = BigDecimal.valueOf(1_000_000_000_000_000_000L);

  private static final BigDecimal PODS_MORE = BigDecimal.valueOf(64);
  private static final BigDecimal CORES_MORE = BigDecimal.valueOf(512);
  private static final BigDecimal BYTES_MORE = BigDecimal.valueOf(4L << 40);
  private static final BigDecimal DEVICES_MORE = BigDecimal.valueOf(16);
  private static final BigDecimal TWO = BigDecimal.valueOf(2);

  private ResourceQuotaAmounts() {}

  /** Returns the amounts of Fairlead's pods, whose sidecars follow the other init containers. */
  static SortedMap<String, BigDecimal> of(Collection<Pod> pods) {
    SortedMap<String, BigDecimal> sum = new TreeMap<>();
    sum.put(PODS, BigDecimal.valueOf(pods.size()));
    for (Pod pod : pods) {
      requests(pod).forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
    }
    return sum;
  }

  private static SortedMap<String, BigDecimal> requests(Pod pod) {
    SortedMap<String, BigDecimal> together = new TreeMap<>();
    SortedMap<String, BigDecimal> alone = new TreeMap<>();
    for (Container container : pod.getSpec().getContainers()) {
      add(together, container, BigDecimal::add);
    }
    for (Container init : pod.getSpec().getInitContainers()) {
      boolean sidecar = "Always".equals(init.getRestartPolicy());
      add(sidecar ? together : alone, init, sidecar ? BigDecimal::add : BigDecimal::max);
    }
    alone.forEach((name, amount) -> together.merge(name, amount, BigDecimal::max));
    return together;
  }

  private static void add(
      SortedMap<String, BigDecimal> to, Container of, BinaryOperator<BigDecimal> how) {
    of.getResources()
        .getRequests()
        .forEach((name, amount) -> to.merge("requests." + name, amount.getNumericalAmount(), how));
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

  /** Returns whether all limited amounts fit. */
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

  /** Returns the limit for a name with unknown current use. */
  static BigDecimal open(String name) {
    return name.equals(MEMORY) ? OPEN_BYTES : OPEN;
  }

  /** Returns the amount plus a margin for launches before the next check. */
  static BigDecimal roomy(String name, BigDecimal held) {
    return held.add(more(name, held));
  }

  /** Returns whether the limit is close enough to the current use that it need not change. */
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

  /** Returns the limits in its spec. */
  static SortedMap<String, BigDecimal> bounds(ResourceQuota quota) {
    return amounts(quota.getSpec() == null ? null : quota.getSpec().getHard());
  }

  /** Returns the limits in force. The controller follows the spec. */
  static SortedMap<String, BigDecimal> inForce(ResourceQuota quota) {
    return amounts(quota.getStatus() == null ? null : quota.getStatus().getHard());
  }

  /**
   * Returns the use of its namespace, never less: new objects are counted before they are admitted,
   * and removed ones are subtracted later.
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
