package dev.fairlead.fleet.cluster.web;

import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.Quantity;
import java.util.List;

/**
 * A GPU model of the catalogue.
 *
 * @param name as nodes have it and as jobs, quotas and prices name it
 * @param product label of GPU feature discovery of its most common product
 * @param memory of the device
 * @param migProfiles that the GPU can be cut into, empty when it cannot be cut
 * @param keys words that a label of a node has to contain to name the model, one entry per
 *     alternative
 * @param machines how names of instance types with this model begin
 */
record GpuModelResponse(
    String name,
    String product,
    String memory,
    List<String> migProfiles,
    List<String> keys,
    List<String> machines) {
  static GpuModelResponse of(GpuModel model) {
    return new GpuModelResponse(
        model.name(),
        model.product(),
        Quantity.ofMebibytes(model.memoryMiB()),
        MigGeometry.of(model.name()).stream()
            .flatMap(geometry -> geometry.profiles().stream())
            .map(MigGeometry.Profile::name)
            .toList(),
        model.keys().stream().map(words -> String.join(" ", words)).toList(),
        model.machines());
  }
}
