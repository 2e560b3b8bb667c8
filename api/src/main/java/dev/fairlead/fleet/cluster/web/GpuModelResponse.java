package dev.fairlead.fleet.cluster.web;

import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.Quantity;
import java.util.List;

/**
 * A GPU model of the catalogue.
 *
 * @param name name on nodes and in jobs, quotas and prices
 * @param product label of GPU feature discovery for its most common product
 * @param memory memory of the device
 * @param migProfiles MIG profiles of the GPU, empty without MIG
 * @param keys words that a node label must contain to name the model, one entry per alternative
 * @param machines prefixes of the names of instance types with this model
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
