package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.NextStep;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import java.io.IOException;

/** Requests a new token of Fairlead's service account from a cluster. */
final class NewAccountToken {
  private NewAccountToken() {}

  /** Like {@link dev.fairlead.work.workload.ClusterGateway#newToken}. */
  static Secret of(AccountToken used, ClusterLink link, ClusterCalls calls) throws IOException {
    TokenRequest wanted =
        new TokenRequestBuilder()
            .withNewSpec()
            .withExpirationSeconds(AccountToken.LIFE.toSeconds())
            .endSpec()
            .build();
    try {
      TokenRequest given =
          calls.write(() ->
              link.client()
                  .serviceAccounts()
                  .inNamespace(used.namespace())
                  .withName(used.account())
                  .tokenRequest(wanted));
      if (given.getStatus() == null || given.getStatus().getToken() == null) {
        throw new IOException("the answer has no token");
      }
      Secret token = new Secret(given.getStatus().getToken());
      link.attempt(token);
      return token;
    } catch (CallFailure failure) {
      throw new IOException(NextStep.of(failure), failure);
    }
  }
}
