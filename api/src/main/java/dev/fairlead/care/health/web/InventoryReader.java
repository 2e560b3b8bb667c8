package dev.fairlead.care.health.web;

import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.device.NodeDevices.Listed;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the inventory of machines in reports of monitors. */
final class InventoryReader {
  static final int MOST_NODES = 500;
  static final int MOST_GPUS = 64;

  private InventoryReader() {}

  static Optional<NodeDevices> node(Value item) {
    return item.fields().flatMap(InventoryReader::node);
  }

  private static Optional<NodeDevices> node(Fields fields) {
    Optional<String> node =
        fields
            .required("node", "name of the machine.")
            .flatMap(v -> PlainText.of(v, PlainText.LONGEST_NODE));
    Optional<Instant> at = fields.required("at", "the time of the listing.").flatMap(Value::time);
    List<Listed> gpus =
        fields
            .required("gpus", "all devices of the machine, at most " + MOST_GPUS + ".")
            .map(v -> v.items(MOST_GPUS))
            .orElse(List.of())
            .stream()
            .map(v -> v.fields().flatMap(InventoryReader::gpu))
            .flatMap(Optional::stream)
            .toList();
    fields.done();
    return node.isEmpty() || at.isEmpty()
        ? Optional.empty()
        : Optional.of(new NodeDevices(node.get(), at.get(), gpus));
  }

  private static Optional<Listed> gpu(Fields fields) {
    Optional<String> uuid =
        fields
            .required("gpu", "UUID of the device.")
            .flatMap(v -> PlainText.of(v, PlainText.LONGEST_DEVICE));
    Optional<String> serial =
        fields.get("serial").flatMap(v -> PlainText.of(v, PlainText.LONGEST_DEVICE));
    fields.done();
    return uuid.map(u -> new Listed(u, serial.orElse(null)));
  }
}
