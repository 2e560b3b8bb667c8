package dev.fairlead.people.tenant;

import dev.fairlead.kernel.identity.Sha256;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Owner of jobs inside one tenant.
 *
 * @param name DNS label, unique in the tenant
 * @param namespace namespace of its jobs on every cluster, chosen once, see {@link #newNamespace}
 * @param defaultQueue quota node id of the queue for jobs that name none
 * @param egress network destinations of its pods
 * @param idle policy for jobs that do not use their GPUs, null if none
 * @param costCentre account that pays for its use, see {@link #isCostCentre}, null if none
 */
@RecordBuilder
public record Project(
    ProjectId id,
    TenantId tenant,
    String name,
    String namespace,
    UUID defaultQueue,
    Egress egress,
    @Nullable IdlePolicy idle,
    @Nullable String costCentre,
    long version)
    implements ProjectBuilder.With {
  /** Fairlead's own namespace on every cluster, with its service account. */
  public static final String SYSTEM_NAMESPACE = "fairlead-system";

  private static final int LONGEST = 63;
  private static final Pattern COST_CENTRE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9 ._/-]{0,62}");
  private static final int HASH_DIGITS = 10;

  /**
   * Returns whether a text is a valid cost centre: at most 63 letters, digits, blanks and {@code .
   * _ / -}, starting with a letter or digit, so that no spreadsheet interprets it as a formula.
   */
  public static boolean isCostCentre(String text) {
    return COST_CENTRE.matcher(text).matches();
  }

  /**
   * Returns the namespace of a new project: readable names of tenant and project, truncated if
   * necessary, and a hash that makes it unique across projects and installations. The migration of
   * the first rows names the first project of an installation in the same way.
   *
   * @param installation the installation's id
   * @param tenant the tenant's name, a DNS label
   * @param name the project's name, a DNS label
   * @return a DNS label of at most 63 characters
   */
  public static String newNamespace(UUID installation, String tenant, String name, ProjectId id) {
    String hash = Sha256.hex(installation + "/" + id.value()).substring(0, HASH_DIGITS);
    String readable = "fairlead-" + tenant + "-" + name;
    int room = LONGEST - 1 - HASH_DIGITS;
    return readable.substring(0, Math.min(room, readable.length())) + "-" + hash;
  }

  /** Returns the next version after a change. */
  public Project with(UUID queue, Egress reached) {
    return with().defaultQueue(queue).egress(reached).version(version + 1).build();
  }

  /**
   * Returns the project with another policy for jobs that do not use their GPUs, in the same
   * version.
   */
  public Project with(@Nullable IdlePolicy policy) {
    return withIdle(policy);
  }

  /** Returns the project with another cost centre, in the same version. */
  public Project paidBy(@Nullable String centre) {
    return withCostCentre(centre);
  }
}
