package dev.fairlead.fleet.cluster;

import dev.fairlead.kernel.problem.FieldProblem;
import java.util.List;

/**
 * Reads the subset of a kubeconfig that is safe: nothing in it is executed, no file it names is
 * opened.
 */
public interface KubeconfigReader {
  Answer read(String kubeconfig);

  /** Holds a connection that was given field by field to the same rules. */
  Answer check(Connection.Kubernetes given);

  /** What came of reading. */
  sealed interface Answer {
    /** Safe. */
    record Accepted(Connection.Kubernetes connection) implements Answer {}

    /** Refused, with everything that is wrong. */
    record Refused(List<FieldProblem> problems) implements Answer {}
  }
}
