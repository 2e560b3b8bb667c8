package dev.fairlead.work.workload.kubernetes.pod;

import static dev.fairlead.people.cloudidentity.CloudIdentity.AWS_ROLE;
import static dev.fairlead.people.cloudidentity.CloudIdentity.AZURE_CLIENT;
import static dev.fairlead.people.cloudidentity.CloudIdentity.AZURE_TENANT;
import static dev.fairlead.people.cloudidentity.CloudIdentity.GCP_ACCOUNT;

import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.work.attempt.ObjectNames;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Gives the program of a pod the cloud identity of its job. Variables have the names that the
 * webhooks of the providers set. Webhooks leave existing variables unchanged. The current webhook
 * of Azure mounts a token of its own in addition, under {@code /var/run/secrets/azure/wi}:
 *
 * <ul>
 *   <li>https://github.com/aws/amazon-eks-pod-identity-webhook
 *   <li>https://azure.github.io/azure-workload-identity/docs/installation/mutating-admission-webhook.html
 *   <li>https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes
 * </ul>
 */
public final class CloudIdentityPods {
  /** Annotation of a pod with its credential configuration of Google Cloud, which has no secret. */
  static final String CONFIGURATION = ObjectNames.LABEL_PREFIX + "cloud-configuration";

  /** Seconds until a token expires. A kubelet replaces it after 80 % of this time. */
  private static final long EXPIRY = 3_600;

  private static final String OWN = "/var/run/secrets/fairlead.dev/cloud";

  /**
   * A projected token.
   *
   * @param volume name of the volume
   */
  private record Token(String volume, String directory, String file, String audience) {
    String path() {
      return directory + "/" + file;
    }
  }

  private CloudIdentityPods() {}

  /** Returns the pod with the service account, and with a token unless the cloud adds one. */
  public static Pod in(Pod pod, @Nullable CloudIdentity identity) {
    if (identity == null) {
      return pod;
    }
    PodBuilder more = new PodBuilder(pod);
    if (identity.annotations().containsKey(AZURE_CLIENT)) {
      more.editMetadata().addToLabels("azure.workload.identity/use", "true").endMetadata();
    }
    if (identity.annotations().containsKey(GCP_ACCOUNT)) {
      more.editMetadata().addToAnnotations(CONFIGURATION, configuration(identity)).endMetadata();
    }
    more.editMetadata().addToAnnotations(skipped(pod)).endMetadata();
    more.editSpec().withServiceAccountName(CloudIdentity.serviceAccount(identity.name())).endSpec();
    Token token = token(identity);
    return token == null ? more.build() : projected(more, identity, token);
  }

  /**
   * Annotations with the containers that the webhooks of the providers do not change: all except
   * the program.
   */
  private static Map<String, String> skipped(Pod pod) {
    List<String> others =
        pod.getSpec().getInitContainers().stream().map(Container::getName).toList();
    return others.isEmpty()
        ? Map.of()
        : Map.of(
            "eks.amazonaws.com/skip-containers", String.join(",", others),
            "azure.workload.identity/skip-containers", String.join(";", others));
  }

  private static @Nullable Token token(CloudIdentity identity) {
    String audience = identity.audience();
    if (identity.annotations().containsKey(AWS_ROLE)) {
      return new Token(
          "aws-iam-token",
          "/var/run/secrets/eks.amazonaws.com/serviceaccount",
          "token",
          audience == null ? "sts.amazonaws.com" : audience);
    }
    if (identity.annotations().containsKey(AZURE_CLIENT)) {
      return new Token(
          "azure-identity-token",
          "/var/run/secrets/azure/tokens",
          "azure-identity-token",
          audience == null ? "api://AzureADTokenExchange" : audience);
    }
    return audience == null ? null : new Token("cloud-identity", OWN, "token", audience);
  }

  private static Pod projected(PodBuilder pod, CloudIdentity identity, Token token) {
    List<VolumeProjection> sources = new ArrayList<>();
    sources.add(
        new VolumeProjectionBuilder()
            .withNewServiceAccountToken(token.audience(), EXPIRY, token.file())
            .build());
    if (identity.annotations().containsKey(GCP_ACCOUNT)) {
      sources.add(
          new VolumeProjectionBuilder()
              .withNewDownwardAPI()
              .addNewItem()
              .withPath("google.json")
              .withNewFieldRef("v1", "metadata.annotations['" + CONFIGURATION + "']")
              .endItem()
              .endDownwardAPI()
              .build());
    }
    return pod.editSpec()
        .addNewVolume()
        .withName(token.volume())
        .withNewProjected()
        .withSources(sources)
        .endProjected()
        .endVolume()
        .editFirstContainer()
        .addAllToEnv(variables(pod.buildSpec().getContainers().getFirst(), identity, token))
        .addNewVolumeMount()
        .withName(token.volume())
        .withMountPath(token.directory())
        .withReadOnly(true)
        .endVolumeMount()
        .endContainer()
        .endSpec()
        .build();
  }

  /** Variables that the SDKs of the provider read, except those that the job sets. */
  private static List<EnvVar> variables(Container main, CloudIdentity identity, Token token) {
    SortedMap<String, String> annotations = identity.annotations();
    SortedMap<String, String> env = new TreeMap<>();
    if (annotations.containsKey(AWS_ROLE)) {
      env.put("AWS_ROLE_ARN", annotations.getOrDefault(AWS_ROLE, ""));
      env.put("AWS_WEB_IDENTITY_TOKEN_FILE", token.path());
    } else if (annotations.containsKey(AZURE_CLIENT)) {
      env.put("AZURE_CLIENT_ID", annotations.getOrDefault(AZURE_CLIENT, ""));
      env.put("AZURE_FEDERATED_TOKEN_FILE", token.path());
      if (annotations.containsKey(AZURE_TENANT)) {
        env.put("AZURE_TENANT_ID", annotations.getOrDefault(AZURE_TENANT, ""));
        env.put("AZURE_AUTHORITY_HOST", "https://login.microsoftonline.com/");
      }
    } else {
      env.put("FAIRLEAD_CLOUD_TOKEN_FILE", token.path());
      if (annotations.containsKey(GCP_ACCOUNT)) {
        env.put("GOOGLE_APPLICATION_CREDENTIALS", OWN + "/google.json");
      }
    }
    Set<String> set = main.getEnv().stream().map(EnvVar::getName).collect(Collectors.toSet());
    return env.entrySet().stream()
        .filter(variable -> !set.contains(variable.getKey()))
        .map(variable -> PodSpecs.variable(variable.getKey(), variable.getValue()))
        .toList();
  }

  /** The values have no character that JSON escapes. */
  private static String configuration(CloudIdentity identity) {
    return """
    {"type":"external_account","audience":"%s",\
    "subject_token_type":"urn:ietf:params:oauth:token-type:jwt",\
    "token_url":"https://sts.googleapis.com/v1/token",\
    "credential_source":{"file":"%s/token"},\
    "service_account_impersonation_url":\
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/%s:generateAccessToken"}\
    """
        .formatted(identity.audience(), OWN, identity.annotations().get(GCP_ACCOUNT));
  }
}
