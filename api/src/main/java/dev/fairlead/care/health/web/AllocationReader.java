package dev.fairlead.care.health.web;

import dev.fairlead.care.health.NodeAllocations;
import dev.fairlead.care.health.NodeAllocations.PodDevices;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the devices of pods that node agents report. */
final class AllocationReader {
  static final int MOST_PODS = 512;
  static final int MOST_IDS = 256;
  static final int LONGEST_ID = 96;

  private AllocationReader() {}

  static Optional<NodeAllocations> node(Value item) {
    return item.fields().flatMap(AllocationReader::node);
  }

  private static Optional<NodeAllocations> node(Fields fields) {
    Optional<String> node =
        fields
            .required("node", "name of the machine.")
            .flatMap(v -> PlainText.of(v, PlainText.LONGEST_NODE));
    Optional<Instant> at = fields.required("at", "the time of the reading.").flatMap(Value::time);
    List<PodDevices> pods =
        fields
            .required("pods", "pods with devices, at most " + MOST_PODS + ".")
            .map(v -> v.items(MOST_PODS))
            .orElse(List.of())
            .stream()
            .map(v -> v.fields().flatMap(AllocationReader::pod))
            .flatMap(Optional::stream)
            .toList();
    fields.done();
    return node.isEmpty() || at.isEmpty()
        ? Optional.empty()
        : Optional.of(new NodeAllocations(node.get(), at.get(), pods));
  }

  private static Optional<PodDevices> pod(Fields fields) {
    Optional<String> uid =
        fields
            .required("uid", "UID of the pod.")
            .flatMap(v -> PlainText.of(v, PlainText.LONGEST_DEVICE));
    List<String> ids =
        fields
            .required("gpus", "ids of its devices, at most " + MOST_IDS + ".")
            .map(v -> v.items(MOST_IDS))
            .orElse(List.of())
            .stream()
            .map(v -> PlainText.of(v, LONGEST_ID))
            .flatMap(Optional::stream)
            .toList();
    fields.done();
    return uid.map(u -> new PodDevices(u, ids));
  }
}
