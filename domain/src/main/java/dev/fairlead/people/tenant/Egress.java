package dev.fairlead.people.tenant;

import java.util.List;

/**
 * What the pods of a project may reach on Kubernetes clusters.
 *
 * @param mode whether all is open that no wall of every project closes
 * @param cidrs ranges that are open beside names and the gang where the mode is strict; none
 *     otherwise
 */
public record Egress(Mode mode, List<String> cidrs) {
  /** How a project is open. */
  public enum Mode {
    /** Everything but the API server and the credentials of machines. */
    OPEN,
    /** DNS, the members of the gang, and what is listed. */
    STRICT
  }

  public static final Egress OPEN = new Egress(Mode.OPEN, List.of());

  /** Ranges of one project, so that its network policy stays small. */
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
