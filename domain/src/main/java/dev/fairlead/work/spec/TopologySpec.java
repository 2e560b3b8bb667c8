package dev.fairlead.work.spec;

/** Members together inside one domain of a level. */
public record TopologySpec(String level, Mode mode) {
  /** Whether the domain is required. */
  public enum Mode {
    REQUIRED,
    PREFERRED
  }
}
