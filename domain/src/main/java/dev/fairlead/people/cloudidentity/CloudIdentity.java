package dev.fairlead.people.cloudidentity;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes service account that a cloud provider trusts. Pods with it get credentials of the
 * provider without a static key. The owner of the tenant defines it and lists its projects.
 *
 * @param name DNS label of at most {@value #LONGEST_NAME} characters, unique within the tenant
 * @param projects names of the projects with jobs that may name it, empty if none
 * @param annotations annotations of the service account, with the keys of {@link #KEYS}
 * @param audience audience of a projected token of the service account, null for the audience of
 *     the provider, or for no token if there is no provider
 */
public record CloudIdentity(
    String name,
    List<String> projects,
    SortedMap<String, String> annotations,
    @Nullable String audience) {
  public static final ConfigType<CloudIdentity> DOCUMENTS =
      new ConfigType<>(ConfigKind.CLOUD_IDENTITY, CloudIdentity.class);

  /** Maximum number of cloud identities of a tenant. */
  public static final int MOST = 100;

  /** Maximum number of projects of a cloud identity. */
  public static final int MOST_PROJECTS = 500;

  /** Maximum characters of a name. The service account has it with a prefix. */
  public static final int LONGEST_NAME = 57;

  /** Maximum characters of an audience. */
  public static final int LONGEST_AUDIENCE = 255;

  /**
   * IRSA (https://docs.aws.amazon.com/eks/latest/userguide/associate-service-account-role.html).
   */
  public static final String AWS_ROLE = "eks.amazonaws.com/role-arn";

  /**
   * Workload identity federation
   * (https://cloud.google.com/iam/docs/workload-identity-federation-with-kubernetes).
   */
  public static final String GCP_ACCOUNT = "iam.gke.io/gcp-service-account";

  /** Microsoft Entra Workload ID (https://azure.github.io/azure-workload-identity/docs). */
  public static final String AZURE_CLIENT = "azure.workload.identity/client-id";

  /** Tenant of Microsoft Entra, if it differs from the tenant of the cluster's webhook. */
  public static final String AZURE_TENANT = "azure.workload.identity/tenant-id";

  private static final String UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

  private static final Pattern GCP_PROVIDER =
      Pattern.compile(
          "//iam\\.googleapis\\.com/projects/[0-9]{1,20}/locations/global/workloadIdentityPools/"
              + "[a-z0-9-]{4,32}/providers/[a-z0-9-]{4,32}");

  private static final String ACCOUNT = "cloud-";

  /**
   * Usual audiences of API servers: the service of the cluster, the issuers of GKE, EKS and AKS,
   * and those of k3s and RKE2.
   */
  private static final Pattern API_SERVER =
      Pattern.compile(
          ".*(kubernetes\\.default|container\\.googleapis\\.com/v1/projects/|//oidc[.-]eks\\."
              + "|\\.oic\\.[a-z-]*aks\\.).*|k3s|rke2",
          Pattern.CASE_INSENSITIVE);

  private static final SortedMap<String, Pattern> VALUES =
      Collections.unmodifiableSortedMap(
          new TreeMap<>(
              Map.of(
                  AWS_ROLE,
                  Pattern.compile("arn:aws[a-z-]{0,20}:iam::[0-9]{12}:role/[\\w+=,.@/-]{1,576}"),
                  GCP_ACCOUNT,
                  Pattern.compile(
                      "[a-z][a-z0-9-]{4,28}[a-z0-9]@[a-z0-9.-]{1,100}\\.iam\\.gserviceaccount\\.com"),
                  AZURE_CLIENT,
                  Pattern.compile(UUID),
                  AZURE_TENANT,
                  Pattern.compile(UUID))));

  private static final SortedMap<String, String> EXAMPLES =
      Collections.unmodifiableSortedMap(
          new TreeMap<>(
              Map.of(
                  AWS_ROLE, "arn:aws:iam::123456789012:role/train",
                  GCP_ACCOUNT, "train@my-project.iam.gserviceaccount.com",
                  AZURE_CLIENT, "6b1f1a52-3c0e-4a7e-9a51-0d7d3f6f2c11",
                  AZURE_TENANT, "9c1d2b64-8f4e-4d0b-8a3c-5e6f7a8b9c0d")));

  /** Keys of annotations that a cloud identity may have. */
  public static final List<String> KEYS = List.copyOf(VALUES.keySet());

  public CloudIdentity {
    projects = List.copyOf(projects);
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /** Name of the document: names are unique within their tenant only. */
  public static String document(TenantId tenant, String name) {
    return tenant.text() + "/" + name;
  }

  /** Reads the cloud identity of the tenant. */
  public static Optional<CloudIdentity> named(ConfigStore store, TenantId tenant, String name) {
    return store.find(DOCUMENTS, tenant, document(tenant, name)).map(ConfigDocument::value);
  }

  /**
   * Name of the service account in the namespace of each project. The prefix keeps it apart from
   * the accounts of Kubernetes and of Fairlead.
   */
  public static String serviceAccount(String name) {
    return ACCOUNT + name;
  }

  /** Returns whether a service account has a name of {@link #serviceAccount}. */
  public static boolean isServiceAccount(String account) {
    return account.startsWith(ACCOUNT);
  }

  /** Returns whether jobs of the project may use the cloud identity. */
  public boolean allows(Project project) {
    return projects.contains(project.name());
  }

  /** Returns the cloud identity without the permission for this project. */
  public CloudIdentity without(Project project) {
    return of(projects.stream().filter(each -> !each.equals(project.name())).toList());
  }

  /** Returns the cloud identity for a caller that sees only these projects. */
  public CloudIdentity within(List<Project> visible) {
    return of(visible.stream().filter(this::allows).map(Project::name).sorted().toList());
  }

  private CloudIdentity of(List<String> others) {
    return new CloudIdentity(name, others, annotations, audience);
  }

  /** Describes the first annotation that is not allowed, null if there is none. */
  public static @Nullable String trouble(SortedMap<String, String> annotations) {
    for (var annotation : annotations.entrySet()) {
      Pattern value = VALUES.get(annotation.getKey());
      if (value == null) {
        return "have no key \"%s\". Keys: %s"
            .formatted(annotation.getKey(), String.join(", ", KEYS));
      }
      if (!value.matcher(annotation.getValue()).matches()) {
        return "need a value such as %s for %s, not \"%s\""
            .formatted(
                EXAMPLES.get(annotation.getKey()), annotation.getKey(), annotation.getValue());
      }
    }
    if (annotations.containsKey(AZURE_TENANT) && !annotations.containsKey(AZURE_CLIENT)) {
      return "need %s in addition to %s".formatted(AZURE_CLIENT, AZURE_TENANT);
    }
    long providers =
        Stream.of(AWS_ROLE, GCP_ACCOUNT, AZURE_CLIENT)
            .filter(key -> annotations.containsKey(key))
            .count();
    return providers > 1 ? "must be of one provider. Define one identity for each" : null;
  }

  /** Describes why an audience is not allowed with these annotations, null if it is. */
  public static @Nullable String trouble(
      SortedMap<String, String> annotations, @Nullable String audience) {
    if (annotations.containsKey(GCP_ACCOUNT)
        && (audience == null || !GCP_PROVIDER.matcher(audience).matches())) {
      return "must be the workload identity provider of %s, such as //iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/fairlead/providers/eu-1, because pods cannot reach the metadata server"
          .formatted(GCP_ACCOUNT);
    }
    return audience != null && API_SERVER.matcher(audience).matches()
        ? "has to be a service of the cloud, because jobs get no token of the Kubernetes API"
        : null;
  }
}
