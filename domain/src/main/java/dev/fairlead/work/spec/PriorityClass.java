package dev.fairlead.work.spec;

import java.util.Optional;

/** The priority classes. Names on the wire are lower case. */
public enum PriorityClass {
  LOW(100, true),
  NORMAL(500, true),
  HIGH(1000, false),
  URGENT(2000, false);

  private final int value;
  private final boolean preemptible;

  PriorityClass(int value, boolean preemptible) {
    this.value = value;
    this.preemptible = preemptible;
  }

  public int value() {
    return value;
  }

  /** Returns whether jobs of the class may be preempted by default. */
  public boolean preemptible() {
    return preemptible;
  }

  public String wire() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  public static Optional<PriorityClass> ofWire(String name) {
    for (PriorityClass c : values()) {
      if (c.wire().equals(name)) {
        return Optional.of(c);
      }
    }
    return Optional.empty();
  }
}
