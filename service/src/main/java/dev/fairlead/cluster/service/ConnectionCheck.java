package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Connection;
import dev.fairlead.cluster.KubeconfigReader;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Turns what was given at registration into a connection that is safe to open. */
@Component
public class ConnectionCheck {
  private final KubeconfigReader reader;

  public ConnectionCheck(KubeconfigReader reader) {
    this.reader = reader;
  }

  /**
   * @throws Refusal UNSAFE_KUBECONFIG, UNSAFE_ADDRESS or INVALID_FIELD
   */
  public Connection of(ClusterDraft draft) {
    return of(draft.kubeconfig(), draft.connection());
  }

  /**
   * @throws Refusal as {@link #of(ClusterDraft)}
   */
  Connection of(@Nullable String kubeconfig, @Nullable Connection given) {
    return switch (given) {
      case Connection.Simulated simulated -> simulated;
      case Connection.Kubernetes parts -> safe(reader.check(parts));
      case null -> safe(reader.read(present(kubeconfig)));
    };
  }

  private static Connection safe(KubeconfigReader.Answer answer) {
    return switch (answer) {
      case KubeconfigReader.Answer.Accepted accepted -> accepted.connection();
      case KubeconfigReader.Answer.Refused refused ->
          throw new Refusal(
              refused.problems().getFirst().code(),
              refused.problems().getFirst().detail(),
              refused.problems());
    };
  }

  private static String present(@Nullable String kubeconfig) {
    if (kubeconfig != null) {
      return kubeconfig;
    }
    String detail = "Give kubeconfig (its text) or connection, or kind SIMULATED with a fleet.";
    throw new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(new FieldProblem("/kubeconfig", ProblemCode.INVALID_FIELD, detail, null)));
  }
}
