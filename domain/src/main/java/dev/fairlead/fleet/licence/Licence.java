package dev.fairlead.fleet.licence;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A counted resource that belongs to no node, with a limit on how many attempts may hold.
 *
 * @param name a DNS label of at most 63 characters
 * @param count total, 0 to {@value #MOST}. If attempts hold more, no job that requests it starts
 * @param cluster name of the only cluster on which it can be held, null = on any cluster
 */
public record Licence(String name, int count, @Nullable String cluster) {
  public static final ConfigType<Licence> DOCUMENTS =
      new ConfigType<>(ConfigKind.LICENCE, Licence.class);

  /** Maximum count of one licence. */
  public static final int MOST = 1_000_000;

  /** Maximum number of licences in an installation, and in the request of one job. */
  public static final int KINDS = 200;

  public Licence {
    if (count < 0 || count > MOST) {
      throw new IllegalArgumentException("count " + count);
    }
  }

  /** Creates a licence for all clusters. */
  public Licence(String name, int count) {
    this(name, count, null);
  }

  /**
   * Returns whether a job may hold it. A licence of one cluster is limited to jobs that run on no
   * other cluster.
   */
  public boolean allows(JobSpec spec) {
    return cluster == null || spec.placement().clusters().equals(List.of(cluster));
  }
}
