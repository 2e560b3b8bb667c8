package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.service.ClusterConnections;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Reads member output through the gateways of this process. */
@Component
public class LiveOutput {
  private final ClusterConnections gateways;

  public LiveOutput(ClusterConnections gateways) {
    this.gateways = gateways;
  }

  /**
   * Opens output with the time of each line.
   *
   * @param tail number of last lines, null for all
   * @throws Refusal UNAVAILABLE when the cluster does not answer or has no output
   */
  InputStream open(
      JobOutput.Source source, @Nullable Integer tail, @Nullable Instant since, boolean follow) {
    ClusterGateway gateway =
        gateways
            .of(source.attempt().cluster())
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.UNAVAILABLE, "The cluster of this attempt is not connected."));
    try {
      return gateway.logs(
          new LogRequest(
              source.attempt().id(),
              source.project().namespace(),
              MemberKey.of(source.member()),
              source.request().container(),
              tail,
              since,
              follow));
    } catch (IOException away) {
      throw new Refusal(
          ProblemCode.UNAVAILABLE,
          "The output of " + source.member().key() + " is not available now: " + away.getMessage());
    }
  }
}
