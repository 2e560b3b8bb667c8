package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Connection;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.cluster.KubeconfigReader;
import java.util.List;
import org.springframework.stereotype.Component;

/** Turns what was given at registration into a connection that is safe to open. */
@Component
public class ConnectionCheck {
  private final KubeconfigReader reader;

  public ConnectionCheck(KubeconfigReader reader) {
    this.reader = reader;
  }

  /** @throws Refusal UNSAFE_KUBECONFIG, UNSAFE_ADDRESS or INVALID_FIELD */
  public Connection of(ClusterDraft draft) {
    if (draft.connection() != null) {
      return draft.connection();
    }
    String kubeconfig = draft.kubeconfig();
    if (kubeconfig == null) {
      String detail = "Give kubeconfig (its text), or kind SIMULATED with a fleet.";
      throw new Refusal(
          ProblemCode.INVALID_FIELD,
          detail,
          List.of(new FieldProblem("/kubeconfig", ProblemCode.INVALID_FIELD, detail, null)));
    }
    return switch (reader.read(kubeconfig)) {
      case KubeconfigReader.Answer.Accepted accepted -> accepted.connection();
      case KubeconfigReader.Answer.Refused refused ->
          throw new Refusal(
              refused.problems().getFirst().code(), refused.problems().getFirst().detail(), refused.problems());
    };
  }
}
