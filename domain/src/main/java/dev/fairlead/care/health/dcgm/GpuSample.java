package dev.fairlead.care.health.dcgm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The current value of a series of a GPU.
 *
 * @param series name of the series, any name of the table
 * @param gpu label UUID, empty without it. A MIG instance has the UUID of its GPU
 * @param nodes values of the labels that may name the machine, without empty ones, each once
 * @param value NaN if it is not a number
 * @param holder pod that uses the GPU according to the labels, null if they name none
 */
public record GpuSample(
    String series, String gpu, List<String> nodes, double value, @Nullable Holder holder) {
  /**
   * A pod in the labels of a series.
   *
   * @param slice whether the pod uses a MIG instance of the GPU
   */
  public record Holder(String namespace, String pod, boolean slice) {}

  public GpuSample {
    nodes = List.copyOf(nodes);
  }
}
