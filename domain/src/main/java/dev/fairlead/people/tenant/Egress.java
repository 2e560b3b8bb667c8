package dev.fairlead.people.tenant;

import java.util.List;

/**
 * Network destinations that the pods of a project may reach on Kubernetes clusters.
 *
 * @param mode whether everything is open except the restrictions of all projects
 * @param cidrs additional open ranges in strict mode, none otherwise
 */
public record Egress(Mode mode, List<String> cidrs) {
  /** The mode of a project. */
  public enum Mode {
    /** Everything except the API server and the credentials of machines. */
    OPEN,
    /** DNS, the members of the gang, and the listed ranges. */
    STRICT
  }

  public static final Egress OPEN = new Egress(Mode.OPEN, List.of());

  /** Maximum number of ranges of one project, so that its network policy stays small. */
  public static final int MOST_CIDRS = 50;

  public Egress {
    cidrs = List.copyOf(cidrs);
  }

  public static Egress strict(List<String> cidrs) {
    return new Egress(Mode.STRICT, cidrs);
  }

  public boolean strict() {
    return mode == Mode.STRICT;
  }
}
