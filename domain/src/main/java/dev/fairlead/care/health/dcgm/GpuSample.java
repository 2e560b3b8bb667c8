package dev.fairlead.care.health.dcgm;

import java.util.List;

/**
 * The present value of a series of a GPU.
 *
 * @param series name of the series, any name of the table
 * @param gpu label UUID, empty without it. A MIG instance has the UUID of its GPU
 * @param nodes values of the labels that may name the machine, without empty ones, each once
 * @param value NaN if it is not a number
 */
public record GpuSample(String series, String gpu, List<String> nodes, double value) {
  public GpuSample {
    nodes = List.copyOf(nodes);
  }
}
