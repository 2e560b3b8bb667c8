package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Service accounts and projected tokens of cloud identities, as a real API server accepts them. */
@OnControlPlane
class CloudIdentityIT {
  private static final long EPOCH = 5;
  private static final String ROLE = "arn:aws:iam::123456789012:role/checkpoints";
  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final String namespace = "fairlead-" + installation.label();
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(random()), installation, installation.label());
  private ClusterGateway gateway;
  private List<String> nodes;

  @BeforeEach
  void connect() {
    nodes = cluster.nodes("cloud", 1, 8, 1);
    gateway = RealCluster.synced(installation, cluster);
    eventually("it is ours", () -> gateway.claim(EPOCH, 0).equals(EpochClaim.OURS));
    eventually("its node is ready", () -> !ready().isEmpty());
  }

  @AfterEach
  void close() {
    gateway.close();
    cluster.admin().pods().inNamespace(namespace).withGracePeriod(0).delete();
  }

  private List<NodeReport> ready() {
    return gateway.inventory().nodes().stream()
        .filter(n -> nodes.contains(n.name()) && n.ready())
        .toList();
  }

  private static CloudIdentity identity(Map<String, String> annotations, String audience) {
    return new CloudIdentity("checkpoints", List.of("nlp"), new TreeMap<>(annotations), audience);
  }

  private LaunchOrder order(CloudIdentity identity) {
    LaunchOrder plain =
        orders.order(
            EPOCH,
            Specs.job("train").cloudIdentity("checkpoints").build(),
            ready(),
            gateway.capabilities());
    return identity == null ? plain : LaunchOrders.identified(plain, identity);
  }

  private ActionOutcome launched(LaunchOrder order) {
    return RealCluster.answered(gateway, new WorkloadAction.Launch(order.attempt().id(), order));
  }

  private Pod pod(CloudIdentity identity) {
    LaunchOrder order = order(identity);
    assertThat(launched(order)).isInstanceOf(ActionOutcome.Done.class);
    MemberKey member = MemberKey.of(order.attempt().members().getFirst());
    return cluster
        .admin()
        .pods()
        .inNamespace(namespace)
        .withName(ObjectNames.pod(order.attempt().id(), member))
        .get();
  }

  private ServiceAccount account() {
    return cluster
        .admin()
        .serviceAccounts()
        .inNamespace(namespace)
        .withName("cloud-checkpoints")
        .get();
  }

  private static Map<String, String> variables(Pod pod, String prefix) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getName().startsWith(prefix))
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  /** The projected token, and the path of its file. */
  private static String token(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .filter(volume -> volume.getProjected() != null)
        .flatMap(volume ->
            volume.getProjected().getSources().stream()
                .map(source -> source.getServiceAccountToken())
                .filter(Objects::nonNull)
                .map(token -> audienceAndPath(pod, volume.getName(), token)))
        .collect(Collectors.joining(", "));
  }

  private static String audienceAndPath(
      Pod pod, String volume, ServiceAccountTokenProjection token) {
    return pod.getSpec().getContainers().getFirst().getVolumeMounts().stream()
        .filter(mount -> mount.getName().equals(volume))
        .map(mount -> token.getAudience() + "@" + mount.getMountPath() + "/" + token.getPath())
        .findFirst()
        .orElseThrow();
  }

  /** Fails when the pod lacks the account or token, or gets a token of the Kubernetes API. */
  @Test
  void podWithAnAwsRoleHasItsServiceAccountTokenForStsOnly() {
    Pod pod = pod(identity(Map.of(CloudIdentity.AWS_ROLE, ROLE), null));

    assertThat(account().getMetadata().getAnnotations())
        .containsEntry("eks.amazonaws.com/role-arn", ROLE);
    assertThat(account().getMetadata().getLabels())
        .containsEntry(ObjectLabels.INSTALLATION, installation.label());
    assertThat(account().getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getSpec().getServiceAccountName()).isEqualTo("cloud-checkpoints");
    assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(token(pod))
        .isEqualTo("sts.amazonaws.com@/var/run/secrets/eks.amazonaws.com/serviceaccount/token");
    assertThat(variables(pod, "AWS_"))
        .isEqualTo(
            Map.of(
                "AWS_ROLE_ARN",
                ROLE,
                "AWS_WEB_IDENTITY_TOKEN_FILE",
                "/var/run/secrets/eks.amazonaws.com/serviceaccount/token"));
    assertThat(rights("get", "pods")).as("rights on the Kubernetes API").isFalse();
    assertThat(rights("create", "pods")).isFalse();
  }

  private boolean rights(String verb, String resource) {
    return cluster
        .admin()
        .resource(
            new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser("system:serviceaccount:" + namespace + ":cloud-checkpoints")
                .withGroups("system:serviceaccounts", "system:authenticated")
                .withNewResourceAttributes()
                .withNamespace(namespace)
                .withVerb(verb)
                .withResource(resource)
                .endResourceAttributes()
                .endSpec()
                .build())
        .create()
        .getStatus()
        .getAllowed();
  }

  /** Fails when the webhook of AKS does not find the pod, or the token has another audience. */
  @Test
  void aPodOfAnAzureClientHasTheLabelAndTokenOfMicrosoftEntra() {
    Pod pod =
        pod(
            identity(
                Map.of(CloudIdentity.AZURE_CLIENT, "6b1f1a52-3c0e-4a7e-9a51-0d7d3f6f2c11"), null));

    assertThat(pod.getMetadata().getLabels()).containsEntry("azure.workload.identity/use", "true");
    assertThat(token(pod))
        .isEqualTo("api://AzureADTokenExchange@/var/run/secrets/azure/tokens/azure-identity-token");
    assertThat(variables(pod, "AZURE_"))
        .containsEntry("AZURE_CLIENT_ID", "6b1f1a52-3c0e-4a7e-9a51-0d7d3f6f2c11");
  }

  /** Fails when client libraries of Google Cloud find no configuration. */
  @Test
  void aPodOfAGoogleAccountHasItsCredentialConfiguration() {
    String provider =
        "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/fair/providers/eu-1";
    Pod pod =
        pod(
            identity(
                Map.of(CloudIdentity.GCP_ACCOUNT, "train@nlp-1.iam.gserviceaccount.com"),
                provider));

    assertThat(token(pod)).isEqualTo(provider + "@/var/run/secrets/fairlead.dev/cloud/token");
    assertThat(variables(pod, "GOOGLE_"))
        .containsEntry(
            "GOOGLE_APPLICATION_CREDENTIALS", "/var/run/secrets/fairlead.dev/cloud/google.json");
    assertThat(pod.getMetadata().getAnnotations().get("fairlead.dev/cloud-configuration"))
        .startsWith("{\"type\":\"external_account\",\"audience\":\"" + provider + "\"")
        .contains("serviceAccounts/train@nlp-1.iam.gserviceaccount.com:generateAccessToken");
  }

  /** Fails when a pod has a token that no provider needs. */
  @Test
  void aPodOfEksPodIdentityHasOnlyTheServiceAccount() {
    Pod pod = pod(identity(Map.of(), null));

    assertThat(pod.getSpec().getServiceAccountName()).isEqualTo("cloud-checkpoints");
    assertThat(token(pod)).isEmpty();
  }

  /** Fails when a revoked role stays on the account, or annotations of others are removed. */
  @Test
  void changedIdentityReplacesItsAnnotationsAtTheNextLaunch() {
    Pod _ = pod(identity(Map.of(CloudIdentity.AWS_ROLE, ROLE), null));
    ServiceAccount theirs =
        new ServiceAccountBuilder(account())
            .editMetadata()
            .addToAnnotations("example.com/owner", "ana")
            .endMetadata()
            .build();
    ServiceAccount _ = cluster.admin().resource(theirs).update();
    Pod _ = pod(identity(Map.of(), null));

    assertThat(account().getMetadata().getAnnotations())
        .containsOnly(Map.entry("example.com/owner", "ana"));
  }

  /** Fails when Fairlead adopts a foreign account that has rights. */
  @Test
  void foreignServiceAccountIsNotUsed() {
    Pod _ = pod(identity(Map.of(), null));
    cluster.admin().resource(account()).delete();
    ServiceAccount theirs =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName("cloud-checkpoints")
            .withNamespace(namespace)
            .endMetadata()
            .build();
    ServiceAccount _ = cluster.admin().resource(theirs).create();

    assertThat(launched(order(identity(Map.of(CloudIdentity.AWS_ROLE, ROLE), null))))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> {
              assertThat(refused.why()).isEqualTo(ActionOutcome.Why.NOT_NOW);
              assertThat(refused.message())
                  .satisfies(reason("cloud-identity.account-of-others", namespace));
            });
    assertThat(account().getMetadata().getAnnotations()).isNullOrEmpty();
  }

  /** Fails when a job starts with an identity that was deleted or taken from its project. */
  @Test
  void jobWithoutItsIdentityIsRejected() {
    assertThat(launched(order(null)))
        .isInstanceOfSatisfying(
            ActionOutcome.Refused.class,
            refused -> {
              assertThat(refused.why()).isEqualTo(ActionOutcome.Why.INVALID);
              assertThat(refused.message())
                  .satisfies(reason("cloud-identity.not-allowed-any-more", installation.label()));
            });
  }

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }
}
