package dev.fairlead.resources;

import java.util.List;
import java.util.Optional;

/**
 * Product labels of GPU feature discovery and the models they stand for. An unknown label is its
 * own model, without MIG.
 */
public final class GpuCatalogue {
  private static final List<GpuModel> MODELS =
      List.of(
          new GpuModel("A100-80GB", "NVIDIA-A100-SXM4-80GB", 81_920, "A100-80"),
          new GpuModel("A100-80GB", "NVIDIA-A100-80GB-PCIe", 81_920, "A100-80"),
          new GpuModel("A100-40GB", "NVIDIA-A100-SXM4-40GB", 40_960, "A100-40"),
          new GpuModel("A100-40GB", "NVIDIA-A100-PCIE-40GB", 40_960, "A100-40"),
          new GpuModel("A30", "NVIDIA-A30", 24_576, "A30"),
          new GpuModel("A10", "NVIDIA-A10", 23_028, null),
          new GpuModel("B200", "NVIDIA-B200", 183_359, "B200"),
          new GpuModel("H100", "NVIDIA-H100-80GB-HBM3", 81_559, "H100-80"),
          new GpuModel("H100", "NVIDIA-H100-PCIe", 81_559, "H100-80"),
          new GpuModel("H100-94GB", "NVIDIA-H100-NVL", 95_830, "H100-94"),
          new GpuModel("H200", "NVIDIA-H200", 143_771, "H200"),
          new GpuModel("L4", "NVIDIA-L4", 23_034, null),
          new GpuModel("L40S", "NVIDIA-L40S", 46_068, null),
          new GpuModel("T4", "Tesla-T4", 15_360, null),
          new GpuModel("V100", "Tesla-V100-SXM2-32GB", 32_768, null));

  private GpuCatalogue() {}

  public static Optional<GpuModel> byProduct(String product) {
    return MODELS.stream().filter(m -> m.product().equals(product)).findFirst();
  }

  public static Optional<GpuModel> byName(String name) {
    return MODELS.stream().filter(m -> m.name().equals(name)).findFirst();
  }

  public static List<GpuModel> models() {
    return MODELS;
  }
}
