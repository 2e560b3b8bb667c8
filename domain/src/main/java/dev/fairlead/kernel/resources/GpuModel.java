package dev.fairlead.kernel.resources;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU model as Fairlead names it.
 *
 * @param name short name, {@code H100}, with the memory where a family has several sizes
 * @param product the label value that GPU feature discovery writes for its most common product
 * @param memoryMiB device memory in MiB as the product reports it
 * @param migGeometry name of its MIG placement table, null when the model has none
 * @param keys alternatives of words, in lower case, that a label must contain to name the model
 * @param machines how names of instance types with this model begin, in lower case
 */
public record GpuModel(
    String name,
    String product,
    long memoryMiB,
    @Nullable String migGeometry,
    List<List<String>> keys,
    List<String> machines) {
  public GpuModel {
    keys = keys.stream().map(List::copyOf).toList();
    machines = List.copyOf(machines);
  }

  /** A model that no catalogue lists: the product itself. */
  public static GpuModel unlisted(String product, long memoryMiB) {
    return new GpuModel(product, product, memoryMiB, null, List.of(), List.of());
  }

  /** Returns the model under the label of another product. */
  public GpuModel sold(String as) {
    return new GpuModel(name, as, memoryMiB, migGeometry, keys, machines);
  }

  /**
   * Returns whether a request for {@code asked} accepts this model: the exact name, or the family
   * before a memory size.
   */
  public boolean answersTo(String asked) {
    return answers(name, asked);
  }

  /**
   * Like {@link #answersTo} for a model known by name only. {@code A100} accepts {@code A100-40GB}
   * and {@code A100-80GB}. A product that no catalogue lists also answers to consecutive words of
   * its name: {@code NVIDIA-X900-PCIe} to {@code X900}.
   */
  public static boolean answers(String name, String asked) {
    int at = name.indexOf(asked);
    int end = at + asked.length();
    boolean words =
        at >= 0
            && (at == 0 || name.charAt(at - 1) == '-')
            && (end == name.length() || name.charAt(end) == '-');
    return words && (at == 0 || GpuCatalogue.byName(name).isEmpty());
  }

  /**
   * Specificity with which a label names this model: the number of words of its longest matching
   * alternative, 0 if the label names another model.
   *
   * @param words words of the label, in lower case
   */
  int named(List<String> words) {
    return keys.stream().filter(words::containsAll).mapToInt(List::size).max().orElse(0);
  }

  /** Returns whether an instance type, in lower case, has this model. */
  boolean in(String machine) {
    return machines.stream().anyMatch(machine::startsWith);
  }
}
