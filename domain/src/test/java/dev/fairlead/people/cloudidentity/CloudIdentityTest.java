package dev.fairlead.people.cloudidentity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CloudIdentityTest {
  /** Fails when a pod gets a token that the API server of its cluster accepts. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://kubernetes.default.svc",
        "HTTPS://Kubernetes.Default.svc.cluster.local/",
        "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF",
        "https://oidc-eks.eu-west-1.api.aws/id/0123456789ABCDEF",
        "https://container.googleapis.com/v1/projects/p/locations/europe-west1/clusters/c",
        "https://westeurope.oic.prod-aks.azure.com/0000/1111/",
        "k3s"
      })
  void apiServerAudienceIsRejected(String audience) {
    assertThat(CloudIdentity.trouble(new TreeMap<>(), audience)).contains("Kubernetes API");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"vault", "sts.amazonaws.com", "api://AzureADTokenExchangeUSGov", "k3s-vault"})
  void serviceAudienceIsAccepted(String audience) {
    assertThat(CloudIdentity.trouble(new TreeMap<>(), audience)).isNull();
  }
}
