package dev.fairlead.workload.service;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Project;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.LogRequest;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.stereotype.Component;

/** Member output through the gateways of this process. */
@Component
public class ClusterOutput {
  private final ClusterConnections gateways;

  public ClusterOutput(ClusterConnections gateways) {
    this.gateways = gateways;
  }

  /**
   * @throws Refusal UNAVAILABLE when the cluster does not answer or has no output
   */
  InputStream open(Project project, Attempt attempt, Member member, JobLogs.Request request) {
    ClusterGateway gateway =
        gateways
            .of(attempt.cluster())
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.UNAVAILABLE, "The cluster of this attempt is not connected."));
    try {
      return gateway.logs(
          new LogRequest(
              attempt.id(),
              project.namespace(),
              MemberKey.of(member),
              request.tail(),
              request.since(),
              request.follow()));
    } catch (IOException away) {
      throw new Refusal(
          ProblemCode.UNAVAILABLE,
          "The output of " + member.key() + " cannot be had now: " + away.getMessage());
    }
  }
}
