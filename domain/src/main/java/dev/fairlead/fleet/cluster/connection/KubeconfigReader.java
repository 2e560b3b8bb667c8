package dev.fairlead.fleet.cluster.connection;

import dev.fairlead.kernel.problem.FieldProblem;
import java.util.List;

/**
 * Reads the safe subset of a kubeconfig. It executes nothing in the file and opens no file that it
 * names.
 */
public interface KubeconfigReader {
  Answer read(String kubeconfig);

  /** Applies the same rules to a connection that was given field by field. */
  Answer check(Connection.Kubernetes given);

  /** The result of reading. */
  sealed interface Answer {
    /** A safe connection. */
    record Accepted(Connection.Kubernetes connection) implements Answer {}

    /** A refused kubeconfig, with all its faults. */
    record Refused(List<FieldProblem> problems) implements Answer {}
  }
}
