package dev.fairlead.work.workload.kubernetes.node;

/** Names under which a cluster offers GPUs, and labels that describe them. */
public final class GpuResources {
  public static final String WHOLE = "nvidia.com/gpu";

  /** Parts of GPUs, where the device plugin names them apart from whole ones. */
  public static final String SHARED = "nvidia.com/gpu.shared";

  public static final String TAINT = "nvidia.com/gpu";

  private GpuResources() {}

  /** Whether nodes offer GPUs, or slices of them, under this name. */
  public static boolean gpu(String name) {
    return name.startsWith("nvidia.com/");
  }
}
