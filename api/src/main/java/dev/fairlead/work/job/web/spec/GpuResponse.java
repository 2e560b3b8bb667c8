package dev.fairlead.work.job.web.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.Quantity;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPUs of one member: exactly one of count, fraction, memory and mig.
 *
 * @param model acceptable models in order of preference, absent for any model
 * @param count number of whole GPUs
 * @param fraction part of one GPU
 * @param memory device memory of one shared GPU
 * @param minMemory minimum device memory of the GPU
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GpuResponse(
    @Nullable List<String> model,
    @Nullable Integer count,
    @Nullable BigDecimal fraction,
    @Nullable String memory,
    @Nullable MigResponse mig,
    @Nullable String minMemory) {
  /** MIG slices of one profile. */
  record MigResponse(String profile, int count) {}

  public static @Nullable GpuResponse of(GpuRequest gpu) {
    if (gpu.kind() == GpuRequest.Kind.NONE) {
      return null;
    }
    boolean whole = gpu.kind() == GpuRequest.Kind.WHOLE;
    boolean fraction = gpu.kind() == GpuRequest.Kind.FRACTION;
    boolean memory = gpu.kind() == GpuRequest.Kind.MEMORY;
    return new GpuResponse(
        gpu.models().isEmpty() ? null : gpu.models(),
        whole ? gpu.count() : null,
        fraction ? gpus(gpu.fractionMilli()) : null,
        memory ? Quantity.ofMebibytes(gpu.memoryMiB()) : null,
        gpu.migProfile() == null ? null : new MigResponse(gpu.migProfile(), gpu.count()),
        gpu.minMemoryMiB() == 0 ? null : Quantity.ofMebibytes(gpu.minMemoryMiB()));
  }

  /** Thousandths as a decimal of a GPU, without trailing zeros. */
  public static BigDecimal gpus(long milli) {
    return new BigDecimal(Quantity.ofMilli(milli));
  }
}
