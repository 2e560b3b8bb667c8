package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Converts Kubernetes quantities to resource vectors. Offers of a node are rounded down, requests
 * of a pod are rounded up.
 */
public final class NodeAmounts {
  private static final BigDecimal THOUSAND = new BigDecimal(1000);
  private static final BigDecimal MEBI = new BigDecimal(1L << 20);
  private static final BigDecimal MOST = new BigDecimal(1L << 40);
  private static final int MOST_EXTENDED = 100;
  private static final int LONGEST_NAME = 317;
  private static final int MOST_GPUS = 1024;

  private NodeAmounts() {}

  static ResourceVector offered(@Nullable Map<String, Quantity> allocatable) {
    return vector(
        allocatable,
        RoundingMode.FLOOR,
        amount(allocatable, "pods", BigDecimal.ONE, RoundingMode.FLOOR));
  }

  /**
   * Returns the resources that a pod needs on its node: the sum of its containers or the largest
   * need of an init container with the sidecars before it, whichever is larger, plus the overhead
   * (https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers).
   */
  public static ResourceVector asked(Pod pod) {
    PodSpec spec = pod.getSpec();
    ResourceVector sum = ResourceVector.of(0, 0, 0, 1);
    for (Container container : orEmpty(spec.getContainers())) {
      sum = sum.plus(asked(container));
    }
    ResourceVector sidecars = ResourceVector.ZERO;
    ResourceVector peak = ResourceVector.ZERO;
    for (Container init : orEmpty(spec.getInitContainers())) {
      if ("Always".equals(init.getRestartPolicy())) {
        sidecars = sidecars.plus(asked(init));
        peak = larger(peak, sidecars);
      } else {
        peak = larger(peak, sidecars.plus(asked(init)));
      }
    }
    return larger(sum.plus(sidecars), peak)
        .plus(vector(spec.getOverhead(), RoundingMode.CEILING, 0));
  }

  /** Returns the number of allocatable GPUs: whole devices or parts. */
  static int gpus(@Nullable Map<String, Quantity> amounts) {
    long whole = amount(amounts, GpuResources.WHOLE, BigDecimal.ONE, RoundingMode.FLOOR);
    long parts = amount(amounts, GpuResources.SHARED, BigDecimal.ONE, RoundingMode.FLOOR);
    return (int) Math.min(whole + parts, MOST_GPUS);
  }

  /** Returns whether parts of GPUs have a separate resource name. */
  static boolean renamed(@Nullable Map<String, Quantity> amounts) {
    return amount(amounts, GpuResources.SHARED, BigDecimal.ONE, RoundingMode.FLOOR) > 0;
  }

  private static ResourceVector asked(Container container) {
    if (container.getResources() == null) {
      return ResourceVector.ZERO;
    }
    /* A limit without a request is also the request. The API server may not fill it in. */
    Map<String, Quantity> asked = new TreeMap<>(orEmpty(container.getResources().getLimits()));
    asked.putAll(orEmpty(container.getResources().getRequests()));
    return vector(asked, RoundingMode.CEILING, 0);
  }

  private static ResourceVector vector(
      @Nullable Map<String, Quantity> amounts, RoundingMode rounding, long pods) {
    SortedMap<String, Long> extended = new TreeMap<>();
    for (String name : orEmpty(amounts).keySet()) {
      if (name.contains("/") // names with a domain are devices and similar resources
          && !name.equals(GpuResources.WHOLE)
          && extended.size() < MOST_EXTENDED
          && ReportedText.plain(name, LONGEST_NAME)) {
        extended.put(name, amount(amounts, name, BigDecimal.ONE, rounding));
      }
    }
    return new ResourceVector(
        amount(amounts, "cpu", THOUSAND, rounding),
        amount(amounts, "memory", BigDecimal.ONE.divide(MEBI), rounding),
        amount(amounts, GpuResources.WHOLE, THOUSAND, rounding),
        pods,
        extended);
  }

  private static long amount(
      @Nullable Map<String, Quantity> amounts,
      String name,
      BigDecimal factor,
      RoundingMode rounding) {
    Quantity quantity = orEmpty(amounts).get(name);
    if (quantity == null) {
      return 0;
    }
    BigDecimal amount = quantity.getNumericalAmount().multiply(factor).setScale(0, rounding);
    return amount.max(BigDecimal.ZERO).min(MOST).longValueExact();
  }

  private static ResourceVector larger(ResourceVector a, ResourceVector b) {
    SortedMap<String, Long> extended = new TreeMap<>(a.extended());
    b.extended().forEach((name, amount) -> extended.merge(name, amount, Math::max));
    return new ResourceVector(
        Math.max(a.cpuMilli(), b.cpuMilli()),
        Math.max(a.memoryMiB(), b.memoryMiB()),
        Math.max(a.gpuMilli(), b.gpuMilli()),
        Math.max(a.pods(), b.pods()),
        extended);
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private static Map<String, Quantity> orEmpty(@Nullable Map<String, Quantity> map) {
    return map == null ? Map.of() : map;
  }
}
