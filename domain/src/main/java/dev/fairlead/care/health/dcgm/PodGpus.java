package dev.fairlead.care.health.dcgm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * GPUs of a pod according to the labels of the DCGM exporter.
 *
 * @param node name of the node of all its GPUs
 * @param gpus UUIDs in order, not empty
 */
public record PodGpus(String node, String namespace, String pod, List<String> gpus) {
  public PodGpus {
    gpus = List.copyOf(gpus);
  }

  private record Pod(String namespace, String name) {}

  /**
   * Returns the pods of a reading. A pod with a MIG instance has no whole GPU, and a pod on two
   * nodes has wrong labels, so both are omitted.
   *
   * @param judged GPUs of the reading that belong to one node of the cluster, with its name
   */
  public static List<PodGpus> of(List<GpuSample> samples, Map<String, String> judged) {
    Comparator<Pod> order = Comparator.comparing(Pod::name).thenComparing(Pod::namespace);
    SortedMap<Pod, Set<String>> held = new TreeMap<>(order);
    Set<Pod> sliced = new TreeSet<>(order);
    for (GpuSample sample : samples) {
      GpuSample.Holder holder = sample.holder();
      if (holder != null && judged.containsKey(sample.gpu())) {
        Pod pod = new Pod(holder.namespace(), holder.pod());
        held.computeIfAbsent(pod, first -> new TreeSet<>()).add(sample.gpu());
        if (holder.slice()) {
          sliced.add(pod);
        }
      }
    }
    List<PodGpus> pods = new ArrayList<>();
    held.forEach((pod, gpus) -> {
      List<String> nodes =
          gpus.stream().flatMap(gpu -> Stream.ofNullable(judged.get(gpu))).distinct().toList();
      if (nodes.size() == 1 && !sliced.contains(pod)) {
        pods.add(new PodGpus(nodes.getFirst(), pod.namespace(), pod.name(), List.copyOf(gpus)));
      }
    });
    return pods;
  }
}
