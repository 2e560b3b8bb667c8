package dev.fairlead.work.spec;

/** Members together inside one domain of a level. */
public record TopologySpec(String level, Mode mode) {
  /** How much it matters. */
  public enum Mode {
    REQUIRED,
    PREFERRED
  }
}
