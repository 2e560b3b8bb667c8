package dev.fairlead.kernel.resources;

import java.util.Optional;

/**
 * The unit of quota and price: a GPU model, or {@link #CPU} for members without GPU, and a capacity
 * type.
 *
 * @param model GPU model such as {@code H100}, or {@code CPU}
 */
public record Flavor(String model, CapacityType capacity) implements Comparable<Flavor> {
  public static final String CPU = "CPU";

  /** {@code H100/RESERVED}. */
  public String text() {
    return model + "/" + capacity;
  }

  public static Optional<Flavor> parse(String text) {
    int slash = text.lastIndexOf('/');
    if (slash < 1) {
      return Optional.empty();
    }
    for (CapacityType type : CapacityType.values()) {
      if (type.name().equals(text.substring(slash + 1))) {
        return Optional.of(new Flavor(text.substring(0, slash), type));
      }
    }
    return Optional.empty();
  }

  @Override
  public int compareTo(Flavor other) {
    int byModel = model.compareTo(other.model);
    return byModel != 0 ? byModel : capacity.compareTo(other.capacity);
  }
}
